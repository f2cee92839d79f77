"""Direction-optimising breadth-first search: one formula, and the library chooses push or pull at every level.

Returns the levels that bfs.py does.
Method: as there, on the structure of the graph alone (``any_pair``): a vertex is in the next frontier if any of its
neighbours is in this one, so a pull may stop at the first one it finds. What has been visited contains the frontier,
and a vertex not visited has no other visited neighbours: a pull may as well read ``levels``, which is dense already.
On a device, long graphs are searched as in bfs.py after 64 levels.
Invariant: that of bfs.py. Cost: O(n + m), and far fewer edges on graphs of small diameter.
References: S. Beamer, K. Asanovic, D. Patterson, Direction-optimizing breadth-first search, SC 2012; C. Yang, A. Buluc,
J. Owens, Implementing push-pull efficiently in GraphBLAS, ICPP 2018.
"""

from __future__ import annotations

from typing import Any

from .. import BOOL, Matrix, Vector, loop, program, semiring
from .bfs import LONG, rest_of_levels
from .checks import check_source, graph_algorithm, level_type
from .hybrid_bfs import search_by_degree

USUAL = ("auto", "cost", True, True, True, "auto", True)  # the options of a search by default
AS_USUAL = {"direction": "auto", "policy": "cost", "early_exit": True, "reuse_mask": "auto"}  # what that is in a step


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

    ``direction`` ("auto", "push", "pull") and ``policy`` are handed to the planner as they are. The five optimisations
    of the paper can be switched off one at a time, to measure them; the result is the same. Without
    ``change_direction`` every step is a push, without ``masking`` visited vertices are dropped after the product,
    without ``early_exit`` a pull reads whole lists of neighbours, without ``operand_reuse`` it looks them up in the
    frontier ("auto": the engine does what is faster), and without ``structure_only`` products are computed from the
    stored values.
    Returns a Vector with 0 at the source, the distance at every vertex that can be reached, and no entry elsewhere.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    direction : {"auto", "push", "pull"}
        Of every step.
    policy : str
        The rule by which a direction is chosen.
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
        A vertex is not one of the graph.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import dobfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> dobfs(A, 0).to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    source = check_source(A, source)
    options = direction, policy, change_direction, masking, early_exit, operand_reuse, structure_only
    order = A.search_order() if options == USUAL else None
    if order is not None:
        return search_by_degree(order, source, True, **AS_USUAL)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    if options == USUAL and A.follows_in_any_order():
        return rest_of_levels(A, frontier, levels_from(A, frontier, *options, LONG))
    return levels_from(A, frontier, *options)


@program
def levels_from(
    A: Matrix,
    frontier: Vector,
    direction: str,
    policy: str,
    change_direction: bool,
    masking: bool,
    early_exit: bool,
    operand_reuse: bool | str,
    structure_only: bool,
    limit: int | None = None,
) -> Vector:
    """The search itself, or its first levels: recorded once, for any graph of this size and type, and any source."""
    step = semiring.any_pair[BOOL] if structure_only else semiring.lor_land
    if direction == "auto" and not change_direction:
        direction = "push"
    reuse_mask = operand_reuse if masking and direction != "push" else False
    by: dict[str, Any] = {"direction": direction, "policy": policy, "early_exit": early_exit, "reuse_mask": reuse_mask}
    if policy == "switchpoint":
        by["push_strategy"] = "push.sort"  # as the paper's pushes, also where they are all there is
    levels = Vector(level_type(A), A.nrows)
    for depth in loop(frontier, limit):
        # levels<frontier> = depth
        levels(frontier.S) << depth
        if masking:
            # frontier<!levels> = frontier A, or in a pull levels A
            frontier(~levels.S, replace=True, **by) << step(frontier @ A)
        else:  # visited vertices take part in the product: what masking saves can be measured
            # frontier = frontier A
            frontier(**by) << step(frontier @ A)
            # frontier<!levels> = frontier
            frontier(~levels.S, replace=True) << frontier
    return levels
