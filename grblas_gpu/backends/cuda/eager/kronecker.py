"""Kronecker products of matrices, and the edges of Kronecker graphs, which one kernel makes."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Recipe, TypedOperator
from ...stores.entries import cast, compress
from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import Operator, functions, specialized
from ..runtime.launch import BLOCK, launch
from .operating import compute
from .rows import chunks_of

EDGES = 4  # as in kernels/kronecker.cu
_KERNELS = ("kronecker_offsets_kernel", "kronecker_entries_kernel")


def kronecker_product(a: MatrixStore, b: MatrixStore, op: TypedOperator) -> MatrixStore:
    """``t[i * b.nrows + k, j * b.ncols + l] = op(a[i, j], b[k, l])``; both have entries.

    How many entries there are is known before: one launch makes the offsets, another one the entries.
    """
    nrows, ncols, entries = a.nrows * b.nrows, a.ncols * b.ncols, a.nvals * b.nvals
    dtype, column = op.return_type.np_type, np.dtype(column_type(ncols))
    offset = np.dtype(np.int32 if entries <= INT32_LIMIT else INDEX)
    iso = a.iso and b.iso and op.positional is None
    narrow = max(nrows, entries) <= INT32_LIMIT
    given = {
        "AOffset": a.indptr.dtype,
        "AColumn": a.indices.dtype,
        "A": a.values.dtype,
        "BOffset": b.indptr.dtype,
        "BColumn": b.indices.dtype,
        "B": b.values.dtype,
        "Offset": offset,
        "Column": column,
        "Value": dtype,
        "A_ISO": a.iso,
        "B_ISO": b.iso,
        "OUT_ISO": iso,
        "NARROW": narrow,
    }
    list_offsets, fill = specialized("kronecker_product.cu", _KERNELS, given, Operator(op, "multiply", ""))
    offsets, indices = cupy.empty(nrows + 1, offset), cupy.empty(entries, column)
    if iso:
        values = compute(op, cast(a.values, op.type.np_type), cast(b.values, op.type2.np_type))
        values = compress(cast(values, dtype))
    else:
        values = cupy.empty(entries, dtype)
    scratch = scratch_arrays.current()
    shape = (a.indptr.data.ptr, b.indptr.data.ptr, a.nrows, b.nrows, offsets.data.ptr)
    scratch.launch(list_offsets, nrows + 1, shape)
    factors = (matrix.data.ptr for each in (a, b) for matrix in (each.indptr, each.indices, each.values))
    outputs = (offsets.data.ptr, nrows, entries, indices.data.ptr, values.data.ptr)
    scratch.launch(fill, chunks_of(entries), (*factors, b.nrows, b.ncols, *outputs), BLOCK // 32)
    return MatrixStore(nrows, ncols, offsets, indices, values)


def kronecker_keys(recipe: Recipe, low: int, high: int, keys: Array) -> int:
    """What the function of this name in generators/kronecker_graphs.py does, in another order."""
    (make,) = functions("kronecker.cu", None, ["kronecker_keys_kernel"])
    streams = cupy.asarray(np.array(recipe.streams, np.uint64))
    slots = scratch_arrays.current().slots()
    made = (recipe.scale, recipe.edges, streams, *map(int, recipe.limits), recipe.permutation)
    wanted = (low, high, int(recipe.bits), keys, len(keys), slots.address)
    launch(make, recipe.edges, (*made, *wanted), per_block=EDGES * BLOCK)
    return slots.counter().read()  # synchronizes
