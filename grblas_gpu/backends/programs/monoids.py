"""What an engine may conclude of a monoid without looking at values."""

from __future__ import annotations

from typing import Any

import numpy as np

_idempotent: dict[str, bool] = {}


def is_idempotent(monoid: Any) -> bool:
    """Whether ``add(z, z)`` is z for all z; `gcd` says so of itself, but makes negative numbers positive."""
    if not monoid.is_idempotent or monoid.binaryop.source is None:
        return bool(monoid.is_idempotent)
    found = _idempotent.get(monoid.key)
    if found is None:
        values = np.array([0, 1, 2, -1, -2]).astype(monoid.return_type.np_type)
        sums = np.asarray(monoid.binaryop.numpy(values, values))
        found = _idempotent[monoid.key] = np.array_equal(sums, values)
    return found
