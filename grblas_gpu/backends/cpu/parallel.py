"""How work is cut into chunks for the threads."""

from __future__ import annotations

import numpy as np

from ..stores.storage import Array
from . import pool

PARALLEL_WORK = 100_000  # entries; below it, waking a second thread costs more than it saves
LIGHT_WORK = 2**20  # ... of work that takes a nanosecond for each
CHUNKS_PER_THREAD = 4  # each of them costs some microseconds

Chunks = list[tuple[int, int]]


def even_chunks(size: int, per_thread: int = CHUNKS_PER_THREAD) -> Chunks:
    """Ranges of equal length."""
    parts = min(size, per_thread * pool.threads())
    return [(size * k // parts, size * (k + 1) // parts) for k in range(parts)]


def edge_chunks(indptr: Array, per_thread: int = CHUNKS_PER_THREAD) -> Chunks:
    """Ranges of rows with about as many entries each."""
    parts = per_thread * pool.threads()
    wanted = np.arange(1, parts) * int(indptr[-1]) // parts
    edges = [0, *indptr.searchsorted(wanted).tolist(), len(indptr) - 1]
    return [(lo, hi) for lo, hi in zip(edges[:-1], edges[1:], strict=True) if lo < hi]


def lengths(indptr: Array) -> Array:
    """The number of entries of each row: ``np.diff``, whose checks take longer than a small matrix."""
    return indptr[1:] - indptr[:-1]
