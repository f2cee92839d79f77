"""Betweenness centrality: how many shortest paths between other vertices go through each vertex.

Returns an FP64 Vector. Method: Brandes' algorithm in linear algebra. Forward, a breadth-first search counts the
shortest paths sigma from a source. Backward, level by level, each vertex passes on the dependency delta of its
successors to its predecessors, in proportion to sigma. The paper counts in 32-bit integers; sigma and delta are FP64
here: exact up to 2**53, then rounded. For vectors both stages are recorded programs with scaled counts
(dependencies.py). Matrices, and vectors whose scaled counts exceed floats, use logarithms of counts (arithmetic.py).
Several sources at once are rows of a matrix, or side by side in a vector (batches.py).
Invariant: before backward step d, ``delta`` holds 1 + the dependency of the source on every vertex at distance >= d.
Cost: O(n + m) per source. One source needs six vectors of words and the vertices by level, within 7 n + m words. A
fused loop needs twice the vectors: changing vectors are double-buffered; on a GPU one vector contains its flags.
References: O. Artiles, F. Saeed, TurboBC: a memory efficient and scalable GPU based betweenness centrality algorithm in
the language of linear algebra, ICPP Workshops 2021; U. Brandes, A faster algorithm for betweenness centrality, 2001.
"""

from __future__ import annotations

from functools import partial

from .. import BOOL, FP64, INT32, Matrix, Scalar, Vector, binary, loop
from ..operators.call_types import SemiringCall
from .arithmetic import Arithmetic, with_counts_that_fit
from .batches import Searches
from .checks import Sources, check_sources, graph_algorithm
from .dependencies import dependencies_of, scaled
from .preparing import Values, vertices_at
from .weighted_betweenness import check_lengths, weighted_dependencies

TITLE = "betweenness centrality"


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

    Without ``sources`` the result is exact: it counts the paths from all vertices. With one source or several (a list,
    range or array, or a Vector with an entry at each), it counts the paths from these; the results for a partition of
    the vertices add up to the exact one. ``normalized`` and ``endpoints`` are as in networkx. With
    ``directed`` False each path counts once instead of once in each direction; a Graph knows, a Matrix is directed.
    ``batch`` sources are searched at a time. Lengths must be positive.

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
        Whether results are scaled as in networkx.
    endpoints : bool
        Whether a path counts at both of its ends, too.
    directed : bool, optional
        Whether each pair counts once for each direction. By default it does, unless A is an undirected Graph.
    batch : int, optional
        The number of sources at a time; more sources take more memory.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import betweenness_centrality
    >>> betweenness_centrality(generators.path(4), normalized=False).to_dict()
    {0: 0.0, 1: 4.0, 2: 4.0, 3: 0.0}
    >>> betweenness_centrality(generators.path(4), normalized=False, directed=False).to_dict()
    {0: 0.0, 1: 2.0, 2: 2.0, 3: 0.0}
    """
    chosen = list(dict.fromkeys(check_sources(A, range(A.nrows) if sources is None else sources)))
    check_lengths(A, "betweenness_centrality", weighted)
    searches = Searches(A, chosen, batch, lengths=weighted)
    factor = scale(A, normalized, endpoints, directed)
    if searches.in_a_vector and not (weighted or endpoints):
        # total = sum_s factor delta_s
        return searches.sum_of(partial(dependencies, factor=factor), TITLE)

    def delta(graph: Matrix, start: Values) -> Values:
        found = weighted_dependencies(graph, start) if weighted else dependencies(graph, start)
        # delta = delta - 1, unless a vertex counts as the end of a path
        return found if endpoints else binary.minus(found, 1).new()

    # total = sum_s delta_s, plus reached_s - 2 at s: with the 1 of delta, s is an end of reached_s - 1 paths
    total = searches.sum_of(delta, TITLE, own=-2 if endpoints else None)
    # total<!total> = 0
    total(~total.S) << 0.0
    # total = factor total
    total << binary.times(total, factor)
    return total


def scale(A: Matrix, normalized: bool, endpoints: bool, directed: bool | None) -> float:
    """The factor for sums of dependencies: 1 / the number of pairs, or 1/2 if each pair counts twice."""
    others = A.nrows if endpoints else A.nrows - 1
    if others < 2:
        return 1.0
    if normalized:
        return 1 / (others * (others - 1))
    return 0.5 if directed is False else 1.0


def dependencies(A: Matrix, start: Values, factor: float | None = None) -> Values:
    """1 + the dependency of each source on each vertex that it reaches. With a ``factor``, the factor times the
    dependency, 0 at other vertices. ``start`` has a 1.0 at every source; the call overwrites it.

    A Matrix has a row for each source. In a Vector there must be no path from one source to another.

    >>> from grblas_gpu import Vector, generators
    >>> dependencies(generators.path(4), Vector.from_coo([0], [1.0], size=4)).to_dict()
    {0: 1.0, 1: 3.0, 2: 2.0, 3: 1.0}
    >>> dependencies(generators.path(4), Vector.from_coo([0], [1.0], size=4), factor=0.5).to_dict()
    {0: 0.0, 1: 1.0, 2: 0.5, 3: 0.0}
    """
    if start.ndim == 1:
        found = dependencies_of(A, start, factor)
        if found is not None:
            return found
    levels, sigma, deepest, numbers = with_counts_that_fit(forward, A, start)
    delta = numbers.numbers(backward(A, levels, sigma, deepest, numbers))
    return delta if factor is None else scaled(delta, Scalar.from_value(factor, FP64))


def forward(A: Matrix, frontier: Values, add: SemiringCall, **options: str) -> tuple[Values, Values, int]:
    """Levels, path counts and the depth, from a frontier with a 1 at every source; the search overwrites the frontier.

    ``add`` is the semiring that adds up the counts of the frontier; options are those of the descriptor.
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


def backward(A: Matrix, levels: Values, sigma: Values, deepest: int, numbers: Arithmetic) -> Values:
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
