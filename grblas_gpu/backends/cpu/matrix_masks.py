"""The output step of a matrix with a mask: rows of a matrix and of the mask are read side by side."""

from __future__ import annotations

import numpy as np

from ...foundation.types import Accum
from ..stores.storage import INDEX, MaskView, MatrixStore
from . import ewise, pool
from .parallel import PARALLEL_WORK, edge_chunks
from .tier import KernelTable

_table = KernelTable()

FIND = """\
@kernel
def kernel(indptr, indices, mask_indptr, mask_indices, true, complement, flags, counts, lo, hi):
    one = len(true) == 1
    for row in range(U(lo), U(hi)):
        q, end = U(mask_indptr[row]), U(mask_indptr[row + U(1)])
        count = 0
        for p in range(U(indptr[row]), U(indptr[row + U(1)])):
            while q < end and mask_indices[q] < indices[p]:
                q += U(1)
            found = q < end and mask_indices[q] == indices[p] and true[U(0) if one else q]
            flags[p] = found != complement
            count += flags[p]
        counts[row] = count
"""


def write(
    c: MatrixStore, t: MatrixStore, mask: MaskView, accum: Accum, replace: bool, masked: bool
) -> MatrixStore | None:
    """The new store of the output, with values of any type, or None for the definition to decide."""
    if accum is not None and accum.positional is not None:
        return None
    if c.nvals == 0 or (replace and accum is None):
        return t if masked else opened(t, mask, mask.complement)
    return ewise.write_masked(c, t, mask, accum, replace)


def opened(x: MatrixStore, mask: MaskView, complement: bool) -> MatrixStore:
    """The entries where a mask has a true entry, or has none; declined if a compiled kernel does not pay."""
    m = mask.store
    assert type(m) is MatrixStore
    work = x.nvals + m.nvals
    kernel = _table.find((x.indices.dtype.char, m.indices.dtype.char), work, lambda: (FIND, {}))
    flags, indptr = np.empty(x.nvals, bool), np.zeros(x.nrows + 1, INDEX)
    given = x.indptr, x.indices, m.indptr, m.indices, ewise.true_entries(mask), complement, flags, indptr[1:]
    parts = edge_chunks(x.indptr) if work > PARALLEL_WORK and x.nvals else [(0, x.nrows)]
    pool.launch(kernel, parts, *given)
    np.cumsum(indptr, out=indptr)
    count = int(indptr[-1])
    values = x.values[: min(1, count)].copy() if x.iso else x.values[flags]
    return MatrixStore(x.nrows, x.ncols, indptr, x.indices[flags], values)
