"""The base of the distributed engine's classes: the grid, the local engine, and stores made of local ones."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..protocol import Backend
from ..stores.formats import choose_format
from ..stores.storage import MaskView, MatrixStore, VectorStore
from .grid import Grid
from .partition import Block
from .stores import Counts, DistMatrixStore, DistVectorStore

Array = Any  # numpy.ndarray or cupy.ndarray
Store = Any  # DistVectorStore | DistMatrixStore


class Parts(Backend):
    """Every rank computes on its parts with ``local``, an engine of this library."""

    grid: Grid
    local: Backend
    counts: Counts
    exchanges: dict[Any, Any]

    # Methods that one class of the engine uses of another.
    gather: Any
    gathered: Any
    check_gatherable: Any
    global_entries: Any
    owner_of: Any
    block: Any
    block_part: Any
    cut: Any
    export: Any
    degrees: Any
    mine: Any

    def vector(self, size: int, part: VectorStore) -> DistVectorStore:
        """A distributed vector with this chunk on this rank."""
        return DistVectorStore(self, size, choose_format(self.local, part))

    def matrix(self, nrows: int, ncols: int, part: MatrixStore) -> DistMatrixStore:
        """A distributed matrix with this block on this rank."""
        return DistMatrixStore(self, nrows, ncols, choose_format(self.local, part))

    def like(self, x: Store, part: Any) -> Store:
        """A store of the same shape as ``x``."""
        if type(x) is DistMatrixStore:
            return self.matrix(x.nrows, x.ncols, part)
        return self.vector(x.size, part)

    def view(self, mask: MaskView | None) -> MaskView | None:
        """A mask as the local engine sees it."""
        if mask is None:
            return None
        store: Any = mask.store
        return MaskView(store.part, mask.structure, mask.complement)

    def chunk(self, size: int) -> tuple[int, int]:
        """The indices of a vector that this rank owns."""
        return self.grid.line(size).chunk(self.grid.rank)

    def blocks(self, x: DistMatrixStore) -> tuple[Block, Block]:
        """The rows and columns of a matrix that this rank has."""
        return self.grid.rows_of(x.nrows), self.grid.columns_of(x.ncols)

    def row_lengths(self, size: int) -> list[int]:
        """The chunks of the ranks in this grid row: together the rows of the block."""
        line, across = self.grid.line(size), self.grid.shape[1]
        return [_length(line.chunk(self.grid.i * across + j)) for j in range(across)]

    def column_lengths(self, size: int) -> list[int]:
        """The chunks of the ranks in this grid column: together the columns of the block."""
        return [_length(piece) for piece in self.grid.line(size).column_pieces(self.grid.j)]


def _length(bounds: tuple[int, int]) -> int:
    return bounds[1] - bounds[0]


def reads(op: Any, *names: str) -> bool:
    """Whether an operator reads any of these arguments (x, y, i, j); True if that is unknown.

    >>> from grblas_gpu import binary
    >>> reads(binary.pair[int], "x"), reads(binary.first[int], "x")
    (False, True)
    """
    if op.source is None:
        return True
    return any(re.search(rf"\b{name}\b", op.source) for name in names)


def as_scalar(value: Any, dtype: np.dtype) -> Any:
    """A NumPy scalar of this type."""
    return np.asarray(value, dtype)[()]
