"""Dense matrices of flags and values in the form that products read: by rows of either side, and 64 flags to a word."""

from __future__ import annotations

import numpy as np

from ..forms.dense_products import Side, Words, width_of
from ..stores.storage import Array, MatrixStore
from . import pool, spmm_source as text
from .compile import Kernel
from .parallel import PARALLEL_WORK, even_chunks
from .tier import KernelTable

FEW = 4096  # positions that NumPy transposes faster than a kernel call

_table = KernelTable()
_nothing = np.zeros(0, bool)


def words_of(side: Side) -> Words:
    """Where a matrix in any form has entries."""
    store = side.store
    if store.dense is None:
        return scatter(store, side.turned, side.valued)
    flags = side.flags
    if flags is None:
        lines, columns = side.shape
        return Words(np.full(lines * width_of(columns), 2**64 - 1, np.uint64), lines, columns)
    return pack(flags, store.nrows, store.ncols, side.turned)


def pack(flags: Array, nrows: int, ncols: int, turned: bool) -> Words:
    """The flags of a matrix of this shape; those of its transpose if it is to be ``turned``."""
    lines, columns = (ncols, nrows) if turned else (nrows, ncols)
    width = width_of(columns)
    words = np.empty(lines * width, np.uint64)
    kernel = _kernel("PACK_COLUMNS" if turned else "PACK_ROWS")
    pool.launch(kernel, _parts(lines, len(flags)), flags, nrows, ncols, width, words)
    return Words(words, lines, columns)


def unpack(packed: Words, turned: bool) -> tuple[Array, int]:
    """The flags, of the transpose if it is to be ``turned``; and how many are set."""
    lines, columns = packed.nrows, packed.columns
    if not turned:
        bits = packed.words.view(np.uint8).reshape(lines, packed.width * 8)
        flags = np.unpackbits(bits, axis=1, count=columns, bitorder="little").view(bool).reshape(-1)
        return flags, int(np.count_nonzero(flags))
    flags = np.empty(columns * lines, bool)
    given = (packed.words, columns, lines, packed.width, flags)
    return flags, sum(pool.launch(_kernel("UNPACK_COLUMNS"), _parts(lines, len(flags)), *given))


def scatter(a: MatrixStore, turned: bool, valued: bool = False) -> Words:
    """The entries of a sparse matrix; those that are not 0 if it is ``valued``."""
    lines, columns = (a.ncols, a.nrows) if turned else (a.nrows, a.ncols)
    width = width_of(columns)
    words = np.zeros(lines * width, np.uint64)
    flags = np.broadcast_to(a.values != 0, a.nvals).copy() if valued else _nothing
    _kernel("SCATTER")(a.indptr, a.indices, flags, turned, width, words)
    return Words(words, lines, columns)


def turn(values: Array, nrows: int, ncols: int) -> Array:
    """The transpose of a dense matrix by rows; one value for all stays that."""
    if len(values) != nrows * ncols or min(nrows, ncols) == 1:
        return values
    if len(values) <= FEW:
        return values.reshape(nrows, ncols).T.reshape(-1)
    out = np.empty(nrows * ncols, values.dtype)
    kernel = _kernel("TRANSPOSE")
    pool.launch(kernel, _parts(ncols, len(values)), values, nrows, ncols, out)
    return out


def _kernel(name: str) -> Kernel:
    return _table.also(name, 0, lambda: (getattr(text, name), {}))


def _parts(lines: int, work: int) -> list[tuple[int, int]]:
    return even_chunks(lines) if work > PARALLEL_WORK else [(0, lines)]
