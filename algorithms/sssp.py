"""Shortest paths from one vertex: Bellman-Ford, delta-stepping, and ``sssp``, which chooses.

Returns the distance of every vertex that can be reached, INT64 for integer weights, unless sums of them might not fit,
and FP64 otherwise.
Method: distances are relaxed with the (min, +) semiring, Bellman-Ford's from all vertices that became nearer, those of
delta-stepping in buckets of width delta; light and heavy edges are not told apart. By default the first buckets are as
wide as the shortest edges of a vertex are long, so that hubs, which have most of all edges, leave their bucket once or
twice. Later ones are wider: hubs are behind, or paths are long, and few vertices are in each, so that steps count for
more than corrections.
Invariant: a distance is the length of some path, never less than the shortest; and edges that could make one smaller
start at the vertices still waiting.
Cost: O(m) per step, at most n steps of Bellman-Ford; delta-stepping O(n + m) expected for random lengths.
References: R. Bellman, On a routing problem, 1958; U. Meyer, P. Sanders, Delta-stepping, J. Algorithms 2003;
U. Sridhar et al., Delta-stepping SSSP: from vertices and edges to GraphBLAS implementations, GABB 2019.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import Graph, Matrix, Scalar, Vector, binary, loop, select
from ..exceptions import InvalidValue
from .bfs import bfs, bfs_parents
from .checks import check_source, graph_algorithm, with_labels
from .labels import called, shown, vertex_by_label
from .preparing import check_weights, sum_type
from .relaxing import relax, settle_in_buckets

NEAREST = 3  # times as long as the shortest edge of a vertex is the first buckets' width: the least time on all graphs
LATER, LAST = 32, 16  # later buckets in widths of the first ones, and the widest ones in mean lengths
FIRST_ONES, LATER_ONES = 8, 32  # how many buckets
EXACT = 2**53  # sums of floats that are integers are, up to here
WIDEST = 2**62  # of a bucket: distances are integers below that, or floats


def distance_type(A: Matrix) -> type:
    """Sums of integers stay integers, if those along the longest path do not get too large for them."""
    return sum_type(A, A.nrows)


@graph_algorithm
def bellman_ford(A: Matrix, source: int) -> Vector:
    """Distances from a vertex; ``A[i, j]`` is the length of the edge from i to j and may be negative.

    A cycle of negative length that the source can reach is an InvalidValue.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN or infinite, or a path can go along a cycle of negative length.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import bellman_ford
    >>> A = Matrix.from_coo([0, 0, 1], [1, 2, 2], [4, 3, -2], nrows=4, ncols=4)
    >>> bellman_ford(A, 0).to_dict()
    {0: 0, 1: 4, 2: 2}
    """
    check_weights(A, "bellman_ford", negative=True)
    distances = Vector.from_coo([check_source(A, source)], [0], distance_type(A), size=A.nrows)
    frontier = distances.dup()
    for _ in loop(frontier, A.nrows):
        # distances = min(distances, frontier min.+ A)
        relax(distances, frontier, A)
    if frontier.nvals:
        raise InvalidValue(f"{called()}a cycle of negative length is reachable from {shown(source)}")
    return distances


@graph_algorithm
def delta_stepping(A: Matrix, source: int, delta: float | None = None) -> Vector:
    """Distances from a vertex; ``A[i, j]`` is the length of the edge from i to j, zero or more.

    Vertices within ``delta`` of each other are settled together; by default three times the mean length over the mean
    degree, after eight buckets 32 times as much, and at most sixteen mean lengths.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    delta : float, optional
        The width of a bucket.

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
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import delta_stepping
    >>> A = Matrix.from_coo([0, 0, 2], [1, 2, 1], [4.0, 1.5, 2.0], nrows=4, ncols=4)
    >>> delta_stepping(A, 0, delta=2).to_dict()
    {0: 0.0, 1: 3.5, 2: 1.5}
    """
    check_weights(A, "delta_stepping")
    if delta is not None and not 0 < delta < float("inf"):
        raise InvalidValue(f"delta_stepping: delta must be a positive number; got {delta}")
    distances = Vector.from_coo([check_source(A, source)], [0], distance_type(A), size=A.nrows)
    waiting = distances.dup()
    for width, most in default_widths(A) if delta is None else [(delta, None)]:
        if waiting.nvals:
            settle_in_buckets(A, distances, waiting, Scalar.from_value(min(width, WIDEST), dtype=distances.dtype), most)
    return distances


def default_widths(A: Matrix) -> list[tuple[float, int | None]]:
    """Widths of buckets, and how many have each; at least 1 for integers."""
    # shortest = mean_ij A_ij / degree: of edges with random lengths
    shortest = A.mean_value() * A.nrows / max(A.nvals, 1)
    wide = LAST * A.mean_value() or 1.0
    narrow, later = (min(times * NEAREST * shortest, wide) or 1.0 for times in (1, LATER))
    widths = [(narrow, FIRST_ONES), (later, LATER_ONES), (wide, None)]
    return [(max(1, int(width)), most) for width, most in widths] if distance_type(A) is int else widths


class ShortestPaths(NamedTuple):
    """Distances from a vertex, and the vertex before each on a shortest path to it, the source before itself."""

    distances: Vector
    predecessors: Vector


def paths_by_label(graph: Graph, result: Any) -> Any:
    if isinstance(result, Vector):
        return graph.to_dict(result)
    return ShortestPaths(graph.to_dict(result.distances), vertex_by_label(graph, result.predecessors))


@with_labels(paths_by_label)
def sssp(A: Matrix, source: int, *, predecessors: bool = False) -> Any:
    """Distances from a vertex, by the algorithm that suits the lengths ``A[i, j]``.

    Delta-stepping where no length is negative and they differ: Bellman-Ford would correct many distances, and those of
    hubs, many times. Where all are the same whole number, a breadth-first search. With ``predecessors`` a named tuple
    of the distances and of the vertex before each vertex on a shortest path to it: the lowest number of those with the
    fewest edges to go.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    predecessors : bool
        Whether to return them too.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN or infinite, or a path can go along a cycle of negative length.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import sssp
    >>> A = Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2])
    >>> sssp(A, 0).to_dict(), sssp(A, 0, predecessors=True).predecessors.to_dict()
    ({0: 0, 1: 3, 2: 1}, {0: 0, 1: 2, 2: 0})
    """
    check_weights(A, "sssp", negative=True)
    low, high, _ = A.value_range() if A.nvals else (0, 0, True)
    if 0 < low == high and (distance_type(A) is int or (float(high).is_integer() and high * A.nrows < EXACT)):
        # distances = length * levels
        distances = binary.times(bfs(A, source), int(high)).new(distance_type(A))
    else:
        distances = delta_stepping(A, source) if 0 <= low < high else bellman_ford(A, source)
    return ShortestPaths(distances, shortest_path_tree(A, source, distances)) if predecessors else distances


def shortest_path_tree(A: Matrix, source: int, distances: Vector) -> Vector:
    """For every vertex that is reached the one before it on a shortest path.

    A search along the edges that lie on shortest paths, because those of length 0 may form cycles.
    """
    return bfs_parents(shortest_path_edges(A, distances), source, reproducible=True)


def shortest_path_edges(A: Matrix, distances: Vector, *, weighted: bool = True) -> Matrix:
    """The edges that lie on shortest paths from the vertex that has these distances.

    >>> from grblas_gpu import Matrix
    >>> A = Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2])
    >>> shortest_path_edges(A, sssp(A, 0)).to_dicts()
    {0: {2: True}, 2: {1: True}}
    """
    lengths = A.dup(distances.dtype) if weighted else binary.pair(A, 1).new(distances.dtype)
    # reach_ij = distance_i + length_ij
    reach = binary.plus(distances & lengths).new()
    # edges = those with reach_ij = distance_j
    return select.valueeq(binary.eq(reach & distances).new(), True).new()
