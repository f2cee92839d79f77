"""Betweenness centrality with lengths: the dependencies of one source, which betweenness_centrality adds up.

Returns an FP64 Vector. Method: the edges T on shortest paths from a source have no cycles, so that sums over all walks
along T are finite: sigma = s + s T + s T T ... counts the paths to each vertex, and z = y + T y + T T y ..., with
y = 1 / sigma, is (1 + dependency) / sigma.
Invariant: after step k the sums have all walks of at most k edges. Cost: that of the distances, and O(n + m) per step;
the number of steps is at most the number of edges of a shortest path.
Reference: U. Brandes, On variants of shortest-path betweenness centrality and their generic computation, 2008.
"""

from __future__ import annotations

from .. import FP64, Matrix, Vector, binary, loop, semiring, unary
from ..exceptions import InvalidValue
from .labels import called
from .preparing import check_weights
from .sssp import default_widths, distances_from, shortest_path_edges


def weighted_dependencies(A: Matrix, start: Vector) -> Vector:
    """1 + the dependency of each source, where ``start`` has a 1, on each vertex that it reaches by positive lengths.

    There must be no path from one source to another.

    >>> A = Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2])
    >>> weighted_dependencies(A, Vector.from_coo([0], [1], size=3)).to_dict()
    {0: 1.0, 1: 1.0, 2: 2.0}
    """
    tight = shortest_path_edges(A, distances_from(A, start, default_widths(A)))
    sigma, z = count_and_depend(tight, start)
    # 1 + dependency = sigma z, and 1 at the source, which is on no path between other vertices
    dependency = binary.times(sigma & z).new()
    dependency(start.S) << 1.0
    return dependency


def count_and_depend(tight: Matrix, start: Vector) -> tuple[Vector, Vector]:
    """The number of paths sigma from the start to each vertex, and (1 + dependency) / sigma."""
    walks = start.dup(FP64)
    sigma = walks.dup()
    for _ in loop(walks, tight.nrows):
        # walks = walks T
        walks << semiring.plus_first[FP64](walks @ tight)
        # sigma += walks
        sigma(binary.plus) << walks
    if walks.nvals:  # edges whose length is lost in rounding form a cycle
        raise InvalidValue(f"{called()}float sums round some edge lengths away; use integer lengths")
    # y = 1 / sigma
    y = unary.minv(sigma).new()
    z = y.dup()
    for _ in loop(y):
        # y = T y
        y << semiring.plus_second[FP64](tight @ y)
        # z += y
        z(binary.plus) << y
    return sigma, z


def check_lengths(A: Matrix, what: str, weighted: bool) -> None:
    """Check that lengths are positive: lengths of 0 allow cycles, and so infinitely many shortest paths."""
    check_weights(A, what, weighted=weighted)
    if weighted and A.nvals and A.value_range().min <= 0:
        raise InvalidValue(f"{called(what)}lengths must be positive; A has a 0")
