"""Elements of a CSR matrix: read by one launch, or changed by two, with a number that is read between them."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Value
from ...reference.elements import with_values
from ...stores.storage import INDEX, INT32_LIMIT, MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import moved, specialized
from ..runtime.counters import EDGES
from ..runtime.host_memory import host_array, is_on_host
from ..runtime.launch import BLOCK
from .masks import address
from .matrix_facts import mend_hub_neighbours
from .mxv_product import index_types
from .selecting import offsets_workspace

_HALF = 32  # bits
_CHANGES = ("find_changes_kernel", "fill_changed_kernel")
SPAN = 2048  # as in kernels/change_elements.cu
WORD = 8  # bytes of a value, at most


def _arrays(m: MatrixStore) -> tuple[int, int, int]:
    return m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr


def element(m: MatrixStore, row: int, col: int) -> Value | None:
    """The value as a NumPy scalar, or None."""
    given = {**index_types(m), "Value": m.values.dtype, "ISO": len(m.values) == 1}
    (read,) = specialized("matrix_element.cu", ["read_element_kernel"], given)
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    scratch.launch(read, 1, (*_arrays(m), row, col, slots.address, slots.host))
    upper = slots.read()  # synchronizes
    bits = upper >> 1 << _HALF | slots.read(EDGES)
    return np.array([bits], np.uint64).view(m.dtype)[0] if upper & 1 else None


def changed(m: MatrixStore, index: tuple[np.ndarray, ...], values: np.ndarray, kept: np.ndarray) -> MatrixStore:
    """The matrix with entries set, or removed where none is kept. Positions are in order; there is an entry before."""
    count, entries, dtype = len(kept), m.nvals, moved(m.dtype)
    types: dict[str, np.dtype | int] = {
        **index_types(m),
        "Value": dtype,
        "OutOffset": np.dtype(np.int32 if entries + count <= INT32_LIMIT else INDEX),
        "ISO": m.iso,
    }
    find, _ = specialized("change_elements.cu", _CHANGES, {**types, "OUT_ISO": m.iso})
    changes = cupy.asarray(np.stack([*index, values.view(dtype).astype(INDEX), kept.astype(INDEX)]))
    scratch, places = scratch_arrays.current(), cupy.empty(2 * count, INDEX)
    slots, done = scratch.slots(), scratch.flags("counted", 8).data.ptr
    found = places.data.ptr, places.data.ptr + 8 * count, offsets_workspace(scratch, -(-count // 32))
    given = (*_arrays(m), changes.data.ptr, count, *found)
    scratch.launch(find, count, (*given, done, slots.address, slots.host))
    nvals = entries + slots.read() - count  # synchronizes: memory must be sized
    moves, differs = slots.read(EDGES) & 1, slots.read(EDGES) >> 1
    iso = m.iso and not differs and nvals > 0
    if not moves and (iso or not kept.any()):
        return m
    indptr = indices = None
    if moves:
        indptr = cupy.empty(m.nrows + 1, types["OutOffset"])
        indices = (host_array if is_on_host(m.indices) else cupy.empty)(nvals, m.indices.dtype)
    new = (host_array if is_on_host(m.values) and not iso else cupy.empty)(1 if iso else nvals, m.dtype)
    _, fill = specialized("change_elements.cu", _CHANGES, {**types, "OUT_ISO": iso})
    outputs = (m.nrows, entries, nvals - entries, address(indptr), address(indices), new.data.ptr)
    warps = max(-(-entries // SPAN), -(-max(count, m.nrows) // 32))
    scratch.launch(fill, warps, (*given, *outputs), BLOCK // 32)
    if indptr is None:
        return with_values(m, new)
    result = MatrixStore(m.nrows, m.ncols, indptr, indices, new)
    mend_hub_neighbours(result, m, changes, count)
    return result
