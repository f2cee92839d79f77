"""Distances or levels after edges were inserted or became shorter: old ones are relaxed from the changed edges.

Theorem: old distances are lengths of paths that still exist, at most as long as before. They are final if no edge
relaxes them, and only a changed edge can be the first that does. So relaxation that begins with the edges of changed
vertices, and goes on with those of vertices that became nearer, ends with the distances of the graph now.
Cost: O(n) and the edges of changed vertices, and of those that become nearer as often as they do.
"""

from __future__ import annotations

from .. import BOOL, Matrix, Vector, loop, select
from ..exceptions import InvalidValue
from ..foundation.types import DTypeLike
from .changes import old_values, with_shorter_paths
from .checks import vertex_set
from .labels import called, shown
from .preparing import Start, relax


def repaired(
    A: Matrix, source: int, start: Start, changed: Matrix | None, dtype: DTypeLike, max_depth: int | None = None
) -> Vector:
    """The distances from a vertex, or its levels for a Matrix of booleans; ``start`` has those before the change.

    >>> A = Matrix.from_coo([0, 1, 0], [1, 2, 2], [4, 4, 5], nrows=3, ncols=3)
    >>> repaired(A, 0, {0: 0, 1: 4, 2: 8}, Matrix.from_coo([0], [2], 5, nrows=3, ncols=3), int).to_dict()
    {0: 0, 1: 4, 2: 5}
    """
    distances = old_values(start, A).dup(dtype)
    if distances.get(source) != 0:
        raise InvalidValue(f"{called()}start has distances from another vertex: that of {shown(source)} is not 0")
    frontier = distances.dup()
    if changed is not None:
        nearer = with_shorter_paths(A, changed, weighted=A.dtype != BOOL)
        frontier(vertex_set(nearer, A.nrows).S, replace=True) << frontier
    for _ in loop(frontier, A.nrows):
        # distances = min(distances, frontier min.+ A)
        relax(distances, frontier, A)
    if frontier.nvals:
        raise InvalidValue(f"{called()}a cycle of negative length is reachable from {shown(source)}")
    return distances if max_depth is None else select.valuele(distances, max_depth).new()
