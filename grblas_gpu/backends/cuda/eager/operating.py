"""Operators on device arrays: every operator, built-in or user-defined, as a program of one step, and reductions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import cupy
import numpy as np

from ....foundation.types import Kernels, TypedMonoid, TypedOperator, Value
from ...programs.terms import Kind
from ...stores.entries import is_iso
from ...stores.later import Later
from ...stores.storage import INDEX, Array
from ..fusion.emit_one_step import array_pieces, operator_pieces, read, scalars, step_of
from ..runtime import compile, records
from ..runtime.counters import DONE, EDGES, Slots
from ..runtime.launch import BLOCK, SHARES, launch
from ..runtime.workspace import Scratch, current, word
from . import steps
from .rows import carries, chunks_of

_HALF = 32  # bits
_OF_ALL = ("reduce_all_kernel", "reduce_same_kernel")
SHARE_BYTES = 4096  # as in kernels/reduce_all.cu: what a warp reads at a time


def compute(op: TypedOperator, *operands: Array) -> Array:
    """``op`` on arrays of one length (or length 1, which stands for all)."""
    count = max(len(x) for x in operands) if all(len(x) for x in operands) else 0
    if all(_is_one(x) for x in operands) and count:  # one value for all stays one value
        return np.broadcast_to(_launch(op, [x[:1] for x in operands], 1), (count,))
    return _launch(op, operands, count)


def _launch(op: TypedOperator, operands: Sequence[Array], count: int) -> Array:
    result = records.empty(count, op.return_type.np_type)
    if count:
        plain = [_memory(_plain(x)) for x in operands]  # kept until the kernel has been launched
        words: list[int] = []
        for x, memory in zip(operands, plain, strict=True):
            words += [0, memory.data.ptr, 0 if _is_one(x) else -1]
        arity = len(operands)
        steps.computed(_key(op), lambda: operator_pieces(op, arity), count, _memory(result).data.ptr, tuple(words))
    return result


def compute_bound(op: TypedOperator, values: Array, scalar: Value, is_left: bool) -> Array:
    """``op(scalar, value)`` or ``op(value, scalar)`` for all values; the scalar comes with the launch."""
    iso = _is_one(values)
    count = 1 if iso and len(values) else len(values)
    result = cupy.empty(count, op.return_type.np_type)
    if count:

        def bound_pieces() -> list[str]:
            each, fixed = (op.type2, op.type) if is_left else (op.type, op.type2)
            args = read(0) + scalars(fixed.np_type)
            kind, args = (Kind.APPLY_LEFT, args[::-1]) if is_left else (Kind.APPLY_RIGHT, args)
            return array_pieces(step_of(kind, 1, op, args), [each.np_type, op.return_type.np_type])

        words = (0, _plain(values).data.ptr, 0 if iso else -1, word(scalar))
        steps.computed((op.key, is_left), bound_pieces, count, result.data.ptr, words)
    return np.broadcast_to(result, (len(values),)) if len(values) != count else result


def _key(op: TypedOperator) -> Hashable:
    """What tells operators apart; user-defined types may share a name, but not a struct."""
    types = op.type, op.type2, op.return_type
    if not any(dtype._is_udt for dtype in types):
        return op.key
    return op.key, *(compile.c_type(dtype.np_type) for dtype in types)


def _memory(x: Array) -> Array:
    """The array that a kernel is given."""
    return x.words if isinstance(x, records.RecordArray) else x


def cast_values(values: Array, dtype: np.dtype) -> Array:
    """Values in another type, by one kernel."""
    to = np.dtype(dtype)
    if values.dtype.kind in "iu" and to.kind in "iu" and values.dtype.itemsize == to.itemsize:  # the same bits
        return cupy.ascontiguousarray(values).view(to).copy()
    result = cupy.empty(values.shape, dtype)
    if values.size:
        step = step_of(Kind.COPY, 1, None, read(0))
        key = "cast", values.dtype.char, to.char
        given = cupy.ascontiguousarray(values)
        words = (0, given.data.ptr, -1)
        steps.computed(key, lambda: array_pieces(step, [values.dtype, to]), values.size, result.data.ptr, words)
    return result


def _is_one(x: Array) -> bool:
    return len(x) == 1 or is_iso(x)


def _plain(x: Array) -> Array:
    """Contiguous memory; of a broadcast view its one value."""
    if is_iso(x):
        return x[:1]
    if isinstance(x, records.RecordArray):
        return x if x.flags.c_contiguous else x.copy()
    return cupy.ascontiguousarray(x)


def reduce_runs(op: TypedOperator, values: Array, starts: Array) -> Array:
    """Each run of values combined by a monoid, or from the left by a binary operator that is none."""
    result = cupy.empty(len(starts), op.return_type.np_type)
    if len(starts):
        counts = (0, len(values)), (0, len(starts))
        given = _plain(values), 0 if is_iso(values) else 1
        launch_reduction(op, *given, counts[0], starts.astype(INDEX, copy=False), counts[1], result, current())
    return result


class Told(Later):
    """A value of which a kernel tells the host the bits, in two halves: a word holds one more than a number."""

    __slots__ = ("_slots",)

    def __init__(self, dtype: np.dtype, slots: Slots) -> None:
        super().__init__(dtype)
        self._slots = slots

    def read(self) -> Value:
        lower = self._slots.read()  # synchronizes
        return np.frombuffer((self._slots.read(EDGES) << _HALF | lower).to_bytes(8, "little"), self.dtype, 1)[0]


def reduce_all(monoid: TypedMonoid, values: Array) -> Value:
    """All values combined, as a NumPy scalar: one launch, one number read."""
    return all_combined(monoid, values).read()  # synchronizes


def all_combined(monoid: TypedMonoid, values: Array) -> Told:
    """All values combined: one launch."""
    count = len(values)
    if count == 1 or is_iso(values):
        return one_combined(monoid, values[:1], count)
    given, scratch, dtype = cupy.ascontiguousarray(values), current(), monoid.return_type.np_type
    at, slots = given.data.ptr, scratch.slots()
    reduce_values, _ = _reductions(monoid, at)
    warps = min(SHARES, -(-count * dtype.itemsize // SHARE_BYTES))
    words = (at, count, scratch.tile_sums.data.ptr, slots.address + 8 * DONE, slots.host)
    scratch.launch(reduce_values, warps, words, BLOCK // 32)
    return Told(dtype, slots)


def one_combined(monoid: TypedMonoid, value: Array, count: int) -> Told:
    """One value combined with itself, so many times: one launch."""
    scratch, at = current(), value.data.ptr
    _, reduce_one = _reductions(monoid, at)
    slots = scratch.slots()
    scratch.launch(reduce_one, 1, (at, count, slots.host))
    return Told(monoid.return_type.np_type, slots)


def _reductions(monoid: TypedMonoid, at: int) -> Kernels:
    aligned = at % 16 == 0
    given: dict[str, np.dtype | int] = {"Value": monoid.return_type.np_type, "ALIGNED": aligned}
    return compile.specialized("reduce_all.cu", _OF_ALL, given, compile.Sum(monoid))


def launch_reduction(
    op: TypedOperator,
    values: Array,
    stride: int,
    count: tuple[int | Array, int],
    starts: int | Array,
    runs: tuple[int | Array, int],
    result: Array,
    scratch: Scratch,
) -> None:
    """Combine runs of values. A number is given by where it is in device memory (or 0), and itself (or a bound)."""
    monoid = op if op.opclass == "Monoid" else op.monoid
    associative = monoid is not None and monoid.type is op.type  # a binary operator may be a monoid for other types
    given: dict[str, np.dtype | int] = {"Value": op.return_type.np_type, "ASSOCIATIVE": associative}
    added = compile.Operator(monoid.binaryop if associative else op, "add", "", make=compile.binary)
    names = ["reduce_runs_kernel", "add_carries_kernel"]
    reduce, add_carries = compile.specialized("reduce_runs.cu", names, given, added)
    arguments = (values, stride, *count, starts, *runs, result, *carries(scratch))
    if not (associative and stride):  # a thread takes a run
        launch(reduce, runs[1], arguments)
        return
    chunks = chunks_of(count[1] + runs[1])
    launch(reduce, chunks, arguments, per_block=BLOCK // 32)
    if chunks > 1:
        launch(add_carries, chunks, arguments)
