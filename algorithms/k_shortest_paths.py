"""The k shortest paths without loops from one vertex to another.

Returns a list of paths with their lengths, in order. Method: every further path leaves a known one at some vertex. For
each of its vertices, search on without the edges that known paths with the same beginning take there, and without the
beginning itself; the shortest of all candidates is next. Invariant: the list has the shortest paths so far.
Cost: a search of shortest paths for each vertex of each path.
Reference: J. Yen, Finding the k shortest loopless paths in a network, Management Science 1971.
"""

from __future__ import annotations

from heapq import heappop, heappush

from .. import Graph, Matrix, Vector
from ..exceptions import NoValue
from .checks import check_source, with_labels
from .paths import Path, path_with_labels, shortest_path


def paths_with_labels(graph: Graph, paths: list[Path]) -> list[Path]:
    return [path_with_labels(graph, path) for path in paths]


@with_labels(paths_with_labels)
def k_shortest_paths(A: Matrix, source: int, target: int, k: int, *, weighted: bool = True) -> list[Path]:
    """Up to k shortest paths from ``source`` to ``target`` without repeated vertices, by increasing length.

    Of paths of the same length, the order is that of their vertices. If there is no path, the list is empty.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    target : int
        The vertex to reach; the label with a Graph.
    k : int
        The most paths to find.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.

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
    >>> from grblas_gpu.algorithms import k_shortest_paths
    >>> k_shortest_paths(Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2], nrows=3, ncols=3), 0, 1, 2)
    [Path(length=3, vertices=[0, 2, 1]), Path(length=4, vertices=[0, 1])]
    """
    source, target = check_source(A, source), check_source(A, target, "target")
    found: list[Path] = []
    candidates: list[Path] = []
    seen = set()

    def search(graph: Matrix, beginning: list[int], length: float) -> None:
        try:
            rest = shortest_path(graph, beginning[-1], target, weighted=weighted)
        except NoValue:
            return
        vertices = beginning[:-1] + rest.vertices
        if tuple(vertices) not in seen:
            seen.add(tuple(vertices))
            heappush(candidates, Path(length + rest.length, vertices))

    if k > 0:
        search(A, [source], 0)
    while candidates and len(found) < k:
        found.append(heappop(candidates))
        vertices, length, left = found[-1].vertices, 0, A.dup()
        for place, spur in enumerate(vertices[:-1] if len(found) < k else []):
            # without the edges from here that known paths with this beginning take
            beginning = vertices[: place + 1]
            for path in found:
                if path.vertices[: place + 1] == beginning and len(path.vertices) > place + 1:
                    del left[spur, path.vertices[place + 1]]
            search(left, beginning, length)
            # without the vertex itself, and on to the next one
            length += A.get(spur, vertices[place + 1]) if weighted else 1
            left[spur, :] << Vector(A.dtype, A.nrows)
            left[:, spur] << Vector(A.dtype, A.nrows)
    return found
