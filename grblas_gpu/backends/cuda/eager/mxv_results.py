"""Results of matrix-vector products that are written by position."""

from __future__ import annotations

import cupy

from ...stores.storage import Array, VectorStore
from ..runtime.counters import Slots
from .mxv_product import Product


def fresh_sums(product: Product, size: int) -> tuple[Array, Array]:
    """Flags and sums of a result that is scattered into."""
    present = cupy.zeros(size, bool)
    if product.structure:
        return present, cupy.empty(1, product.dtype)
    if product.exit_at_first:
        return present, cupy.empty(size, product.dtype)
    return present, cupy.full(size, product.initial, product.dtype)


def dense_result(size: int, present: Array, values: Array, slots: Slots) -> VectorStore:
    return VectorStore.counted_bitmap(size, values, present, slots.published(), size)
