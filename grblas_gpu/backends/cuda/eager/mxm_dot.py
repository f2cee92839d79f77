"""Dot products at the entries of a mask."""

from __future__ import annotations

import cupy
import numpy as np

from ...storage import INDEX, MatrixStore
from ..runtime.launch import launch
from .mxm_operands import MatrixMask, Product
from .mxm_programs import Programs


def masked_dot(a: MatrixStore, b: MatrixStore, product: Product, mask: MatrixMask) -> MatrixStore:
    """``a`` times the transpose of ``b`` at the entries of a mask, which is not complemented."""
    pattern = mask.store
    assert pattern is not None
    programs = Programs(a, b, mask, b.nrows)
    dot, keep = programs.dot(product).functions()
    entries = pattern.nvals
    present = cupy.empty(entries, bool)
    values = cupy.empty(1 if product.structure else entries, product.dtype)
    factors = (a.indptr, a.indices, a.values, b.indptr, b.indices, b.values)
    launch(dot, entries, (*factors, *mask.arguments, a.nrows, entries, cupy.zeros(1, INDEX), present, values))
    kept = np.cumsum(present, dtype=INDEX)
    nvals = int(kept[-1])  # synchronizes
    if nvals == entries and pattern.indices.dtype == programs.column:  # the mask's pattern is that of the result
        return MatrixStore(a.nrows, b.nrows, pattern.indptr, pattern.indices, values)
    indptr, indices = cupy.empty(a.nrows + 1, INDEX), cupy.empty(nvals, programs.column)
    kept_values = values if product.structure and nvals else cupy.empty(nvals, product.dtype)
    given = (pattern.indptr, pattern.indices, a.nrows, entries, present, values, kept)
    launch(keep, max(entries, a.nrows + 1), (*given, indptr, indices, kept_values))
    return MatrixStore(a.nrows, b.nrows, indptr, indices, kept_values)
