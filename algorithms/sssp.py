"""Shortest paths from one vertex: Bellman-Ford, delta-stepping, and ``sssp``, which selects one of them.

Returns the distance of every reachable vertex: INT64 for integer weights whose sums fit, otherwise FP64.
Method: distances are relaxed with the (min, +) semiring. Bellman-Ford relaxes the edges of all vertices that became
nearer. Delta-stepping does so in buckets of width delta; light and heavy edges are treated alike. By default the first
buckets are narrower than the shortest edge of a vertex is long, so that hubs, which have most edges, are relaxed once
or twice. Later buckets are wider: hubs are settled or paths are long, and each bucket has few vertices, so that the
number of steps costs more than corrections. An engine may have a kernel for this.
Invariant: a distance is the length of some path, never less than the shortest. All edges that could reduce a distance
start at waiting vertices.
Cost: O(m) per step, at most n steps of Bellman-Ford; delta-stepping O(n + m) expected for random lengths.
References: R. Bellman, On a routing problem, 1958; U. Meyer, P. Sanders, Delta-stepping, J. Algorithms 2003;
U. Sridhar et al., Delta-stepping SSSP: from vertices and edges to GraphBLAS implementations, GABB 2019.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, Literal, NamedTuple, overload

from .. import Graph, Matrix, Scalar, Vector, binary, loop, ss
from ..exceptions import InvalidValue
from ..io import NodeValues
from ..plan.search_rules import bucket_widths
from .bfs import bfs, bfs_parents
from .changed_paths import repaired
from .checks import check_source, graph_algorithm, with_labels
from .labels import Values, called, shown, vertex_by_label
from .preparing import Start, check_weights, relax, settle_in_buckets, sum_type

EXACT = 2**53  # sums of integers in floats are exact up to here
WIDEST = 2**62  # the largest width of a bucket: integer distances are below it


def distance_type(A: Matrix) -> type:
    """int for integer weights, if the length of the longest path fits, otherwise float."""
    return sum_type(A, A.nrows)


@graph_algorithm
def bellman_ford(A: Matrix, source: int) -> Vector:
    """Distances from a vertex; ``A[i, j]`` is the length of the edge from i to j and may be negative.

    A cycle of negative length that the source can reach raises InvalidValue.

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

    A bucket of width ``delta`` is settled at a time. The default width is a quarter of the mean length over the mean
    degree, after eight buckets the mean length, and after eight more sixteen times as much.

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
    return lowered(A, distances, default_widths(A)) if delta is None else by_buckets(A, distances, [(delta, None)])


def distances_from(A: Matrix, start: Vector, widths: list[tuple[float, int | None]]) -> Vector:
    """Distances from the nearest vertex where ``start`` has an entry, by buckets of these widths.

    >>> A = Matrix.from_coo([0, 2], [1, 3], [4, 5], nrows=4, ncols=4)
    >>> distances_from(A, Vector.from_coo([0, 2], True, size=4), default_widths(A)).to_dict()
    {0: 0, 1: 4, 2: 0, 3: 5}
    """
    # distances<start> = 0
    return lowered(A, binary.second(start, 0).new(distance_type(A)), widths)


def lowered(A: Matrix, distances: Vector, widths: list[tuple[float, int | None]]) -> Vector:
    """Distances from the vertices where ``distances`` are 0: by the engine's kernel, or by buckets of these widths."""
    found = A.shortest_distances(distances)
    return by_buckets(A, distances, widths) if found is None else found[0]


def by_buckets(A: Matrix, distances: Vector, widths: list[tuple[float, int | None]]) -> Vector:
    """The same by operations.

    >>> A = Matrix.from_coo([0], [1], [4], nrows=2, ncols=2)
    >>> by_buckets(A, Vector.from_coo([0], [0], size=2), [(9, None)]).to_dict()
    {0: 0, 1: 4}
    """
    waiting = distances.dup()
    for width, most in widths:
        if waiting.nvals:
            settle_in_buckets(A, distances, waiting, Scalar.from_value(min(width, WIDEST), dtype=distances.dtype), most)
    return distances


def default_widths(A: Matrix) -> list[tuple[float, int | None]]:
    """Widths of buckets, and the number of buckets of each width; at least 1 for integers."""
    widths = bucket_widths(A.mean_value(), A.nrows, A.nvals)
    return [(max(1, int(width)), most) for width, most in widths] if distance_type(A) is int else widths


class ShortestPaths(NamedTuple, Generic[Values]):
    """Distances from a vertex, and the predecessor of each vertex on a shortest path; the source is its own."""

    distances: Values
    predecessors: Values


def paths_by_label(graph: Graph, result: Vector | ShortestPaths[Vector]) -> NodeValues | ShortestPaths[NodeValues]:
    if isinstance(result, Vector):
        return graph.to_dict(result)
    return ShortestPaths(graph.to_dict(result.distances), vertex_by_label(graph, result.predecessors))


@overload
def sssp(
    A: Matrix, source: int, *, predecessors: Literal[False] = ..., start: Start = ..., changed: Matrix | None = ...
) -> Vector: ...
@overload
def sssp(
    A: Matrix, source: int, *, predecessors: Literal[True], start: Start = ..., changed: Matrix | None = ...
) -> ShortestPaths[Vector]: ...
@overload
def sssp(
    A: Graph, source: Hashable, *, predecessors: Literal[False] = ..., start: Start = ..., changed: Matrix | None = ...
) -> NodeValues: ...
@overload
def sssp(
    A: Graph, source: Hashable, *, predecessors: Literal[True], start: Start = ..., changed: Matrix | None = ...
) -> ShortestPaths[NodeValues]: ...
@overload
def sssp(
    A: Matrix | Graph, source: Hashable, *, predecessors: bool, start: Start = ..., changed: Matrix | None = ...
) -> Vector | NodeValues | ShortestPaths[Vector] | ShortestPaths[NodeValues]: ...
@with_labels(paths_by_label)
def sssp(
    A: Matrix, source: int, *, predecessors: bool = False, start: Start = None, changed: Matrix | None = None
) -> Vector | ShortestPaths[Vector]:
    """Distances from a vertex, by the algorithm that suits the lengths ``A[i, j]``.

    Lengths that differ and are not negative use delta-stepping: Bellman-Ford would correct many distances, those of
    hubs many times. Lengths that are all the same integer use a breadth-first search. With ``predecessors`` the result
    is a named tuple of the distances and of the predecessor of each vertex on a shortest path with the fewest edges; of
    several predecessors, the lowest.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    predecessors : bool
        Whether to return the predecessors, too.
    start : Vector or dict, optional
        The distances before edges were inserted or became shorter.
    changed : Matrix, optional
        The change, ``A`` minus the Matrix before: with ``start``, only shorter paths are searched.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN or infinite, a path can go along a cycle of negative length, or ``changed`` has a removed or
        longer edge.
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
    if start is not None or changed is not None:
        distances = repaired(A, check_source(A, source), start, changed, distance_type(A))
        return ShortestPaths(distances, shortest_path_tree(A, source, distances)) if predecessors else distances
    low, high, _ = A.value_range() if A.nvals else (0, 0, True)
    if 0 < low == high and (distance_type(A) is int or (float(high).is_integer() and high * A.nrows < EXACT)):
        # distances = length * levels
        distances = binary.times(bfs(A, source), int(high)).new(distance_type(A))
    else:
        distances = delta_stepping(A, source) if 0 <= low < high else bellman_ford(A, source)
    return ShortestPaths(distances, shortest_path_tree(A, source, distances)) if predecessors else distances


def shortest_path_tree(A: Matrix, source: int, distances: Vector) -> Vector:
    """The predecessor of every reached vertex on a shortest path.

    It searches along the edges of shortest paths, because edges of length 0 may form cycles.
    """
    return bfs_parents(shortest_path_edges(A, distances), source, reproducible=True)


def shortest_path_edges(A: Matrix, distances: Vector, *, weighted: bool = True) -> Matrix:
    """The edges that lie on shortest paths, from the distances of a source.

    >>> from grblas_gpu import Matrix
    >>> A = Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2])
    >>> shortest_path_edges(A, sssp(A, 0)).to_dicts()
    {0: {2: True}, 2: {1: True}}
    """
    ranges = A.row_ranges()
    if len(ranges) == 1:
        return _edges_from(A, distances, distances, weighted)
    parts = ((A[low:high, :].new(), distances[low:high].new()) for low, high in ranges)
    return ss.concat([[_edges_from(part, near, distances, weighted)] for part, near in parts])


def _edges_from(A: Matrix, here: Vector, there: Vector, weighted: bool) -> Matrix:
    lengths = A if weighted else binary.pair(A, 1).new(there.dtype)
    # edges = those with here_i + length_ij = there_j
    return lengths.matching(here, binary.plus[there.dtype], there).pattern()
