"""Conversion of edges in any order to a symmetric adjacency matrix, in the memory of the engine in use.

The code runs on NumPy and CuPy: it creates arrays ``like=`` one of the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends.machine.memory_limits import free_bytes
from ..backends.registry import current_engine
from ..backends.stores.storage import INDEX, MatrixStore, column_type
from ..dtypes import BOOL
from ..foundation.types import Array

if TYPE_CHECKING:
    from ..api.matrix import Matrix


KeysOfRows = Callable[[int, int, Array], int]
Ends = Callable[[Array], tuple[Array, Array]]  # the sources and targets of edges with these numbers, unsigned

NOTHING = np.uint64(2**64 - 1)  # no edge: sorts behind all keys
HOST_PIECE, DEVICE_PIECE = 2**15, 2**24  # edges at a time: these fit a cache, or keep a device busy
HOST_KEYS, DEVICE_KEYS = 2**32, 2**29  # keys per sort: below CuPy's limit of 2**31, with memory left for a graph
LEAST_KEYS, KEY_BYTES = 2**20, 48  # of a device, and the memory that it takes to sort one of them


def engine_array() -> Array:
    """An empty array of the engine in use, for the argument ``like=``."""
    return current_engine().array(np.zeros(0, np.uint64))


def pieces(total: int, like: Array) -> Iterator[tuple[int, int]]:
    """``range(total)`` in pieces; their size affects the memory used, not the result."""
    size = HOST_PIECE if isinstance(like, np.ndarray) else DEVICE_PIECE
    for start in range(0, total, size):
        yield start, min(start + size, total)


def key_bits(n: int) -> np.uint64:
    """The number of bits of the column in a key ``row << bits | column``."""
    return np.uint64(max(n - 1, 1).bit_length())


class EdgeKeys:
    """A growing list of undirected edges: one 64-bit key for each direction of each edge.

    Sorting keys is several times faster than sorting pairs.
    """

    def __init__(self, n: int, most: int, like: Array) -> None:
        self.n = n
        self.bits = key_bits(n)
        self.keys = np.zeros(2 * most, np.uint64, like=like)
        self.used = 0

    def add(self, source: Array, target: Array) -> None:
        """Add edges, as uint64, without loops."""
        loop = source == target
        for first, second in ((source, target), (target, source)):
            end = self.used + len(source)
            self.keys[self.used : end] = np.where(loop, NOTHING, first << self.bits | second)
            self.used = end

    def matrix(self) -> Matrix:
        """The adjacency matrix, every edge once in either direction. The call consumes the keys."""
        keys = self.keys[: self.used]
        del self.keys
        return matrix_of_keys(distinct(keys), self.n, self.bits)


def distinct(keys: Array) -> Array:
    """Each key once, in ascending order. The function uses the given array as workspace."""
    keys.sort()
    if len(keys) == 0:
        return keys
    keep = keys != NOTHING
    keep[1:] &= keys[1:] != keys[:-1]
    return keys[keep]


def undirected(source: Array, target: Array, n: int) -> Matrix:
    """The adjacency matrix of a list of edges: loops and repetitions are dropped."""
    edges = EdgeKeys(n, len(source), source)
    edges.add(source.astype(np.uint64), target.astype(np.uint64))
    return edges.matrix()


def matrix_of_keys(keys: Array, n: int, bits: np.uint64) -> Matrix:
    """The matrix whose entries have these (ascending, symmetric) keys ``row << bits | column``."""
    firsts = np.arange(n + 1, dtype=np.uint64, like=keys) << bits
    indptr = np.searchsorted(keys, firsts).astype(INDEX)
    cols: Array = (keys & (np.uint64(1) << bits) - np.uint64(1)).astype(column_type(n))
    return symmetric_matrix(indptr, cols)


def matrix_by_rows(n: int, most: int, keys_of_rows: KeysOfRows, like: Array) -> Matrix:
    """The adjacency matrix of edges that can be generated repeatedly: large ones are built some rows at a time.

    ``keys_of_rows(low, high, keys)`` writes the keys of all entries in these rows to ``keys``, in any order, as far as
    they fit, and returns their number, duplicates included. All rows together have at most ``most`` keys.
    """
    bits, used = key_bits(n), 0
    indptr = np.zeros(n + 1, INDEX, like=like)
    cols: Any = None
    if most > _keys_at_once(like):  # the size of all ranges is unknown, and memory may not hold a copy
        cols = np.empty(most, column_type(n), like=like)
    for low, high, keys in distinct_by_rows(n, most, keys_of_rows, like):
        if cols is None:
            cols = np.empty(len(keys) if high == n else most, column_type(n), like=like)
        firsts = np.arange(low, high, dtype=np.uint64, like=like) << bits
        indptr[low:high] = np.searchsorted(keys, firsts) + used
        keys &= (np.uint64(1) << bits) - np.uint64(1)
        cols[used : used + len(keys)] = keys.astype(cols.dtype)
        used += len(keys)
    indptr[n] = used
    return symmetric_matrix(indptr, cols[:used])


def keys_of_edges(ends: Ends, count: int, bits: np.uint64, low: int, high: int, keys: Array) -> int:
    """Write the keys of both directions of all edges, without loops, from rows ``low`` to ``high - 1``."""
    found = 0
    for start, stop in pieces(count, keys):
        source, target = ends(np.arange(start, stop, dtype=np.uint64, like=keys))
        for row, column in ((source, target), (target, source)):
            wanted = (row >= low) & (row < high) & (row != column)
            more = row[wanted].astype(np.uint64) << bits | column[wanted]
            free = keys[found : found + len(more)]  # shorter if keys is full
            free[:] = more[: len(free)]
            found += len(more)
    return found


def _keys_at_once(like: Array) -> int:
    if isinstance(like, np.ndarray):
        return HOST_KEYS
    return min(DEVICE_KEYS, max(LEAST_KEYS, free_bytes(like) // KEY_BYTES))


def distinct_by_rows(n: int, most: int, keys_of_rows: KeysOfRows, like: Array) -> Iterator[tuple[int, int, Array]]:
    """Ranges of rows with their keys, each once and in order."""
    at_once = _keys_at_once(like)
    # Rows are in random order, so ranges of equal size have about equally many entries; a sixteenth is left for hubs.
    parts = 1 if most <= at_once else -(-most * 16 // (15 * at_once))
    size = -(-n // parts)
    ranges = [(low, min(low + size, n)) for low in range(0, n, size)][::-1]
    keys = np.empty(min(most, at_once), np.uint64, like=like)
    while ranges:
        low, high = ranges.pop()
        found = keys_of_rows(low, high, keys)
        if found > len(keys) and high - low > 1:
            middle = (low + high) // 2
            ranges += [(middle, high), (low, middle)]
            continue
        if found > len(keys):  # a single row exceeds the space
            keys = np.empty(found, np.uint64, like=like)
            keys_of_rows(low, high, keys)
        keys[found:] = NOTHING  # sorts of equal size reuse the workspace
        yield low, high, distinct(keys)


def symmetric_matrix(indptr: Array, cols: Array) -> Matrix:
    """A Boolean Matrix of a structure that is symmetric and sorted; the function neither checks nor copies it."""
    from ..api.matrix import Matrix

    engine = current_engine()
    n = len(indptr) - 1
    true = engine.array([True] * min(len(cols), 1), bool)
    store = engine.adopt(MatrixStore(n, n, indptr, cols.astype(column_type(n), copy=False), true))
    store._transpose = store  # symmetric by construction
    return Matrix._from_store(engine, BOOL, store)


def check_size(name: str, *sizes: int) -> None:
    """Check that a graph has at least one vertex."""
    for size in sizes:
        if size < 1:
            raise ValueError(f"{name}: every size must be at least 1; got {size}")


def check_probability(name: str, what: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name}: {what} must be from 0 to 1; got {value}")
