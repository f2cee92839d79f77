"""Checks of free memory before large allocations, since a system may overcommit."""

from __future__ import annotations

import numpy as np

from ...exceptions import OutOfMemory
from ...foundation.memory import free_on_host
from ..stores.index_types import MOST_ENTRIES, Array, natives

NAMED = "name the positions that count, or give a mask that is not complemented"
MOST_ALIKE = 2**60  # entries that one value stands for
ALWAYS = 2**28  # smaller sizes are not checked


def check_positions(nrows: int, ncols: int, itemsize: int, like: Array | None = None) -> int:
    """The number of positions of a matrix to be stored position by position; OutOfMemory if too many."""
    positions = nrows * ncols
    if not itemsize and positions > MOST_ALIKE:
        raise OutOfMemory(
            f"shape {nrows} x {ncols} has {positions:,} positions, more than the {MOST_ALIKE:,} that can be counted if "
            f"all have an entry; {NAMED}"
        )
    if positions > MOST_ENTRIES and itemsize:
        raise OutOfMemory(_too_large(nrows, ncols, positions * itemsize, "more than any memory holds"))
    check_bytes(nrows, ncols, positions * itemsize, like)
    return positions


def check_bytes(nrows: int, ncols: int, needed: int, like: Array | None = None) -> None:
    """Raise OutOfMemory if so many bytes are not free in the memory of an array, or on the host."""
    if needed > ALWAYS and needed > (free := free_bytes(like)):
        raise OutOfMemory(_too_large(nrows, ncols, needed, f"and {free:,} are free"))


def check_entries(count: int, itemsize: int = 8, like: Array | None = None, instead: str = NAMED) -> int:
    """Raise MemoryError (as OutOfMemory) if there is no memory to list so many entries."""
    needed = count * itemsize
    if needed <= ALWAYS:
        return count
    free = free_bytes(like)
    if count > MOST_ENTRIES or needed > free:
        raise MemoryError(f"a list of {count:,} numbers takes {needed:,} bytes, and {free:,} are free; {instead}")
    return count


def _too_large(nrows: int, ncols: int, needed: int, why: str) -> str:
    return (
        f"a value for each position of shape {nrows} x {ncols} takes {needed:,} bytes, {why}; a sparse or hypersparse "
        "Matrix takes memory for its entries only, and one value for all of them is stored once"
    )


def free_bytes(like: Array | None = None) -> int:
    """The free memory where an array is: of this machine within the limits of this process, or of a device."""
    if like is not None and not isinstance(like, np.ndarray):
        return natives[type(like)].free_bytes()
    return free_on_host()
