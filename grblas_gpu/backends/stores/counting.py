"""Flags and ascending line numbers, counted. On a device without CuPy's ``any``, ``all``, ``count_nonzero`` and
``bincount``, for which it compiles more than a second at the first call; sums and extremes of integers are compiled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .index_types import INDEX, Array

#: The positions of flags on the host by a kernel, or None; the CPU engine sets it.
list_compiled: Callable[[Array], Array | None] = lambda flags: None  # noqa: E731
SORTED = 2**28  # lines that are sorted in less time than a compiler needs


def some(flags: Array) -> bool:
    """Whether any flag is set.

    >>> some(np.array([False, True])), some(np.array([], bool))
    (True, False)
    """
    if isinstance(flags, np.ndarray):
        return bool(flags.any())
    return len(flags) > 0 and bool(flags.view(np.int8).max())


def some_of_rows(flags: Array, nrows: int, ncols: int) -> Array:
    """For each row of a matrix of flags, whether any is set.

    >>> some_of_rows(np.array([False, True, False, False]), 2, 2).tolist()
    [True, False]
    """
    if isinstance(flags, np.ndarray) or ncols == 0:
        return flags.reshape(nrows, ncols).any(axis=1)
    return flags.view(np.int8).reshape(nrows, ncols).max(axis=1).astype(bool)


def every(flags: Array) -> bool:
    """Whether all flags are set.

    >>> every(np.array([False, True])), every(np.array([], bool))
    (False, True)
    """
    if isinstance(flags, np.ndarray):
        return bool(flags.all())
    return len(flags) == 0 or bool(flags.view(np.int8).min())


def how_many(flags: Array) -> int:
    """The number of flags that are set.

    >>> how_many(np.array([False, True, True]))
    2
    """
    if isinstance(flags, np.ndarray):
        return int(np.count_nonzero(flags))
    return int(flags.astype(INDEX).sum())


def places(flags: Array) -> Array:
    """The positions of flags that are set.

    >>> places(np.array([False, True, True])).tolist()
    [1, 2]
    """
    found = list_compiled(flags) if isinstance(flags, np.ndarray) else None
    return np.flatnonzero(flags) if found is None else found


def pointers(lines: Array, count: int) -> Array:
    """Where the entries of each of ``count`` lines begin, from the line of every entry, in order; and their number.

    >>> pointers(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    if not isinstance(lines, np.ndarray):
        return np.searchsorted(lines, np.arange(count + 1, dtype=lines.dtype, like=lines)).astype(INDEX, copy=False)
    found: Array = np.zeros(count + 1, INDEX, like=lines)
    if len(lines):
        np.cumsum(np.bincount(lines, minlength=count), out=found[1:])
    return found


def counts(lines: Array, count: int) -> Array:
    """How often each of ``count`` lines occurs, in any order.

    >>> counts(np.array([2, 0, 2]), 4).tolist()
    [1, 0, 2, 0]
    """
    if isinstance(lines, np.ndarray) or len(lines) > SORTED:
        return np.bincount(lines, minlength=count)
    return np.diff(pointers(np.sort(lines), count))
