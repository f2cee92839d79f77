"""Two matrices entry by entry: unions, intersections and the output step, as a merge of their rows."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Kernels, Store, TypedOperator, Value
from ...stores.entries import cast
from ...stores.storage import INDEX, INT32_LIMIT, MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import Operator, specialized
from ..runtime.counters import EDGES
from ..runtime.launch import BLOCK
from ..runtime.workspace import word
from .mxm_operands import MatrixMask
from .selecting import offsets_workspace

UNION, INTERSECTION, WRITE = 0, 1, 2  # as in kernels/merge_matrices.cu
TILE, ROWS_OF_A_STEP = 2048, 4  # as in kernels/merge_matrices.cu
PLANES = {UNION: 3, INTERSECTION: 2, WRITE: 4}  # bits of every entry of both, as in kernels/merge_matrices.cu
TOGETHER = 6  # blocks that merge and count, for which a processor has room
_KERNELS = ("find_splits_kernel", "count_merged_kernel", "fill_merged_kernel")
_BOOL = np.dtype(bool)
#: What is new takes the place of what was there.
_SECOND = "DEVICE Right op(Left, Right y, int64, int64, int64, int64) { return y; }"


def worthwhile(*stores: Store) -> bool:
    """Whether these are matrices that the kernels number the columns of by 32 bits."""
    first = stores[0]
    return type(first) is MatrixStore and max(first.nrows, first.ncols) <= INT32_LIMIT


def same_structure(x: MatrixStore, y: MatrixStore) -> bool:
    """Whether two matrices share their index arrays."""
    return x.indptr is y.indptr and x.once.indices is y.once.indices


def merge(
    x: MatrixStore,
    y: MatrixStore,
    op: TypedOperator | None,
    kind: int,
    dtype: np.dtype,
    defaults: tuple[Value, Value] | None = None,
    mask: MatrixMask | None = None,
    replace: bool = False,
) -> MatrixStore:
    """``op`` where both have an entry (None: that of ``y``), and what the kind says elsewhere."""
    mask = MatrixMask() if mask is None else mask
    entries = x.nvals + y.nvals
    offset = np.dtype(np.int32 if entries <= INT32_LIMIT else INDEX)
    if entries == 0:
        return MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, cupy.empty(0, dtype))

    positional = op is not None and op.positional is not None

    def kernels(iso: bool) -> Kernels:
        given = {
            **_operand("X", x),
            **_operand("Y", y),
            "Out": dtype,
            "OutOffset": offset,
            "KIND": kind,
            "DEFAULTS": defaults is not None,
            "ACCUM": op is not None,
            "REPLACE": replace,
            "OUT_ISO": iso,
            "POSITIONAL": positional,
        }
        operator = Operator(op, "op", _SECOND, (_BOOL, y.values.dtype))
        return specialized("merge_matrices.cu", _KERNELS, given, operator, mask)

    left, right = (0, 0) if defaults is None else defaults
    given = (
        *(array.data.ptr for m in (x, y) for array in (m.indptr, m.indices, m.values)),
        x.nrows,
        entries,
        0 if op is None else word(cast(np.asarray(left).reshape(1), op.type.np_type)[0]),
        0 if op is None else word(cast(np.asarray(right).reshape(1), op.type2.np_type)[0]),
        *mask.addresses,
    )
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    tiles = -(-(entries + x.nrows // ROWS_OF_A_STEP) // TILE)
    splits = scratch.values("splits", np.dtype(INDEX), 3 * (tiles + 1)).data.ptr
    offsets, done = offsets_workspace(scratch, tiles), scratch.flags("counted", 8).data.ptr
    find_splits, count, _ = kernels(False)
    arrays = (x.indptr.data.ptr, x.indices.data.ptr, y.indptr.data.ptr, y.indices.data.ptr)
    scratch.launch(find_splits, tiles + 1, (*arrays, x.nrows, entries, splits), BLOCK // 32)
    marks = cupy.empty(tiles * PLANES[kind] * TILE // 32, np.uint32)
    scratch.launch(count, tiles, (*given, splits, marks.data.ptr, offsets, done, slots.host), 1, per_processor=TOGETHER)
    kept = slots.read()  # synchronizes: memory must be sized
    iso = kept > 0 and not positional and defaults is None and slots.read(EDGES) == 1
    indptr, indices = cupy.empty(x.nrows + 1, offset), cupy.empty(kept, x.indices.dtype)
    values = cupy.empty(1 if iso else kept, dtype)
    outputs = (splits, marks.data.ptr, offsets, indptr.data.ptr, indices.data.ptr, values.data.ptr)
    scratch.launch(kernels(iso)[2], tiles, (*given, *outputs), 1)
    return MatrixStore(x.nrows, x.ncols, indptr, indices, values)


def _operand(name: str, m: MatrixStore) -> dict[str, np.dtype | bool]:
    types = {name: m.values.dtype, f"{name}Offset": m.indptr.dtype, f"{name}Column": m.indices.dtype}
    return types | {f"{name}_ISO": m.iso}
