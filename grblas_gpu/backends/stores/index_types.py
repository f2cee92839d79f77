"""The types of positions and offsets."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any  # numpy.ndarray or cupy.ndarray

INDEX = np.int64
INT32_LIMIT = 2**31 - 1
MOST_ENTRIES = 2**48  # more than any memory holds; NumPy raises other errors for sizes near 2**63


#: For arrays that are not NumPy's, how their engine finds what a store remembers: an object with ``transpose``,
#: ``row_ids``, ``max_degree``, ``is_diagonal``, ``is_on_host``, ``same``, ``cast_values``, ``order_of_keys`` and
#: ``free_bytes``.
natives: dict[type, Any] = {}


def order_of_keys(keys: Array, limit: int) -> Array:
    """The permutation that sorts keys below ``limit``; equal ones stay in order.

    >>> order_of_keys(np.array([2, 0, 2, 1]), 3).tolist()
    [1, 3, 0, 2]
    """
    if isinstance(keys, np.ndarray):
        bits = len(keys).bit_length()
        if limit.bit_length() + bits > 63:
            return np.argsort(keys, kind="stable")
        # Processors sort many numbers at a time, but no pairs: the places are their last bits.
        packed = keys.astype(np.int64) << bits
        packed |= np.arange(len(keys))
        packed.sort()
        packed &= (1 << bits) - 1
        return packed
    return natives[type(keys)].order_of_keys(keys, limit)


def column_type(ncols: int) -> type:
    """The narrowest type for column indices: 32 bits while they fit."""
    return np.int32 if ncols <= INT32_LIMIT else np.int64
