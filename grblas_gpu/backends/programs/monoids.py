"""Properties of a monoid that hold for all values."""

from __future__ import annotations

import numpy as np

from ...foundation.caches import Bounded
from ...foundation.types import TypedMonoid, TypedSemiring

_idempotent: dict[str, bool] = Bounded("idempotent monoids", 1000)


def is_idempotent(monoid: TypedMonoid) -> bool:
    """Whether ``add(z, z)`` is z for all z; `gcd` claims so, but makes negative numbers positive."""
    if not monoid.is_idempotent or monoid.binaryop.source is None:
        return bool(monoid.is_idempotent)
    found = _idempotent.get(monoid.key)
    if found is None:
        values = np.array([0, 1, 2, -1, -2]).astype(monoid.return_type.np_type)
        sums = np.asarray(monoid.binaryop.numpy(values, values))
        found = _idempotent[monoid.key] = np.array_equal(sums, values)
    return found


def keeps_equal(monoid: TypedMonoid) -> bool:
    """Whether a sum of equal products is one of them."""
    return bool(monoid.any_value) or is_idempotent(monoid)


def order_dependent(monoid: TypedMonoid, structure: bool) -> bool:
    """Whether the result depends on the order of additions; with ``structure`` all products are equal, and so is it."""
    floats, defined = monoid.return_type.np_type.kind == "f", monoid.binaryop.source is not None
    return not structure and (floats or bool(monoid.any_value) or not defined)


LEAST, LARGEST = ("x if x < y else y", "smaller(x, y)"), ("x if x > y else y", "larger(x, y)")  # sources of min and max
_IN_ORDER = (*LEAST, *LARGEST, "x + y", "x", "y")


def keeps_order(semiring: TypedSemiring) -> bool:
    """Whether a loop may follow edges in any order: the least (or largest) product counts, and smaller operands never
    give larger products."""
    return semiring.monoid.binaryop.source in LEAST + LARGEST and semiring.binaryop.source in _IN_ORDER
