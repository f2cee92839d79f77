"""Rows of a matrix as an index wants them, or a factor that has at most one entry in each row."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import TypedSemiring
from ...stores.entries import cast, compress
from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import Operator, moved, specialized
from ..runtime.launch import BLOCK, TILES
from . import matrix_facts  # noqa: F401  what stores ask about matrices
from .masks import address
from .mxm_operands import MatrixMask
from .operating import compute
from .rows import chunks_of
from .selecting import inside

_KERNELS = ("sum_lengths_kernel", "list_offsets_kernel", "gather_entries_kernel")
_NEVER_CALLED = "DEVICE bool multiply(bool, bool, int64, int64, int64, int64) { return true; }"


def is_simple(a: MatrixStore, b: MatrixStore) -> bool:
    """Whether a product is the rows or columns of one factor, scaled. Only matrices with few entries are tested."""
    return (0 < a.nvals <= a.nrows and a.max_degree <= 1) or (0 < b.nvals == b.nrows == b.ncols and b.is_diagonal)


def scaled(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, mask: MatrixMask) -> MatrixStore:
    """``t[i, j] = mult(a[i, k], b[k, j])`` where there is one k at most for each entry."""
    if a.nvals <= a.nrows and a.max_degree <= 1:
        result = gathered(b, a, None, semiring, a.nrows)
    else:
        result = gathered(b, a, None, semiring, a.nrows, columns=True)
    return result if mask.store is None else inside(result, mask)


def gathered(
    b: MatrixStore,
    a: MatrixStore | None,
    index: Array | None,
    semiring: TypedSemiring | None,
    nrows: int,
    columns: bool = False,
    wide: bool = False,
) -> MatrixStore:
    """The rows of ``b`` (or with ``columns`` of ``a``), as the factor ``a``, or an index, wants them.

    ``wide``: offsets are known to take 64 bits; without it that is found, and all begins again.
    """
    whole = a if columns and a is not None else b  # whose rows and columns the result has
    factor = b if columns else a
    keeps = columns or (a is not None and a.nvals == a.nrows == a.ncols and a.is_diagonal)
    left = b if a is None else a
    op = None if semiring is None else semiring.binaryop
    dtype = b.values.dtype if semiring is None else semiring.return_type.np_type
    iso = left.iso and b.iso and (op is None or op.positional is None)
    stored = (left.values.dtype, b.values.dtype, dtype)
    types = stored if op is not None else tuple(map(moved, stored))
    offset = whole.indptr.dtype if keeps else np.dtype(INDEX if wide else np.int32)
    given = {
        "Offset": offset,
        "RowOffset": whole.indptr.dtype,
        "Column": whole.indices.dtype,
        "FactorOffset": np.dtype(INDEX) if factor is None else factor.indptr.dtype,
        "FactorColumn": np.dtype(INDEX) if factor is None else factor.indices.dtype,
        **dict(zip(("LeftStored", "RightStored", "Value"), types, strict=True)),
        "INDEXED": index is not None,
        "KEEPS": keeps,
        "COLUMNS": columns,
        "LEFT_ISO": left.iso,
        "RIGHT_ISO": b.iso,
        "OUT_ISO": iso,
        "MULTIPLIED": op is not None,
    }
    kernels = specialized("gather_rows.cu", _KERNELS, given, Operator(op, "multiply", _NEVER_CALLED))
    sum_lengths, list_offsets, gather = kernels
    scratch = scratch_arrays.current()
    pattern = (0, 0) if factor is None else (factor.indptr.data.ptr, factor.indices.data.ptr)
    walk = (address(index), *pattern)
    if keeps:
        offsets, indices, entries = whole.indptr, whole.indices, whole.nvals
    else:
        offsets, entries = cupy.empty(nrows + 1, offset) if nrows else cupy.zeros(1, offset), 0
        if nrows:
            sums, slots = scratch.tile_sums.data.ptr, scratch.slots()
            words = (*walk, b.indptr.data.ptr, nrows, sums)
            scratch.launch(sum_lengths, TILES, words, 1)
            scratch.launch(list_offsets, TILES, (*words, offsets.data.ptr, slots.host), 1)
            entries = slots.read()  # synchronizes: memory must be sized
        if entries > INT32_LIMIT and not wide:
            return gathered(b, a, index, semiring, nrows, columns, True)
        indices = cupy.empty(entries, whole.indices.dtype)
    count = min(1, entries) if iso else entries
    values = b.values[:count].copy() if op is None and iso else cupy.empty(count, dtype)
    if iso and op is not None and count:
        values = compute(op, cast(left.values, op.type.np_type), cast(b.values, op.type2.np_type))
        values = compress(cast(values, dtype))
    if entries and not (iso and keeps):
        operands = (left.values.data.ptr, b.values.data.ptr, whole.indptr.data.ptr, whole.indices.data.ptr)
        outputs = (offsets.data.ptr, nrows, entries, indices.data.ptr, values.data.ptr)
        scratch.launch(gather, chunks_of(entries), (*walk, *operands, *outputs), BLOCK // 32)
    return MatrixStore(nrows, b.ncols, offsets, indices, values)
