"""Validation of a breadth-first search tree: the five checks of Graph500, distributed over all ranks.

1. Following parents leads to the source: there is no cycle. 2. A vertex is one level below its parent. 3. The ends of
every edge are at most one level apart. 4. An edge has both ends in the tree or none: the tree spans the component of
the source. 5. A vertex and its parent are joined by an edge of the graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import binary
from ..api.matrix import Matrix
from ..api.vector import Vector
from ..backends.mpi.routing import answer
from .construction import DistMatrix, DistVector

CHECKS = (
    "parents lead to the source, without a cycle",
    "levels of a vertex and its parent differ by one",
    "levels of the ends of an edge differ by at most one",
    "the tree spans the component of the source",
    "tree edges are edges of the graph",
)


class Validation(NamedTuple):
    """The numbers of vertices or edges that fail each of the five checks, and the size of the tree.

    >>> from grblas_gpu.distributed import DistMatrix, hybrid_bfs, validate_tree
    >>> A = DistMatrix.kronecker(5)
    >>> result = validate_tree(A, 3, hybrid_bfs(A, 3))
    >>> result.ok, result.failed
    (True, (0, 0, 0, 0, 0))
    """

    failed: tuple[int, ...]
    vertices: int
    edges: int  # undirected edges with both ends in the tree
    depth: int

    @property
    def ok(self) -> bool:
        return not any(self.failed)

    def __str__(self) -> str:
        wrong = [f"{what}: violated by {count}" for what, count in zip(CHECKS, self.failed, strict=True) if count]
        return "; ".join(wrong) or f"a tree of {self.vertices} vertices, {self.depth} levels deep"


def validate_tree(A: Matrix, source: int, parents: Vector) -> Validation:
    """Check a tree of a search on an undirected graph; both are on backend "mpi".

    Parameters
    ----------
    A : Matrix
        On backend "mpi".
    source : int
        The vertex to start from.
    parents : Vector
        The parent of each reached vertex; the source is its own parent.

    Examples
    --------
    >>> from grblas_gpu.distributed import DistMatrix, DistVector, validate_tree
    >>> A = DistMatrix.from_parts([0, 1], [1, 2], nrows=3, ncols=3, undirected=True)
    >>> print(validate_tree(A, 0, DistVector.from_parts([0, 1, 2], [0, 0, 0], size=3)))
    tree edges are edges of the graph: violated by 1
    """
    if not isinstance(A, DistMatrix) or not isinstance(parents, DistVector):
        raise TypeError("validate_tree: expected a Matrix and a Vector on backend 'mpi'; use .to('mpi')")
    return _Checks(A, source, parents).run()


class _Checks:
    def __init__(self, A: Matrix, source: int, parents: Vector) -> None:
        self.engine = A._engine
        self.grid = self.engine.grid
        self.graph, self.store = A, A._store
        self.source = source
        self.line = self.grid.line(A.nrows)
        self.low, self.high = self.line.chunk(self.grid.rank)
        keys, _, values = self.engine.local.tuples(parents._store.part)
        self.parents = np.full(self.high - self.low, -1, np.int64)
        self.parents[keys] = values
        self.vertices = np.arange(self.low, self.high, dtype=np.int64)

    def run(self) -> Validation:
        levels, lost = self._levels()
        in_tree = levels >= 0
        children = in_tree & (self.vertices != self.source)
        above = self._ask(levels, self.parents[children])
        wrong_level = int((levels[children] != above + 1).sum())
        steep, leaving, inside = self._edges(levels)
        here = [lost, wrong_level, steep, leaving, int((self.parents >= 0).sum()), inside]
        counts = self.grid.everyone.add_up(here)
        depth = int(self.grid.everyone.gather_small(np.array([levels.max(initial=-1)], np.int64)).max())
        # Both directions of an edge are entries.
        failed = (counts[0], counts[1], counts[2] // 2, -(-counts[3] // 2), self._missing(children))
        return Validation(failed, counts[4], counts[5] // 2, depth + 1)

    def _ask(self, here: np.ndarray, vertices: np.ndarray) -> np.ndarray:
        """The values of these vertices, from the ranks that own them; -1 for invalid vertices."""
        real = (vertices >= 0) & (vertices < self.line.size)
        safe = np.where(real, vertices, 0)
        found = answer(self.grid.everyone, self.line.owner(safe), safe, lambda vertices: here[vertices - self.low])
        return np.where(real, found, -1)

    def _levels(self) -> tuple[np.ndarray, int]:
        """The level of every vertex in the tree by following parents, and the number that never reach the source."""
        levels = np.full(len(self.parents), -1, np.int64)
        at_source = self.vertices == self.source
        levels[at_source & (self.parents == self.source)] = 0
        left = (self.parents >= 0) & (levels < 0)
        while True:
            places = np.flatnonzero(left)
            found = self._ask(levels, self.parents[places])
            placed = found >= 0
            levels[places[placed]] = found[placed] + 1
            left[places[placed]] = False
            if self.grid.everyone.add_up([int(placed.sum())])[0] == 0:
                break
        wrong = int(left.sum()) + int((at_source & (self.parents != self.source)).sum())
        return levels, wrong

    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows and columns of the entries of this rank's block, on the host; kept for the next tree."""
        if "entries" not in self.store.kept:
            rows, cols, _ = self.engine.local.tuples(self.store.part)
            self.store.kept["entries"] = rows, cols
        return self.store.kept["entries"]

    def _edges(self, levels: np.ndarray) -> tuple[int, int, int]:
        """The numbers of entries in this rank's block that skip a level, leave the tree, and lie in it."""
        rows, cols = self._entries()
        row_levels = self.grid.row.gather_arrays(levels, self.engine.row_lengths(self.store.nrows))
        col_levels = self.grid.column.gather_arrays(levels, self.engine.column_lengths(self.store.ncols))
        upper, lower = row_levels[rows], col_levels[cols]
        both = (upper >= 0) & (lower >= 0)
        steep = both & (np.abs(upper - lower) > 1)
        leaving = (upper >= 0) != (lower >= 0)
        return int(steep.sum()), int(leaving.sum()), int(both.sum())

    def _missing(self, children: np.ndarray) -> int:
        """The number of tree edges, over all ranks, that are not entries of the graph."""
        tails, heads = self.parents[children], self.vertices[children]
        real = (tails >= 0) & (tails < self.line.size)
        shape = {"nrows": self.line.size, "ncols": self.line.size, "backend": self.engine.name}
        tree = DistMatrix.from_parts(tails[real], heads[real], **shape)
        # missing = |tree| - |tree and A|
        return tree.nvals - binary.pair(tree & self.graph).new().nvals
