"""Single elements of a CSR matrix: found by one launch and a number that is read, changed by another launch."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Kernels, Value
from ...stores.storage import MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import specialized
from ..runtime.counters import EDGES
from ..runtime.workspace import word
from .masks import address
from .mxv_product import index_types

_KERNELS = ("find_element_kernel", "read_element_kernel", "change_element_kernel")
_HALF = 32  # bits


def _kernels(m: MatrixStore) -> Kernels:
    given = {**index_types(m), "Value": m.values.dtype, "ISO": len(m.values) == 1}
    return specialized("matrix_element.cu", _KERNELS, given)


def _arrays(m: MatrixStore) -> tuple[int, int, int]:
    return m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr


def element(m: MatrixStore, row: int, col: int) -> Value | None:
    """The value as a NumPy scalar, or None."""
    _, read, _ = _kernels(m)
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    scratch.launch(read, 1, (*_arrays(m), row, col, slots.address, slots.host))
    upper = slots.read()  # synchronizes
    bits = upper >> 1 << _HALF | slots.read(EDGES)
    return np.array([bits], np.uint64).view(m.dtype)[0] if upper & 1 else None


def with_element(m: MatrixStore, row: int, col: int, value: Value) -> MatrixStore:
    """The matrix with an element set."""
    found, same, place = _find(m, row, col, value)
    if found and same:
        return m
    return _changed(m, row, col, value, place, 0 if found else 1, same)


def without_element(m: MatrixStore, row: int, col: int) -> MatrixStore:
    """The matrix without an element."""
    found, _, place = _find(m, row, col, m.dtype.type(0))
    return _changed(m, row, col, m.dtype.type(0), place, -1, m.iso) if found else m


def _find(m: MatrixStore, row: int, col: int, value: Value) -> tuple[bool, bool, int]:
    """Whether there is an element, whether this value stands for all, and the place of the element."""
    find, _, _ = _kernels(m)
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    scratch.launch(find, 1, (*_arrays(m), row, col, word(value), slots.address, slots.host))
    found = slots.read()  # synchronizes: memory must be sized
    return bool(found & 1), bool(found & 2), slots.read(EDGES)


def _changed(m: MatrixStore, row: int, col: int, value: Value, place: int, shift: int, iso: bool) -> MatrixStore:
    indptr = indices = None
    if shift:
        indptr, indices = cupy.empty(m.nrows + 1, m.indptr.dtype), cupy.empty(m.nvals + shift, m.indices.dtype)
    values = m.values[: m.nvals + shift].copy() if iso else cupy.empty(m.nvals + shift, m.dtype)
    _, _, change = _kernels(m)
    words = (*_arrays(m), m.nrows, m.nvals, row, col, word(value), place, shift)
    outputs = (address(indptr), address(indices), 0 if iso else values.data.ptr)
    scratch_arrays.current().launch(change, max(m.nvals + shift, m.nrows + 1), (*words, *outputs))
    return MatrixStore(
        m.nrows, m.ncols, m.indptr if indptr is None else indptr, m.indices if indices is None else indices, values
    )
