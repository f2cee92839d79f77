"""Scans, sorting, and selection of entries in every line, by stable integer sorts, which all engines have."""

from __future__ import annotations

from functools import cmp_to_key

import numpy as np

from ...backends.forms.every_form import NumpyBackend
from ...backends.stores.counting import every
from ...backends.stores.entries import cast, order_of
from ...backends.stores.storage import INDEX, Array, MatrixStore, VectorStore
from ...dtypes import BOOL, UINT64
from ...exceptions import DomainMismatch
from ...foundation.types import Engine, OperatorLike, Tensor, TypedBinary
from ...operators import get_typed_op
from .lines import Kind, Lines, from_lines, line_size, lines_of

FEW = 1000  # entries: for more, one sort of packed ranks is faster than a sort for each key
#: The order that comparisons mean.
DESCENDING = {"lt": False, "le": False, "gt": True, "ge": True}
CHOICES = ("first", "last", "smallest", "largest", "random")


def scan(x: Kind, op: OperatorLike, order: str, name: str | None) -> Kind:
    """``y_i = x_0 + ... + x_i`` over the entries of every line, for any monoid."""
    typed = get_typed_op(op, x.dtype, kind="binary")
    x._expect_op(typed, ("BinaryOp", "Monoid"), argname="op", within="scan")
    monoid = typed.monoid if typed.opclass == "BinaryOp" else typed
    if monoid is None:
        x._expect_op(typed, "Monoid", argname="op", within="scan")
    entries, engine = lines_of(x, order), engine_of(x)
    combine = monoid.binaryop
    place, values = entries.place, cast(entries.values, combine.type.np_type)
    stride = 1
    while len(reached := np.flatnonzero(place >= stride)):  # each entry now combines the last `stride` entries
        values[reached] = engine.compute(combine, values[reached - stride], values[reached])
        stride *= 2
    return from_lines(x, entries._replace(values=values), x.dtype, order, line_size(x, order), name)


def sort(x: Kind, op: OperatorLike, order: str, values: bool, permutation: bool) -> tuple[Kind | None, Kind | None]:
    """The values of every line, sorted by ``op`` and moved to its start; and their former indices."""
    typed = get_typed_op(op, x.dtype, kind="binary")
    if typed.opclass == "Monoid":
        typed = typed.binaryop
    x._expect_op(typed, "BinaryOp", within="sort", argname="op")
    if typed.return_type != BOOL:
        raise DomainMismatch(f"sort: {typed} says {typed.return_type}, not whether one value comes before another")
    if not values and not permutation:
        return None, None
    entries = lines_of(x, order)
    place = sorting_order(engine_of(x), entries, typed)
    names = ("values", "permutation") if x.ndim == 1 else ("Values", "Permutation")
    packed = entries._replace(index=entries.place, values=entries.values[place])
    size = line_size(x, order)
    moved = from_lines(x, packed, x.dtype, order, size, names[0]) if values else None
    origin = packed._replace(values=entries.index[place])
    return moved, from_lines(x, origin, UINT64, order, size, names[1]) if permutation else None


def sorting_order(engine: Engine, entries: Lines, op: TypedBinary) -> Array:
    """A stable order in which x is before y if ``op(x, y)`` is true.

    Comparisons say which one it is. For others, ascending and descending order are tried first. One of them is right
    if each pair of neighbours is equal, or ``op`` is true for the pair and false for the reversed pair.
    """
    line, values = entries.line, entries.values
    if op.parent._row is not None and op.name in DESCENDING and op.type.np_type == values.dtype:
        return by_value(engine, entries, DESCENDING[op.name])
    new_line = line[1:] != line[:-1]
    for descending in (False, True):
        found = by_value(engine, entries, descending)
        in_order = values[found]
        before, after = in_order[:-1], in_order[1:]
        typed = [cast(x.copy(), op.type.np_type) for x in (before, after)]
        forward, back = engine.compute(op, *typed), engine.compute(op, *typed[::-1])
        if every(new_line | (before == after) | (forward & ~back)):
            return found
    return engine.array(_compared(engine.host(line), engine.host(values), op))


def _compared(line: np.ndarray, values: np.ndarray, op: TypedBinary) -> np.ndarray:
    """The order by any operator, compared pair by pair."""

    def compare(i: int, j: int) -> int:
        if line[i] != line[j]:
            return -1 if line[i] < line[j] else 1
        pair = values[[i, j]].astype(op.type.np_type)
        if op.numpy(pair[:1], pair[1:])[0]:
            return -1
        return 1 if op.numpy(pair[1:], pair[:1])[0] else 0

    return np.array(sorted(range(len(values)), key=cmp_to_key(compare)), np.int64)


def _ranked(engine: Engine, entries: Lines, how: str) -> Array:
    """The entries of every line, the selected ones first."""
    everywhere = np.arange(len(entries.line), dtype=INDEX, like=entries.line)
    if how == "first":
        return everywhere
    if how == "random":
        keys = engine.array(np.random.default_rng().integers(0, 2**32, len(entries.line)))
        return stable_order(engine, everywhere, [(keys, 2**32), *line_keys(entries)])
    backwards = everywhere + entries.length - 1 - 2 * entries.place
    if how == "last":
        return backwards
    if how == "smallest":
        return by_value(engine, entries, descending=False)
    return by_value(engine, entries, descending=True, first=backwards)


def selectk(x: Kind, how: str, k: int, order: str, name: str | None) -> Kind:
    """At most ``k`` entries of every line, at their positions."""
    how = _checked(how, CHOICES if x.ndim == 1 else ("random", "first", "last"))
    if k < 0:
        raise ValueError("negative k is not allowed")
    entries = lines_of(x, order)
    chosen = _ranked(engine_of(x), entries, how)[entries.place < k]
    return from_lines(x, entries.take(np.sort(chosen)), x.dtype, order, line_size(x, order), name)


def compactify(x: Kind, how: str, size: int | None, order: str, reverse: bool, asindex: bool, name: str | None) -> Kind:
    """The entries of every line moved to its start, cut at ``size``; their values, or their former indices."""
    how = _checked(how, CHOICES)
    entries = lines_of(x, order)
    if size is None:
        size = int(entries.lengths.max()) if len(entries.line) else 0
    ordered = entries.take(_ranked(engine_of(x), entries, how)[entries.place < size])
    place = ordered.length - 1 - ordered.place if reverse else ordered.place
    packed = Lines(ordered.line, place, ordered.index if asindex else ordered.values)
    return from_lines(x, packed, UINT64 if asindex else x.dtype, order, size, name, in_order=not reverse)


def _checked(how: str, choices: tuple[str, ...]) -> str:
    if how.lower() not in choices:
        raise ValueError(f"`how` argument must be one of: {', '.join(map(repr, choices))}".replace("'", '"'))
    return how.lower()


_HOST = NumpyBackend()
HALF = 32  # bits: sort keys are non-negative int64


def engine_of(x: Tensor) -> Engine:
    """The engine of the arrays that ``lines_of`` returns."""
    return x._engine if type(x._store) in (VectorStore, MatrixStore) else _HOST


def by_value(engine: Engine, entries: Lines, descending: bool, first: Array | None = None) -> Array:
    """The order by line, then by value; equal values are in the order of ``first``, or of their positions.

    NaN is larger than every number.
    """
    line, values = entries.line, entries.values
    start = np.arange(len(line), like=line) if first is None else first
    if type(values) is np.ndarray or values.dtype.kind not in "biuf":
        # NumPy sorts values of any type; a device cannot sort complex numbers, which are rare
        host_line, host_values, host_start = (engine.host(part) for part in (line, values, start))
        if len(line) < FEW and host_values.dtype.kind in "biuf":
            keys = ~ascending_bits(host_values) if descending else host_values
            return host_start[np.lexsort((keys[host_start], host_line[host_start]))]
        if first is None and host_values.dtype.kind in "biuf":
            keys = ascending_bits(host_values)
            if (found := engine.line_order(entries.ends, ~keys if descending else keys)) is not None:
                return found
        ranks = np.unique(host_values, return_inverse=True)[1].reshape(-1)[host_start]
        ranks = len(ranks) - ranks if descending else ranks
        return engine.array(host_start[order_of((host_line[host_start], ranks))])
    bits = ascending_bits(values)
    bits = ~bits if descending else bits
    halves = [((half & (2**HALF - 1)).astype(np.int64), 2**HALF) for half in (bits, bits >> HALF)]
    return stable_order(engine, start, [*halves, *line_keys(entries)])


def ascending_bits(values: Array) -> Array:
    """Unsigned integers of 64 bits in the order of the values.

    >>> bits = ascending_bits(np.array([-np.inf, -2.5, -0.0, 0.0, 1e-300, np.nan]))
    >>> [bool(low <= high) for low, high in zip(bits, bits[1:])], bool(bits[2] == bits[3])
    ([True, True, True, True, True], True)
    """
    sign = np.uint64(1 << 63)
    if values.dtype.kind in "bu":
        return values.astype(np.uint64)
    if values.dtype.kind == "i":
        return values.astype(np.int64).view(np.uint64) ^ sign
    numbers = values.astype(np.float64) + 0.0  # one zero,
    bits = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)  # one NaN
    return np.where(bits >= sign, ~bits, bits | sign)


def line_keys(entries: Lines) -> list[tuple[Array, int]]:
    """The last sort key: the line, if there is more than one."""
    line = entries.line
    if not len(line) or int(line[0]) == int(line[-1]):
        return []
    return [(line, int(line[-1]) + 1)]


def stable_order(engine: Engine, order: Array, keys: list[tuple[Array, int]]) -> Array:
    """Positions sorted by the last key; ties by the key before, and so on; then in the given order.

    Each key has an upper limit for its numbers.
    """
    for numbers, limit in keys:
        order = order[engine.in_order(numbers[order], limit)[1]]
    return order
