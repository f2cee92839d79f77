"""Betweenness centrality: how many shortest paths between other vertices go through each vertex.

Returns an FP64 Vector. Method: Brandes' algorithm in linear algebra. Forward, a breadth-first search counts the
shortest paths sigma from a source. Backward, level by level, each vertex passes on the dependency delta of its
successors to its predecessors, in proportion to sigma. The paper counts in 32-bit integers; sigma is FP64 here, as
delta is: exact up to 2**53, and never wrong by more than a rounding. For vectors both stages are recorded programs
(dependencies.py), with scaled counts; where not even these fit into floats, and in matrices, counts are logarithms
(arithmetic.py). Several sources at once are rows of matrices, or stand side by side in vectors (batches.py).
Invariant: before backward step d, ``delta`` holds 1 + the dependency of the source on every vertex at distance >= d.
Cost: O(n + m) per source; a single one needs six vectors of words and the vertices by level, within 7 n + m words
(twice the vectors where a loop runs as a whole: what changes has a second buffer).
References: O. Artiles, F. Saeed, TurboBC: a memory efficient and scalable GPU based betweenness centrality algorithm in
the language of linear algebra, ICPP Workshops 2021; U. Brandes, A faster algorithm for betweenness centrality, 2001.
"""

from __future__ import annotations

from typing import Any

from .. import BOOL, FP64, INT32, Matrix, Vector, binary, loop
from ..progress import progress
from .arithmetic import Arithmetic, with_counts_that_fit
from .batches import Searches, of_all_rows
from .checks import Sources, check_sources, graph_algorithm
from .dependencies import centralities, dependencies_of
from .preparing import vertices_at
from .weighted_betweenness import check_lengths, weighted_dependencies


@graph_algorithm
def betweenness_centrality(
    A: Matrix,
    sources: Sources | None = None,
    *,
    weighted: bool = False,
    normalized: bool = True,
    endpoints: bool = False,
    directed: bool | None = None,
    batch: int | None = None,
) -> Vector:
    """The betweenness centrality of every vertex; ``A[i, j]`` is the edge from i to j, and its length if ``weighted``.

    ``sources`` None counts the paths from all vertices: exact. One source or several (a list, range or array, or a
    Vector with an entry at each): the paths from these, so the results for the parts of a partition of the vertices add
    up to the exact one. ``normalized`` and ``endpoints`` are networkx's; ``directed`` None means directed unless A is
    symmetric (undirected paths are counted once, not twice). ``batch`` sources are worked on at a time. Lengths must be
    positive; with lengths one source is worked on at a time.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    normalized : bool
        Whether results are scaled, as networkx does it.
    endpoints : bool
        Whether ends of a path count as on it.
    directed : bool, optional
        Whether each pair counts once for each direction; found out by default.
    batch : int, optional
        How many sources at a time; more take more memory.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        A vertex is not one of the graph.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import betweenness_centrality
    >>> betweenness_centrality(generators.path(4), normalized=False).to_dict()
    {0: 0.0, 1: 2.0, 2: 2.0, 3: 0.0}
    """
    chosen = list(dict.fromkeys(check_sources(A, range(A.nrows) if sources is None else sources)))
    if weighted:
        check_lengths(A, "betweenness_centrality")
    factor = scale(A, normalized, endpoints, directed)
    if len(chosen) == 1 and not (weighted or endpoints):
        found = centralities(A, Vector.from_coo(chosen, [1.0], size=A.nrows), factor)
        if found is not None:
            return found
    searches = Searches(A, chosen, 1 if weighted else batch)
    total = Vector(FP64, searches.graph.nrows)
    for some, start in progress(searches, "betweenness centrality"):
        if endpoints:
            delta = weighted_dependencies(A, some[0]) if weighted else dependencies(searches.graph, start)
            # total_s += reached_s - 2; with the 1 of delta, the source s is an end of reached_s - 1 paths
            total(binary.plus)[some] << binary.minus(searches.entries_of_each(delta, len(some)), 2).new()
        elif weighted:
            # delta = delta - 1
            delta = binary.minus(weighted_dependencies(A, some[0]), 1).new()
        else:
            delta = dependencies_alone(searches.graph, start, len(some))
        # total += sum_s delta_s
        total(binary.plus) << of_all_rows(delta)
    total = searches.of_all_copies(total)
    # total<!total> = 0
    total(~total.S) << 0.0
    # total = factor total
    total << binary.times(total, factor)
    return total


def scale(A: Matrix, normalized: bool, endpoints: bool, directed: bool | None) -> float:
    """By how much sums of dependencies are multiplied: 1 / the number of pairs, or 1/2 if each of them counts twice."""
    others = A.nrows if endpoints else A.nrows - 1
    if others < 2:
        return 1.0
    if normalized:
        return 1 / (others * (others - 1))
    return 1.0 if directed or (directed is None and not A.pattern().is_symmetric()) else 0.5


def dependencies(A: Matrix, start: Any) -> Any:
    """1 + the dependency of each source on each vertex that it reaches; ``start`` has a 1 at every source.

    A Matrix has a row for each source. In a Vector there must be no way from a source to another.

    >>> from grblas_gpu import Vector, generators
    >>> dependencies(generators.path(4), Vector.from_coo([0], [1], size=4)).to_dict()
    {0: 1.0, 1: 3.0, 2: 2.0, 3: 1.0}
    """
    if start.ndim == 1:
        found = dependencies_of(A, start.dup(FP64))
        if found is not None:
            return found
    levels, sigma, deepest, numbers = with_counts_that_fit(forward, A, start)
    return numbers.numbers(backward(A, levels, sigma, deepest, numbers))


def dependencies_alone(A: Matrix, start: Any, sources: int) -> Any:
    """The same without the 1. Of several sources in a Vector both stages are one program, where its counts fit; its
    result is full, and a single source may reach little."""
    found = centralities(A, start.dup(FP64), 1.0) if start.ndim == 1 < sources else None
    if found is None:
        # delta = delta - 1
        found = binary.minus(dependencies(A, start), 1).new()
    return found


def forward(A: Matrix, frontier: Any, add: Any, **options: Any) -> tuple[Any, Any, int]:
    """Levels, path counts and the depth, from a frontier with a 1 at every source, which is used up.

    ``add`` is the semiring that adds up what the frontier has; options are the descriptor's.
    """
    sigma = frontier.dup()
    levels = type(frontier)(INT32, *frontier.shape)
    rounds = loop(frontier)
    for depth in rounds:
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!sigma> = frontier A: a path to a vertex goes on along each of its edges
        frontier(~sigma.S, replace=True, **options) << add(frontier @ A)
        # sigma<frontier> = frontier
        sigma(frontier.S) << frontier
    return levels, sigma, rounds.steps - 1


def backward(A: Matrix, levels: Any, sigma: Any, deepest: int, numbers: Arithmetic) -> Any:
    """1 + the dependencies, from the deepest level up to the sources' neighbours."""
    # delta<sigma> = 1
    delta = numbers.ones(sigma)
    at = vertices_at(levels, deepest)
    level, w = delta.dup(BOOL, clear=True), delta.dup(clear=True)
    for step in loop(delta, max(0, deepest - 1)):
        depth = deepest - step
        # level = the vertices at this depth
        level << at(depth)
        # w<level> = (1 + dependency) / sigma
        w(level.S, replace=True) << delta
        w << numbers.over(w & sigma)
        # level = the vertices above
        level << at(depth - 1)
        # w<level> = w A'
        w(level.S, replace=True) << numbers.sum(w @ A.T)
        # delta += w sigma
        delta(numbers.plus) << numbers.times(w & sigma)
    return delta
