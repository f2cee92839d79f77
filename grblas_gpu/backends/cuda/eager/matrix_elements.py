"""Elements of a CSR matrix: read by one launch."""

from __future__ import annotations

import numpy as np

from ....foundation.types import Value
from ...stores.storage import MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import specialized
from ..runtime.counters import EDGES
from .mxv_product import index_types

_HALF = 32  # bits


def element(m: MatrixStore, row: int, col: int) -> Value | None:
    """The value as a NumPy scalar, or None."""
    given = {**index_types(m), "Value": m.values.dtype, "ISO": len(m.values) == 1}
    (read,) = specialized("matrix_element.cu", ["read_element_kernel"], given)
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    arrays = (m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr)
    scratch.launch(read, 1, (*arrays, row, col, slots.address, slots.host))
    upper = slots.read()  # synchronizes
    bits = upper >> 1 << _HALF | slots.read(EDGES)
    return np.array([bits], np.uint64).view(m.dtype)[0] if upper & 1 else None
