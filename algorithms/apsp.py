"""All-pairs shortest paths: the distance between any two vertices, and from some vertices to all.

Returns a Matrix of distances, without an entry where there is no path, of sssp.py's type.
Method: Bellman-Ford from all sources at once, a row each; the frontier holds the distances that became smaller. Small
graphs use dense products: the distances of each half of the vertices, then those through the other half. The n x n
distances must fit in memory. Invariant: that of sssp.py. Cost: O(n m) per step, at most n steps, mostly few; O(n^3).
References: J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra, SIAM 2011, chapter 5;
A. Aho, J. Hopcroft, J. Ullman, The Design and Analysis of Computer Algorithms, 1974, section 5.9 (dense products).
"""

from __future__ import annotations

from .. import FP64, Matrix, binary, loop, select, semiring
from ..exceptions import InvalidValue
from ..foundation.progress import elapsed
from ..plan.search_rules import TILE, is_small
from .bfs import bfs_multi
from .checks import Sources, check_sources, graph_algorithm
from .preparing import check_weights, relax
from .sssp import EXACT, distance_type


@graph_algorithm
def apsp(A: Matrix, *, weighted: bool = True) -> Matrix:
    """The distance from every vertex (row) to every vertex (column); ``A[i, j]`` is the length of an edge.

    Lengths may be negative; a cycle of negative length raises InvalidValue. Without ``weighted`` every edge counts 1.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN or infinite, or a path can go along a cycle of negative length.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import apsp
    >>> apsp(Matrix.from_coo([0, 1], [1, 2], [4, -2], nrows=3, ncols=3)).to_dicts()
    {0: {0: 0, 1: 4, 2: 2}, 1: {1: 0, 2: -2}, 2: {2: 0}}
    """
    if weighted and is_small(A.nrows, A.nvals):
        check_weights(A, "apsp", negative=True)
        low, high, _ = A.value_range()
        if low >= 0 and (distance_type(A) is float or high * A.nrows < EXACT):
            return in_tiles(A)
    return distances_from(A, range(A.nrows), weighted=weighted)


def in_tiles(A: Matrix) -> Matrix:
    """All distances by dense products; integers are exact as floats.

    >>> in_tiles(Matrix.from_coo([0, 1], [1, 2], [4, 3], nrows=3, ncols=3)).to_dicts()
    {0: {0: 0, 1: 4, 2: 7}, 1: {1: 0, 2: 3}, 2: {2: 0}}
    """
    D = Matrix.from_scalar(float("inf"), *A.shape)
    # D = A, infinite elsewhere; D_ii = 0
    D(binary.min) << A.dup(FP64)
    D.setdiag(0.0)
    return select.valuelt(closed(D), float("inf")).new(distance_type(A))


def closed(D: Matrix) -> Matrix:
    """The distances for a full matrix of lengths."""
    n, near = D.nrows, semiring.min_plus[FP64]
    if n <= TILE:
        for _ in range(n.bit_length()):
            # D = D min.+ D, for paths of twice as many edges
            D = near(D @ D).new()
        return D
    first, last = slice(0, n // 2), slice(n // 2, n)
    # P = distances among the first half; out, back: distances from it, and to it
    P = closed(D[first, first].new())
    out, back = near(P @ D[first, last].new()).new(), near(D[last, first].new() @ P).new()
    # Q = distances among the last half, also through the first one
    Q = closed(binary.min(D[last, last].new() & near(back @ out).new()).new())
    out, back = near(out @ Q).new(), near(Q @ back).new()
    found = D.dup()
    found[first, first] << binary.min(P & near(out @ back).new()).new()
    found[first, last] << out
    found[last, first] << back
    found[last, last] << Q
    return found


@graph_algorithm
def distances_from(A: Matrix, sources: Sources, *, weighted: bool = True) -> Matrix:
    """Row k holds the distances from ``sources[k]`` to all vertices.

    >>> from grblas_gpu import Matrix
    >>> distances_from(Matrix.from_coo([0, 1], [1, 2], [4, 3], nrows=3, ncols=3), [1, 0]).to_dicts()
    {0: {1: 0, 2: 3}, 1: {0: 0, 1: 4, 2: 7}}
    """
    sources = check_sources(A, sources)
    if not weighted:
        return bfs_multi(A, sources)
    check_weights(A, "apsp", negative=True)
    k, n = len(sources), A.nrows
    distances = Matrix.from_coo(range(k), sources, [0] * k, distance_type(A), nrows=k, ncols=n)
    frontier = distances.dup()
    with elapsed("all shortest paths"):
        for _ in loop(frontier, n):
            # distances = min(distances, frontier min.+ A)
            relax(distances, frontier, A)
    if frontier.nvals:
        raise InvalidValue("apsp: the graph has a cycle of negative length, so some distances have no lower bound")
    return distances
