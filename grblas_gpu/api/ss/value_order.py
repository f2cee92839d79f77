"""The entries of every line sorted by value, with stable integer sorts, which all engines have."""

from __future__ import annotations

import numpy as np

from ...backends.forms.every_form import NumpyBackend
from ...backends.stores.entries import order_of
from ...backends.stores.storage import Array, MatrixStore, VectorStore
from ...foundation.types import Engine, Tensor
from .lines import Lines

_HOST = NumpyBackend()
HALF = 32  # bits: sort keys are non-negative int64


def engine_of(x: Tensor) -> Engine:
    """The engine of the arrays that ``lines_of`` returns."""
    return x._engine if type(x._store) in (VectorStore, MatrixStore) else _HOST


def by_value(engine: Engine, entries: Lines, descending: bool, first: Array | None = None) -> Array:
    """The order by line, then by value; equal values are in the order of ``first``, or of their positions.

    NaN is larger than every number.
    """
    line, _, values = entries
    start = np.arange(len(line), like=line) if first is None else first
    if type(values) is np.ndarray or values.dtype.kind not in "biuf":
        # NumPy sorts values of any type; a device cannot sort complex numbers, which are rare
        host_line, host_values, host_start = (engine.host(part) for part in (line, values, start))
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
