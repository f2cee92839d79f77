"""Direction-optimising breadth-first search: one formula, and the library chooses push or pull at every level.

Returns the same levels as bfs.py.
Method: that of bfs.py on the structure of the graph alone (``any_pair``). A vertex is in the next frontier if any of
its neighbours is in this one, so a pull may stop at the first such neighbour. All visited neighbours of an unvisited
vertex are in the frontier, so a pull may read ``levels``, which is dense already, in place of the frontier.
Invariant: that of bfs.py. Cost: O(n + m), and far fewer edges on graphs of small diameter.
References: S. Beamer, K. Asanovic, D. Patterson, Direction-optimizing breadth-first search, SC 2012; C. Yang, A. Buluc,
J. Owens, Implementing push-pull efficiently in GraphBLAS, ICPP 2018.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import BOOL, Matrix, Vector, loop, program, search, semiring
from .checks import check_source, graph_algorithm, level_type
from .hybrid_bfs import search_by_degree
from .preparing import settle_in_buckets

if TYPE_CHECKING:
    from ..api.matrix_preparation import DegreeOrder


class Options(NamedTuple):
    """The options of :func:`dobfs`."""

    direction: str = "auto"
    policy: str = "cost"
    change_direction: bool = True
    masking: bool = True
    early_exit: bool = True
    operand_reuse: bool | str = "auto"
    structure_only: bool = True

    def of_step(self) -> dict[str, str | bool]:
        """The options of a product."""
        direction = "push" if self.direction == "auto" and not self.change_direction else self.direction
        reuse = self.operand_reuse if self.masking and direction != "push" else False
        by = {"direction": direction, "policy": self.policy, "early_exit": self.early_exit, "reuse_mask": reuse}
        if self.policy == "switchpoint":
            by["push_strategy"] = "push.sort"  # the push of the paper, also if every step is a push
        return by


DEFAULTS = Options()


@graph_algorithm
def dobfs(
    A: Matrix,
    source: int,
    *,
    direction: str = "auto",
    policy: str = "cost",
    change_direction: bool = True,
    masking: bool = True,
    early_exit: bool = True,
    operand_reuse: bool | str = "auto",
    structure_only: bool = True,
) -> Vector:
    """Levels of a breadth-first search; ``A[i, j]`` is the edge from i to j.

    The planner receives ``direction`` ("auto", "push", "pull") and ``policy``. To measure the five optimisations of the
    paper, switch them off one at a time; the result is the same. Without ``change_direction`` every step is a push.
    Without ``masking`` visited vertices are dropped after the product. Without ``early_exit`` a pull reads whole lists
    of neighbours. Without ``operand_reuse`` a pull looks neighbours up in the frontier ("auto": the engine selects the
    faster one). Without ``structure_only`` products are computed from the stored values.
    Returns a Vector with 0 at the source, the distance at every vertex that can be reached, and no entry elsewhere.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    direction : {"auto", "push", "pull"}
        The direction of every step.
    policy : str
        The rule that selects the direction.
    change_direction : bool
        Whether the direction may change.
    masking : bool
        Whether visited vertices are masked out.
    early_exit : bool
        Whether a pull ends at the first hit.
    operand_reuse : bool
        Whether a pull reads all visited vertices.
    structure_only : bool
        Whether values are left unread.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import dobfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> dobfs(A, 0).to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    source = check_source(A, source)
    given = direction, policy, change_direction, masking, early_exit, operand_reuse, structure_only
    if given == DEFAULTS:
        return search(levels_from, A, source, relax=settle_in_buckets, by_degree=_by_degree)
    return levels_from(A, Vector.from_coo([source], [True], size=A.nrows), None, Options(*given))


def _by_degree(order: DegreeOrder, source: int) -> Vector:
    return search_by_degree(order, source, True, **DEFAULTS.of_step())


@program
def levels_from(A: Matrix, frontier: Vector, limit: int | None, options: Options = DEFAULTS) -> Vector:
    """The search itself, or its first levels: recorded once, for any graph of this size and type, and any source."""
    step = semiring.any_pair[BOOL] if options.structure_only else semiring.lor_land
    by = options.of_step()
    levels = Vector(level_type(A), A.nrows)
    for depth in loop(frontier, limit):
        # levels<frontier> = depth
        levels(frontier.S) << depth
        if options.masking:
            # frontier<!levels> = frontier A, or in a pull levels A
            frontier(~levels.S, replace=True, **by) << step(frontier @ A)
        else:  # visited vertices take part in the product, to measure the gain of masking
            # frontier = frontier A
            frontier(**by) << step(frontier @ A)
            # frontier<!levels> = frontier
            frontier(~levels.S, replace=True) << frontier
    return levels
