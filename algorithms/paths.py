"""The shortest path from one vertex to another.

Returns its length and its vertices. Method: search in buckets (sssp.py) until the distance of the target is final. In
the part of the graph within this distance, an edge is on a shortest path if it explains a distance; follow such edges
from the target to the source, or with lengths of 0, which may form cycles, a tree of them. With negative lengths the
part is the whole graph. Invariant: distances up to the
last bucket are final. Cost: that of the buckets and of the tree, and O(edges of the path).
Reference: R. Ahuja, T. Magnanti, J. Orlin, Network Flows, 1993, section 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import INT64, Graph, Matrix, Scalar, Vector, io, select, semiring
from ..exceptions import NoValue
from ..plan.search_rules import copies_tree
from .bfs import bfs_parents
from .checks import check_source, with_labels
from .labels import called, labels_of, shown
from .preparing import check_weights, settle_in_buckets
from .sssp import WIDEST, default_widths, distance_type, shortest_path_edges, shortest_path_tree, sssp


class Path(NamedTuple):
    """A path: its length, and its vertices from the first to the last."""

    length: float
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
        check_weights(A, "shortest_path", negative=True)
        negative = A.nvals and A.value_range().min < 0
        found = (sssp(A, source), None) if negative else search_up_to(A, source, target)
        return path_among(A, found[0], source, target, found[1])
    tree = bfs_parents(A, source, reproducible=True)
    if tree.get(target) is None:
        raise no_path(source, target)
    vertices = followed(tree, source, target)
    return Path(len(vertices) - 1, vertices)


def path_among(A: Matrix, distances: Vector, source: int, target: int, tree: Vector | None = None) -> Path:
    """The path in the part of the graph where there are ``distances``, which has all vertices of shortest paths.

    A ``tree`` has the lowest predecessors, and leads to the source unless edges of length 0 make cycles.
    """
    length, least = distances.get(target), A.value_range().min
    if length is None:
        raise no_path(source, target)
    ascending = least is not None and least > 0 and length + least > length
    if ascending and tree is not None:
        return Path(length, followed(tree, source, target))
    vertices = np.sort(io.to_array(io.to_vectors(distances)[0]))
    first, last = np.searchsorted(vertices, np.asarray([source, target], like=vertices)).tolist()
    # part = A(vertices, vertices)
    part, near = A[vertices, vertices].new(), distances[vertices].new()
    if ascending:
        # tree_j = the lowest i of an edge on a shortest path, which comes from a smaller distance
        tree = semiring.min_secondi(near @ shortest_path_edges(part, near)).new()
    else:
        tree = shortest_path_tree(part, first, near)
    return Path(length, vertices[np.asarray(followed(tree, first, last), like=vertices)].tolist())


def no_path(source: int, target: int) -> NoValue:
    return NoValue(f"{called('shortest_path')}no path leads from {shown(source)} to {shown(target)}")


def followed(tree: Vector, source: int, target: int) -> list[int]:
    """The vertices from the source of a tree to another one.

    >>> followed(Vector.from_dense([0, 0, 1]), 0, 2)
    [0, 1, 2]
    """
    path, before = [target], tree.get
    while path[-1] != source:
        if copies_tree(len(path)):
            before = tree.to_dense(-1).__getitem__
        path.append(int(before(path[-1])))
    return path[::-1]


def distances_up_to(A: Matrix, source: int, target: int) -> Vector:
    """The distances of all vertices that are no farther than the target, or of all reached ones if it is not.

    >>> distances_up_to(Matrix.from_coo([0, 1, 2], [1, 2, 0], [4, 2, 1]), 1, 2).to_dict()
    {1: 0, 2: 2}
    """
    return search_up_to(A, source, target)[0]


def search_up_to(A: Matrix, source: int, target: int) -> tuple[Vector, Vector | None]:
    """The same, and the lowest predecessor of each vertex if the engine's kernel finds them."""
    distances = Vector.from_coo([source], [0], distance_type(A), size=A.nrows)
    if (found := A.shortest_distances(distances, target)) is not None:
        return found
    waiting, goal = distances.dup(), Vector.from_coo([target], [True], size=A.nrows)
    best = Scalar.from_value(2 * WIDEST - 1 if distances.dtype == INT64 else float("inf"), distances.dtype)
    for width, most in default_widths(A):
        if waiting.nvals:
            settle_in_buckets(
                A, distances, waiting, Scalar.from_value(min(width, WIDEST), best.dtype), most, goal, best
            )
    return select.valuele(distances, best).new(), None
