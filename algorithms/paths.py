"""The shortest path from one vertex to another.

Returns its length and its vertices. Method: compute the tree of all shortest paths from the source (sssp.py, bfs.py),
then follow the parents from the target to the source. Cost: that of the tree, and O(edges of the path).
Reference: R. Ahuja, T. Magnanti, J. Orlin, Network Flows, 1993, section 4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import Graph, Matrix
from ..exceptions import NoValue
from .bfs import bfs_parents
from .checks import check_source, with_labels
from .labels import labels_of, shown
from .sssp import sssp

SHORT = 32  # vertices of a path: up to here, single reads cost less than a copy of the whole tree


class Path(NamedTuple):
    """A path: its length, and its vertices from the first to the last."""

    length: Any
    vertices: list


def path_with_labels(graph: Graph, path: Path) -> Path:
    return Path(path.length, labels_of(graph, path.vertices))


@with_labels(path_with_labels)
def shortest_path(A: Matrix, source: int, target: int, *, weighted: bool = True) -> Path:
    """A shortest path from ``source`` to ``target``: its length, and its vertices in order, both ends included.

    ``A[i, j]`` is the length of the edge from i to j, or 1 without ``weighted``. Of several shortest paths, the result
    is the one with the lowest numbers, compared from its end. If there is no path, the call raises NoValue.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    target : int
        The vertex to reach; the label with a Graph.
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
    >>> from grblas_gpu.algorithms import shortest_path
    >>> shortest_path(Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2]), 0, 1)
    Path(length=3, vertices=[0, 2, 1])
    """
    source, target = check_source(A, source), check_source(A, target, "target")
    if weighted:
        distances, tree = sssp(A, source, predecessors=True)
    else:
        tree = bfs_parents(A, source, reproducible=True)
    if tree.get(target) is None:
        raise NoValue(f"shortest_path: no path leads from {shown(source)} to {shown(target)}")
    vertices, before = [target], tree.get
    while vertices[-1] != source:
        if len(vertices) == SHORT:  # copy the whole tree at once
            before = tree.to_dense(-1).__getitem__
        vertices.append(int(before(vertices[-1])))
    return Path(distances.get(target) if weighted else len(vertices) - 1, vertices[::-1])
