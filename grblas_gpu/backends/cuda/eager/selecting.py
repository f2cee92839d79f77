"""The entries of a matrix that an operator or a mask lets through: counted, then written."""

from __future__ import annotations

from collections.abc import Callable

import cupy
import numpy as np

from ....foundation.types import TypedOperator, Value
from ....plan.facts import uses
from ...stores.entries import cast
from ...stores.storage import INDEX, Array, MatrixStore, VectorStore
from ..runtime import records, workspace as scratch_arrays
from ..runtime.compile import Operator, binary, index_unary, moved, specialized
from ..runtime.launch import BLOCK
from ..runtime.workspace import Scratch, word
from .groups import spread_out
from .masks import address
from .mxm_operands import EVERYWHERE, MatrixMask
from .mxv_product import index_types
from .rows import MOST_CHUNKS, WINDOW, chunks_of

_KERNELS = ("count_entries_kernel", "fill_entries_kernel")
_BOOL = np.dtype(bool)


def select(a: MatrixStore, op: TypedOperator, thunk: Value) -> MatrixStore:
    """The entries for which ``op(x, i, j, thunk)`` is true."""
    return _kept(a, op, word(cast(np.asarray(thunk).reshape(1), op.type2.np_type)[0]), MatrixMask())


def apply_index(a: MatrixStore, op: TypedOperator, thunk: Value) -> MatrixStore:
    """``op(x, i, j, thunk)`` on every entry."""
    dtype, entries = op.return_type.np_type, a.nvals
    out = cupy.empty(entries, dtype)
    if entries:
        given = {**index_types(a), "Stored": a.values.dtype, "Out": dtype, "ISO": a.iso}
        (kernel,) = specialized("apply_index.cu", ["apply_index_kernel"], given, _operator(op))
        bits = word(cast(np.asarray(thunk).reshape(1), op.type2.np_type)[0])
        arrays = (a.indptr.data.ptr, a.indices.data.ptr, a.values.data.ptr)
        words = (*arrays, a.nrows, entries, bits, out.data.ptr)
        scratch_arrays.current().launch(kernel, chunks_of(entries), words, BLOCK // 32)
    return MatrixStore(a.nrows, a.ncols, a.indptr, a.indices, out)


def inside(a: MatrixStore, mask: MatrixMask) -> MatrixStore:
    """The entries that a mask lets through."""
    return _kept(a, None, 0, mask)


def renamed(a: MatrixStore, places: Array, ncols: int) -> MatrixStore:
    """The entries whose column j has a place that is not negative, in column ``places[j]``; their order stays."""
    result = _kept(a, None, 0, MatrixMask(), places)
    return MatrixStore(a.nrows, ncols, result.indptr, result.indices, result.values)


def flagged(a: MatrixStore, flags: Array) -> MatrixStore:
    """The entries whose flags are set; the matrix itself where all are."""
    return _kept(a, None, 0, MatrixMask(), flags=flags)


def matching(a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore) -> MatrixStore:
    """The entries with ``op(left_i, x) == right_j``."""
    return _kept(a, op, 0, MatrixMask(), ends=(left, right))


def offsets_workspace(scratch: Scratch, number: int) -> int:
    """Where chunks note how many entries they keep, and find where to write them."""
    return scratch.values("offsets of chunks", np.dtype(INDEX), number).data.ptr


def _kept(
    a: MatrixStore,
    op: TypedOperator | None,
    thunk: int,
    mask: MatrixMask,
    places: Array | None = None,
    flags: Array | None = None,
    ends: tuple[VectorStore, VectorStore] | None = None,
) -> MatrixStore:
    entries = a.nvals
    if entries == 0:
        return a.copy()
    stored, reads = a.values.dtype, op is not None and uses(op, "x" if ends is None else "y")
    if not reads:  # they are moved; one for all stays where it is
        stored = np.dtype(np.uint64) if a.iso else moved(stored)
    given = {
        **index_types(a),
        "Stored": stored,
        "SELECT": op is not None and ends is None,
        "USES_ROW": mask.where != EVERYWHERE or ends is not None or (op is not None and uses(op, "i")),
        "READS": reads,
        "RENAMED": places is not None,
        "FLAGGED": flags is not None,
        "MATCHING": ends is not None,
        "Near": _BOOL if ends is None else ends[0].dtype,
        "Far": _BOOL if ends is None else ends[1].dtype,
    }
    count, fill = specialized(
        "select_entries.cu", _KERNELS, given, _operator(op, index_unary if ends is None else _of_two), mask
    )
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    offsets, done = offsets_workspace(scratch, MOST_CHUNKS), scratch.flags("counted", 8).data.ptr
    arrays = (a.indptr.data.ptr, a.indices.data.ptr, a.values.data.ptr, int(not a.iso), a.nrows, entries, thunk)
    beside = [spread_out(x.values, x.size) for x in ends or ()]
    addresses = [address(x) for x in (*beside, *[x.present for x in ends or ()])] or [0] * 4
    words = (*arrays, address(places), address(flags), *addresses, *mask.addresses)
    bits = cupy.empty(-(-entries // 32) * 2, np.uint32)  # of entries that stay; then how many come before each word
    scratch.launch(count, chunks_of(entries), (*words, bits.data.ptr, offsets, done, slots.host), BLOCK // 32)
    kept = slots.read()  # synchronizes: memory must be sized
    if kept == entries and places is None:
        return a.copy() if flags is None else a
    indptr, indices = cupy.empty(a.nrows + 1, a.indptr.dtype), cupy.empty(kept, a.indices.dtype)
    values = a.values[: min(1, kept)].copy() if a.iso else records.empty(kept, a.values.dtype)
    outputs = (bits.data.ptr, offsets, kept, indptr.data.ptr, indices.data.ptr, address(values))
    warps = max(-(-entries // WINDOW), -(-a.nrows // 32))
    scratch.launch(fill, warps, (*words, *outputs), BLOCK // 32)
    return MatrixStore(a.nrows, a.ncols, indptr, indices, values)


def _operator(op: TypedOperator | None, make: Callable[[str, TypedOperator], str] = index_unary) -> Operator:
    never_called = "DEVICE bool op(bool, int64, int64, int64) { return true; }"
    return Operator(op, "op", never_called, (_BOOL, np.dtype(INDEX)), "Thunk", make)


def _of_two(name: str, op: TypedOperator) -> str:
    """A binary operator on a value of the row and an entry, called as an operator with positions."""
    wrapped = f"DEVICE auto {name}(Left x, int64, int64, Thunk y) {{ return {name}_of_two(x, y); }}"
    return f"{binary(f'{name}_of_two', op)}\n{wrapped}"
