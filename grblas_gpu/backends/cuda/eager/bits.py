"""Flags of dense matrices as words of 64 columns, and products of which only the pattern matters."""

from __future__ import annotations

import cupy
import numpy as np

from ...forms.dense_products import Allowed, Side, Words, width_of
from ...stores.storage import Array, MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import functions, specialized, tested
from ..runtime.counters import Counter
from ..runtime.launch import BLOCK
from .masks import address
from .mxv_product import index_types
from .rows import chunks_of

ROW_PART = 2048  # entries of a long row that a warp gets at a time
_WORD = np.dtype(np.uint64)
_PACK = ("pack_rows_kernel", "pack_columns_kernel", "unpack_rows_kernel", "unpack_columns_kernel", "count_flags_kernel")


def words_of(side: Side) -> Words:
    """Where a matrix in any form has entries."""
    store = side.store
    if store.dense is None:
        return scatter(store, side.turned, side.valued)
    flags = side.flags
    if flags is None:
        lines, columns = side.shape
        return Words(cupy.full(lines * width_of(columns), 2**64 - 1, _WORD), lines, columns)
    return pack(flags, store.nrows, store.ncols, side.turned)


def pack(flags: Array, nrows: int, ncols: int, turned: bool) -> Words:
    """The flags of a matrix of this shape; those of its transpose if it is to be ``turned``."""
    lines, columns = (ncols, nrows) if turned else (nrows, ncols)
    words = cupy.empty(lines * width_of(columns), _WORD)
    kernel = functions("pack_bits.cu", None, _PACK)[turned]
    given = (flags.data.ptr, nrows, ncols, width_of(columns), words.data.ptr)
    scratch_arrays.current().launch(kernel, len(words), given, BLOCK if turned else BLOCK // 32)
    return Words(words, lines, columns)


def unpack(packed: Words, turned: bool) -> tuple[Array, Counter]:
    """The flags, of the transpose if it is to be ``turned``; and how many are set."""
    nrows, ncols = (packed.columns, packed.nrows) if turned else (packed.nrows, packed.columns)
    flags = cupy.empty(nrows * ncols, bool)
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    kernel = functions("pack_bits.cu", None, _PACK)[2 + turned]
    given = (packed.words.data.ptr, nrows, ncols, packed.width, flags.data.ptr, slots.address, slots.host)
    scratch.launch(kernel, len(packed.words), given, BLOCK if turned else BLOCK // 32)
    return flags, slots.published()


def count(flags: Array) -> Counter:
    """How many are set."""
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    kernel = functions("pack_bits.cu", None, _PACK)[4]
    scratch.launch(kernel, -(-len(flags) // 32), (flags.data.ptr, len(flags), slots.address, slots.host))
    return slots.published()


def scatter(a: MatrixStore, turned: bool, valued: bool = False) -> Words:
    """The entries of a sparse matrix; those that are not 0 if it is ``valued``."""
    lines, columns = (a.ncols, a.nrows) if turned else (a.nrows, a.ncols)
    words = cupy.zeros(lines * width_of(columns), _WORD)
    stored = tested(a.values.dtype) if valued else _WORD  # else they are not read
    given = {**index_types(a), "Stored": stored, "TURNED": turned, "VALUED": valued, "ISO": a.iso}
    (kernel,) = specialized("scatter_bits.cu", ["scatter_bits_kernel"], given)
    if a.nvals:
        arrays = (a.indptr.data.ptr, a.indices.data.ptr, a.values.data.ptr)
        sizes = (a.nrows, a.nvals, width_of(columns), words.data.ptr)
        scratch_arrays.current().launch(kernel, chunks_of(a.nvals), (*arrays, *sizes), BLOCK // 32)
    return Words(words, lines, columns)


def unions(rows: MatrixStore, dense: Words, allowed: Allowed) -> Words:
    """Where ``rows`` times the dense matrix has an entry."""
    where, mask = allowed.where, mask_words(allowed)
    names = ("bits_rows_kernel", "bits_parts_kernel")
    first, parts = specialized("mxm_bits.cu", names, {**index_types(rows), "MASK": where, "ROW_PART": ROW_PART})
    nrows, columns, width = rows.nrows, dense.columns, dense.width
    out = cupy.empty(nrows * width, _WORD)
    capacity = 2 * (rows.nvals // ROW_PART + 1) * width
    scratch = scratch_arrays.current()
    queue = scratch.values("parts of rows", np.dtype(np.int64), 2 * capacity)
    slots = scratch.slots()
    matrix = (rows.indptr.data.ptr, rows.indices.data.ptr, dense.words.data.ptr, address(mask))
    lists = (queue.data.ptr, queue.data.ptr + 8 * capacity, slots.address)
    scratch.launch(first, -(-nrows // 32) * width, (*matrix, nrows, columns, width, out.data.ptr, *lists), BLOCK // 32)
    if rows.max_degree > ROW_PART:
        scratch.launch(parts, capacity, (*matrix, columns, width, out.data.ptr, *lists), BLOCK // 32)
    return Words(out, nrows, columns)


def mask_words(allowed: Allowed) -> Array | None:
    return None if allowed.side is None else words_of(allowed.side).words
