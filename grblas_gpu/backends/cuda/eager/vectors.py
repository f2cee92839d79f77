"""Vectors position by position: element-wise operations, select and the output step, each a program of one step.

A list is spread out first. The memory of a device is fast enough to make that cheaper than merging lists, up to sizes
at which nearly empty vectors are left to the definitions (:func:`worthwhile`).
"""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Accum, DataType, Store, TypedOperator, Value
from ...programs.terms import Kind, MaskUse
from ...stores.entries import cast, expand
from ...stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore
from ..fusion.emit_one_step import read, result, scalars, step_of, step_pieces, use
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import empty_list, two_arrays
from ..runtime.compile import constant, functions
from ..runtime.counters import EDGES
from ..runtime.workspace import word
from . import steps
from .masks import NO_MASK, VectorMask, address, as_flags, clear, collect, list_of, mark, marking, resolve
from .rows import COUNT_EDGES, kernels_on_offsets

SPREAD_LISTS = 2**24  # longer vectors that are all lists are merged as lists
MOST_DENSE = 2**32
_FLAG = np.dtype(bool)


def worthwhile(*stores: Store) -> bool:
    """Whether these operands are vectors to go through position by position."""
    if type(stores[0]) is not VectorStore:
        return False
    size = stores[0].size
    return 0 < size <= SPREAD_LISTS or (size <= MOST_DENSE and any(store.kind != "sparse" for store in stores))


def as_bitmap(u: VectorStore) -> VectorStore:
    """The same vector as flags and values by position (or full, as it is)."""
    listed = list_of(u)
    if listed is None:
        return u
    indices, values, length, count_at = listed
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
    _, kernel = marking(NO_MASK, values.dtype)
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


def ewise(
    x: VectorStore, y: VectorStore, op: TypedOperator, union: bool, defaults: tuple[Value, Value] | None = None
) -> VectorStore:
    """``op`` on the union or the intersection of two vectors; a missing operand may have a default."""
    dtype = op.return_type.np_type
    x, y = as_bitmap(x), as_bitmap(y)
    full = (x.present is None or y.present is None) if union else (x.present is None and y.present is None)
    iso = not union and op.positional is None and len(x.values) == 1 and len(y.values) == 1
    kind = Kind.MULT if not union else Kind.ADD if defaults is None else Kind.UNION
    types = () if defaults is None else (op.type, op.type2)
    given = () if defaults is None else tuple(map(_scalar, defaults, types))

    def pieces() -> list[str]:
        args = read(0, 1) + scalars(*(dtype.np_type for dtype in types))
        slots = [steps.use_of(x), steps.use_of(y), result(dtype)]
        return step_pieces(step_of(kind, 2, op, args), slots, full, one_value=iso)

    key = kind, op.key, steps.key_of(x), steps.key_of(y), iso
    words = (*steps.words_of(x), *steps.words_of(y), *given)
    return steps.into_new(key, pieces, x.size, dtype, words, scratch_arrays.current(), full, iso)


def _scalar(value: Value, dtype: DataType) -> int:
    return word(cast(np.asarray(value).reshape(1), dtype.np_type)[0])


def write(c: VectorStore, t: VectorStore, view: MaskView | None, accum: Accum, replace: bool) -> VectorStore:
    """``c<mask> (accum)= t``."""
    mask = resolve(view)
    if mask is None:  # nothing may be written
        return empty_list(c.size, c.dtype) if replace else c
    if mask is NO_MASK and accum is not None and c.known_nvals == 0 and t.dtype == c.dtype:
        return t  # there is nothing to accumulate to
    c, t = as_bitmap(c), as_bitmap(t)
    scratch = scratch_arrays.current()
    flags = as_flags(mask, scratch, c.size)
    full = accum is not None and mask is NO_MASK and (c.present is None or t.present is None)

    def pieces() -> list[str]:
        use, slots = steps.mask_slot(flags, 2)
        step = step_of(Kind.COPY, 0, None, read(1), use, accum, replace)
        return step_pieces(step, [steps.use_of(c), steps.use_of(t), *slots], full)

    key = Kind.COPY, accum and accum.key, steps.key_of(c), steps.key_of(t), flags.key, replace
    words = (*steps.words_of(c), *steps.words_of(t), *steps.mask_words(flags))
    result = steps.into_new(key, pieces, c.size, c.dtype, words, scratch, full)
    clear(mask, scratch, c.size)
    return result


def fill_gaps(c: VectorStore, t: VectorStore) -> VectorStore:
    """``c<!c> = t`` in place, where ``t`` has no entries but those."""
    c = writable(c)
    if c.present is None:
        return c
    found = list_of(t)
    listed = found is not None
    indices, values, items, count_at = found or (None, t.values, t.size, 0)
    present = None if listed else t.present

    def pieces() -> list[str]:
        step = step_of(Kind.COPY, 1, None, read(0), MaskUse(1, structure=True, complement=True))
        slots = [use(values.dtype, present is None), steps.use_of(c)]
        return [
            *step_pieces(step, slots, False, by_place=(0,) if listed else ()),
            constant("LISTED", listed),
            constant("UNIQUE", True),
        ]

    key = "fill", c.values.dtype.char, values.dtype.char, listed, present is None
    (kernel,) = functions("step_in_place.cu", key, ["step_in_place_kernel"], pieces)
    words = (address(present), values.data.ptr, 0 if len(values) == 1 else -1)
    head = (address(indices), count_at, items)
    return steps.in_place(c, kernel, head, items, words, scratch_arrays.current(), reads_output=True)


def filtered(x: VectorStore, op: TypedOperator, thunk: Value, select: bool) -> VectorStore:
    """The entries where ``op(x, i, 0, thunk)`` is true, or its results."""
    x = as_bitmap(x)
    dtype = x.dtype if select else op.return_type.np_type
    kind, full = Kind.SELECT if select else Kind.APPLY_INDEX, not select and x.present is None

    def pieces() -> list[str]:
        args = read(0) + scalars(op.type2.np_type)
        return step_pieces(step_of(kind, 1, op, args), [steps.use_of(x), result(dtype)], full)

    words = (*steps.words_of(x), _scalar(thunk, op.type2))
    key = kind, op.key, steps.key_of(x)
    return steps.into_new(key, pieces, x.size, dtype, words, scratch_arrays.current(), full)


def count_edges(columns: MatrixStore, u: VectorStore) -> int:
    """Entries of the matrix in the rows that ``u`` has entries for; remembered with ``u``."""
    kernel = kernels_on_offsets(columns.indptr.dtype)[COUNT_EDGES]
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    indices, _, items, count_at = list_of(u) or (None, None, u.size, 0)
    region = (address(indices), address(u.present), count_at, items)
    scratch.launch(kernel, items, (columns.indptr.data.ptr, *region, slots.address, slots.host))
    u.edges = columns.indptr, slots.published(EDGES)
    return u.edges[1].read()  # synchronizes
