"""A*: the shortest path to a vertex, with lower bounds of the distances that are left.

Returns the length of the path and its vertices, as paths.py does. Method: the key of a vertex is its distance plus the
bound of what is left from there. In each round the vertices with the lowest keys relax their edges; vertices whose key
is no less than the length of a path found so far never do. Invariant: distances are lengths of paths; every vertex with
a distance that its edges do not know of yet is waiting. Bounds need not be consistent: distances are corrected.
Cost: O(edges of vertices whose key is less than the length of the path, and waiting vertices per round).
Reference: P. Hart, N. Nilsson, B. Raphael, A formal basis for the heuristic determination of minimum cost paths, 1968.
"""

from __future__ import annotations

import numpy as np

from .. import INT64, Matrix, Scalar, Vector, binary, loop, monoid, program, select, unary
from ..exceptions import DimensionMismatch, InvalidValue
from .checks import check_source, with_labels
from .labels import vertex_weights
from .paths import Path, path_among, path_with_labels
from .preparing import VertexValues, by_vertex, check_weights, largest, relax
from .sssp import WIDEST, default_widths, distance_type


@with_labels(path_with_labels, heuristic=vertex_weights)
def astar(A: Matrix, source: int, target: int, heuristic: VertexValues) -> Path:
    """A shortest path from ``source`` to ``target``: its length, and its vertices in order, both ends included.

    If there is no path, the call raises NoValue.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    target : int
        The vertex to reach; the label with a Graph.
    heuristic : Vector, array or dict
        For each vertex a number that is not above the distance from there to the target, 0 where missing; or an array
        with a row of coordinates for each vertex, if no edge is shorter than the straight line.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square, or the heuristic has another size.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN, infinite or negative, or a number of the heuristic is not finite.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import astar
    >>> astar(Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2]), 0, 1, heuristic=[3, 0, 2])
    Path(length=3, vertices=[0, 2, 1])
    """
    source, target = check_source(A, source), check_source(A, target, "target")
    check_weights(A, "astar")
    distances = Vector.from_coo([source], [0], distance_type(A), size=A.nrows)
    most = Scalar.from_value(2 * WIDEST - 1 if distances.dtype == INT64 else float("inf"), distances.dtype)
    width = Scalar.from_value(min(default_widths(A)[-1][0], WIDEST), distances.dtype)
    goal = Vector.from_coo([target], [True], size=A.nrows)
    search(A, distances, distances.dup(), bounds(heuristic, A.nrows, target, distances), width, goal, most)
    return path_among(A, select.valuele(distances, most).new(), source, target)


def bounds(heuristic: VertexValues, n: int, target: int, distances: Vector) -> Vector:
    """Lower bounds of all distances to the target, in the type of distances.

    >>> bounds([[0, 0], [3, 4]], 2, 0, Vector(int, 2)).to_dense().tolist()
    [0, 5]
    """
    if not isinstance(heuristic, (Vector, dict)) and (points := np.asarray(heuristic)).ndim == 2:
        if len(points) != n:
            raise DimensionMismatch(f"heuristic has coordinates of {len(points)} vertices, the graph {n}")
        heuristic = np.linalg.norm(points - points[target], axis=1)
    ahead = Vector.from_scalar(0.0, n)
    # ahead = max(0, heuristic)
    ahead(binary.max) << unary.identity(by_vertex(heuristic, n, "heuristic").dup(float))
    if not largest(ahead) < float("inf"):
        raise InvalidValue("astar: numbers of the heuristic must be finite")
    return unary.floor(ahead).new(int) if distances.dtype == INT64 else ahead


@program
def search(
    A: Matrix, distances: Vector, waiting: Vector, ahead: Vector, width: Scalar, goal: Vector, best: Scalar
) -> None:
    """Distances of the vertices that paths to the ``goal`` may lead through; ``best`` gets that of the goal."""
    bucket, limit = distances.dup(clear=True), Scalar(distances.dtype)
    for _ in loop(waiting):
        # keys = waiting + ahead; bucket = the waiting vertices with keys within width of the lowest
        keys = binary.plus(waiting & ahead).new()
        limit << keys.reduce(monoid.min)
        limit << binary.plus(limit & width)
        keys << select.valuele(keys, limit)
        bucket(keys.S, replace=True) << waiting
        waiting(~keys.S, replace=True) << waiting
        # distances = min(distances, bucket min.+ A); waiting = those and the smaller distances
        relax(distances, bucket, A)
        waiting(bucket.S) << bucket
        # best = the distance of the goal; waiting = those with keys below it
        best(binary.min) << binary.first(distances & goal).new().reduce(monoid.min)
        keys << binary.plus(waiting & ahead)
        keys << select.valuelt(keys, best)
        waiting(keys.S, replace=True) << waiting
