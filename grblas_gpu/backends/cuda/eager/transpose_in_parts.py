"""The transpose of a matrix whose columns lie on the host: there, too, and some columns at a time on the device."""

from __future__ import annotations

from itertools import pairwise

import cupy
import numpy as np

from ....foundation.memory import free_on_device as free_bytes
from ...stores.counting import counts
from ...stores.storage import INDEX, MatrixStore, column_type
from ..runtime.host_memory import host_array, is_on_host
from ..runtime.reporting import sized
from . import transpose as on_device
from .selecting import renamed

BYTES = 48  # of device memory for an entry that is sorted
LEAST = 2**16  # entries at a time


@sized
def transpose(a: MatrixStore) -> MatrixStore:
    if not is_on_host(a.indices) or a.values.dtype.kind in "cV":
        return on_device.transpose(a)
    part = max(LEAST, free_bytes() // BYTES)
    filled = cupy.zeros(a.ncols, INDEX)
    for begin in range(0, a.nvals, part):
        filled += counts(a.indices[begin : begin + part], a.ncols)
    indptr = cupy.zeros(a.ncols + 1, INDEX)
    indptr[1:] = np.cumsum(filled)
    cuts = np.searchsorted(indptr, cupy.arange(0, a.nvals, part, dtype=INDEX), side="right") - 1
    firsts = [*dict.fromkeys(cuts.get().tolist()), a.ncols]  # synchronizes
    rows = host_array(a.nvals, np.dtype(column_type(a.nrows)))
    values = a.values.copy() if a.iso else host_array(a.nvals, a.values.dtype)
    places = cupy.arange(a.ncols, dtype=a.indices.dtype)
    begin = 0
    for first, stop in pairwise(firsts):
        some = on_device.transpose(renamed(a, np.where(places < stop, places - first, -1), stop - first))
        end = begin + some.nvals
        rows[begin:end] = some.indices
        if not a.iso:
            values[begin:end] = some.values
        begin = end
    return MatrixStore(a.ncols, a.nrows, indptr, rows, values)
