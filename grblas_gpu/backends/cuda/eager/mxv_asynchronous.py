"""The asynchronous pull in one pass: rows that reach a final value are seen by rows that are looked at later."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...programs.reading import Values
from ...stores.entries import cast
from ...stores.storage import MaskView, MatrixStore, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import Result, empty_list
from ..runtime.compile import constant, functions
from ..runtime.workspace import word
from .masks import VectorMask, address, as_flags, clear, resolve
from .mxv_product import Product, index_key
from .vectors import as_bitmap

_products: dict[Any, Product] = {}


def pull_in_place(
    a: MatrixStore,
    u: VectorStore,
    semiring: Any,
    mask: MaskView | None,
    *,
    transposed: bool,
    flip: bool,
    final: Any,
) -> VectorStore:
    """``t = m u``, where entries of ``t`` that are ``final`` belong to ``u`` as soon as they are found."""
    size = a.nrows
    allowed = resolve(mask)
    if u.known_nvals == 0 or len(a.indices) == 0 or allowed is None:
        return empty_list(size, semiring.return_type.np_type)
    m = a.transposed() if transposed else a
    u = as_bitmap(u)
    product = _product_of(a, u, semiring, flip)
    try:
        return _in_place(product, m, u, allowed, cast(np.asarray(final).reshape(1), product.dtype)[0])
    except BaseException:
        scratch_arrays.forget()
        raise


def _in_place(product: Product, m: MatrixStore, u: VectorStore, mask: VectorMask, final: Any) -> VectorStore:
    size = m.nrows
    scratch = scratch_arrays.current()
    result = Result(size, product.dtype)
    flags = as_flags(mask, scratch, size)
    full = u.present is None
    (kernel,) = functions(
        "asynchronous_pull.cu",
        (product.key, index_key(m), full, flags.key),
        ["asynchronous_pull_kernel"],
        lambda: [*product.pieces(m), constant("FULL", full), *flags.pieces()],
    )
    matrix = (m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr)
    operands = (*matrix, address(u.present), u.values.data.ptr, *flags.addresses)
    marks, bit = scratch.marks(size)
    slots = scratch.slots()
    outputs = (word(final), *result.addresses, slots.address, slots.host)
    scratch.launch(kernel, size, (*operands, size, marks.data.ptr, bit, *outputs))
    clear(mask, scratch, size)
    return result.store(slots)


def _product_of(a: MatrixStore, u: VectorStore, semiring: Any, flip: bool) -> Product:
    key = (semiring.key, a.values.dtype.char, len(a.values) == 1, u.values.dtype.char, len(u.values) == 1, flip)
    found = _products.get(key)
    if found is None:
        first, second = Values(a.dtype, a.iso), Values(u.dtype, u.iso)
        found = _products[key] = Product(semiring, first, second, flip, True).asynchronous()
    return found
