"""Vectors position by position: element-wise operations, select and the output step as one kernel each.

A list is spread out first. The memory of a device is fast enough to make that cheaper than merging lists, up to sizes
at which nearly empty vectors are left to the definitions (:func:`worthwhile`).
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from .... import atomic_updates
from ...entries import cast, expand
from ...storage import INDEX, Array, MaskView, MatrixStore, Pending, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import Result, empty_list, two_arrays
from ..runtime.compile import constant, functions, index_unary, product, using
from ..runtime.counters import EDGES
from ..runtime.workspace import word
from .collect import collect
from .masks import NO_MASK, VectorMask, address, as_flags, clear, list_of, mark, resolve
from .mxv_product import index_key

SPREAD_LISTS = 2**24  # longer vectors that are all lists are merged as lists
MOST_DENSE = 2**32
_FLAG = np.dtype(bool)


def worthwhile(*stores: Any) -> bool:
    """Whether these operands are vectors to go through position by position."""
    if type(stores[0]) is not VectorStore:
        return False
    size = stores[0].size
    return 0 < size <= SPREAD_LISTS or (size <= MOST_DENSE and any(store.kind != "sparse" for store in stores))


def as_bitmap(u: VectorStore) -> VectorStore:
    """The same vector as flags and values by position (or full, as it is)."""
    if u.kind != "sparse":
        return u
    indices, values, length, count_at = list_of(u)
    if length == 0:
        return _bitmap_like(u, cupy.zeros(1, values.dtype), cupy.zeros(u.size, bool))
    if len(values) == 1:
        present, dense = cupy.zeros(u.size, bool), values
        mark(VectorMask(indices=indices, length=length, count_at=count_at), present)
        return _bitmap_like(u, dense, present)
    present, dense = two_arrays(u.size, _FLAG, u.size, values.dtype)
    present.data.memset_async(0, u.size, scratch_arrays.current().stream)
    spread(indices, values, present, dense, length, count_at)
    return _bitmap_like(u, dense, present)


def spread(indices: Array, values: Array, present: Array, dense: Array, length: int, count_at: int = 0) -> None:
    """Values to their positions, of which flags are set; elsewhere they are whatever memory held."""
    (kernel,) = functions(
        "marks.cu",
        ("spread", values.dtype.char, len(values) == 1),
        ["spread_kernel"],
        lambda: VectorMask(values=values).pieces(),  # only names the type
    )
    words = (indices.data.ptr, count_at, length, present.data.ptr, values.data.ptr, dense.data.ptr)
    scratch_arrays.current().launch(kernel, length, words)


def writable(c: VectorStore) -> VectorStore:
    """A vector with a value and, unless it is full, a flag of its own at every position, to be written in place."""
    if c.known_nvals == 0:
        return VectorStore(c.size, cupy.empty(c.size, c.dtype), present=cupy.zeros(c.size, bool), nvals=0)
    c = as_bitmap(c)
    if len(c.values) != c.size:
        c.values = expand(c.values, c.size).copy()
    return c


def _bitmap_like(u: VectorStore, values: Array, present: Array) -> VectorStore:
    if u.pending is None:
        return VectorStore(u.size, values, present=present, nvals=u.nvals)
    return VectorStore.counted_bitmap(u.size, values, present, u.pending.counter, u.pending.at_most)


def as_list(u: VectorStore) -> VectorStore:
    """A bitmap as an ordered list."""
    values = u.values
    iso = len(values) == 1
    indices = cupy.empty(u.nvals, INDEX)
    out = values[: min(1, u.nvals)].copy() if iso else cupy.empty(u.nvals, values.dtype)
    if u.nvals:
        scratch = scratch_arrays.current()
        given = () if iso else (values, out)
        collect(VectorMask(present=u.present), u.size, indices, scratch, scratch.slots().address, *given)
    return VectorStore(u.size, out, indices=indices)


def _addresses(u: VectorStore) -> tuple[int, int]:
    """Of flags (or 0) and values."""
    return address(u.present), u.values.data.ptr


def _operand(name: str, u: VectorStore) -> list[str]:
    return [
        using(name, u.values.dtype),
        constant(f"{name}_FULL", u.present is None),
        constant(f"{name}_ISO", len(u.values) == 1),
    ]


def _key(u: VectorStore) -> Any:
    return u.values.dtype.char, u.present is None, len(u.values) == 1


def operator_pieces(op: Any) -> list[str]:
    if op is None:  # nobody calls it, but it must have a name
        types = [using(name, np.dtype(bool)) for name in ("Left", "Right")]
        return [*types, "DEVICE bool op(bool, bool, int64, int64, int64, int64) { return true; }"]
    return [using("Left", op.type.np_type), using("Right", op.type2.np_type), product("op", op)]


def ewise(
    x: VectorStore,
    y: VectorStore,
    op: Any,
    union: bool,
    defaults: tuple[Any, Any] | None = None,
    dtype: np.dtype | None = None,
) -> VectorStore:
    """``op`` on the union or the intersection of two vectors; a missing operand may have a default.

    The result has the operator's type, or another.
    """
    dtype = op.return_type.np_type if dtype is None else dtype
    x, y = as_bitmap(x), as_bitmap(y)
    size = x.size
    full = (x.present is None or y.present is None) if union else (x.present is None and y.present is None)
    iso = not union and op.positional is None and len(x.values) == 1 and len(y.values) == 1
    (kernel,) = functions(
        "ewise.cu",
        (op.key, _key(x), _key(y), dtype.char, union, defaults is not None),
        ["ewise_kernel"],
        lambda: [
            *_operand("X", x),
            *_operand("Y", y),
            *operator_pieces(op),
            using("Value", dtype),
            constant("UNION", union),
            constant("DEFAULTS", defaults is not None),
            constant("OUT_FULL", full),
            constant("OUT_ISO", iso),
        ],
    )
    given = (0, 0) if defaults is None else (_scalar(defaults[0], op.type), _scalar(defaults[1], op.type2))
    scratch = scratch_arrays.current()
    result, slots = Result(size, dtype, iso, full), scratch.slots()
    operands = (*_addresses(x), *_addresses(y), size, *given)
    scratch.launch(kernel, size, (*operands, *result.addresses, slots.address, slots.host))
    return result.store(slots)


def _scalar(value: Any, dtype: Any) -> int:
    return word(cast(np.asarray(value).reshape(1), dtype.np_type)[0])


def write(c: VectorStore, t: VectorStore, view: MaskView | None, accum: Any, replace: bool) -> VectorStore:
    """``c<mask> (accum)= t``."""
    mask = resolve(view)
    if mask is None:  # nothing may be written
        return empty_list(c.size, c.dtype) if replace else c
    c, t = as_bitmap(c), as_bitmap(t)
    scratch = scratch_arrays.current()
    result = Result(c.size, c.dtype)  # nothing can fail once flags are set
    flags = as_flags(mask, scratch, c.size)
    (kernel,) = functions(
        "write.cu",
        (None if accum is None else accum.key, _key(c), _key(t), flags.key, replace),
        ["write_kernel"],
        lambda: [
            *_operand("C", c),
            *_operand("T", t),
            *flags.pieces(),
            constant("ACCUM", accum is not None),
            constant("REPLACE", replace),
            *operator_pieces(accum),
        ],
    )
    slots = scratch.slots()
    operands = (*_addresses(c), *_addresses(t), *flags.addresses, c.size)
    scratch.launch(kernel, c.size, (*operands, *result.addresses, slots.address, slots.host))
    clear(mask, scratch, c.size)
    everywhere = accum is not None and mask is NO_MASK and (c.present is None or t.present is None)
    return result.store(slots, everywhere)


def fill_gaps(c: VectorStore, t: VectorStore) -> VectorStore:
    """``c<!c> = t`` in place, where ``t`` has no entries but those."""
    c = writable(c)
    if c.present is None:
        return c
    listed = t.kind == "sparse"
    indices, values, items, count_at = list_of(t) if listed else (None, t.values, t.size, 0)
    iso = len(values) == 1
    (kernel,) = functions(
        "fill.cu",
        (c.values.dtype.char, values.dtype.char, listed, t.present is None, iso),
        ["fill_kernel"],
        lambda: [
            using("C", c.values.dtype),
            using("T", values.dtype),
            constant("LISTED", listed),
            constant("T_FULL", t.present is None),
            constant("T_ISO", iso),
        ],
    )
    scratch = scratch_arrays.current()
    region = (address(indices), count_at, items, address(t.present), values.data.ptr)
    try:
        atomic_updates.changing = True
        c = atomic_updates.own(c)
        before, slots = entries_of(c), scratch.slots()
        c.uncount()
        scratch.launch(kernel, items, (*region, *_addresses(c), *before, slots.address, slots.host))
        c.pending = Pending(slots.published(), c.size)
    finally:
        atomic_updates.changing = False
    return c


def entries_of(c: VectorStore) -> tuple[int, int]:
    """Where the device has the number of entries (or 0), and the number if the host knows it."""
    known = c.known_nvals
    return (0, known) if known is not None else (c.pending.counter.address, 0)  # type: ignore[union-attr]


def filtered(x: VectorStore, op: Any, thunk: Any, select: bool) -> VectorStore:
    """The entries where ``op(x, i, 0, thunk)`` is true, or its results."""
    x = as_bitmap(x)
    dtype = x.dtype if select else op.return_type.np_type
    (kernel,) = functions(
        "filter.cu",
        (op.key, _key(x), select),
        ["filter_kernel"],
        lambda: [
            *_operand("X", x),
            using("Left", op.type.np_type),
            using("Thunk", op.type2.np_type),
            using("Out", dtype),
            index_unary("op", op),
            constant("SELECT", select),
        ],
    )
    scratch = scratch_arrays.current()
    result, slots = Result(x.size, dtype), scratch.slots()
    operands = (*_addresses(x), x.size, _scalar(thunk, op.type2))
    scratch.launch(kernel, x.size, (*operands, *result.addresses, slots.address, slots.host))
    return result.store(slots, everywhere=not select and x.present is None)


def count_edges(columns: MatrixStore, u: VectorStore) -> int:
    """Entries of the matrix in the rows that ``u`` has entries for; remembered with ``u``."""
    listed = u.kind == "sparse"
    (kernel,) = functions(
        "count_edges.cu",
        (index_key(columns), listed),
        ["count_edges_kernel"],
        lambda: [using("Offset", columns.indptr.dtype), constant("FLAGGED", not listed)],
    )
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    indices, _, items, count_at = list_of(u) if listed else (None, None, u.size, 0)
    region = (address(indices), address(u.present), count_at, items)
    scratch.launch(kernel, items, (columns.indptr.data.ptr, *region, slots.address, slots.host))
    u.edges = columns.indptr, slots.published(EDGES)
    return u.edges[1].read()  # synchronizes
