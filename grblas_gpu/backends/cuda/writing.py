"""The output step ``c<m, r> = c (+) t``, assignment to a region, and single elements."""

from __future__ import annotations

import numpy as np

from ...foundation.types import Accum, Assigned
from ...plan.storage_rules import DENSE_LIMIT
from ..engine import kind_among
from ..protocol import Backend
from ..reference import Definitions
from ..stores.entries import Store
from ..stores.matrix_storage import SPARSE
from ..stores.storage import Array, MaskView, MatrixStore, VectorStore
from .eager import matrices, matrix_elements, vectors
from .eager.assign import assign_scalar
from .eager.assign_block import assign_block
from .eager.assign_few import MOST_FEW, assign_few
from .eager.assign_region import assign_region
from .eager.matrix_elements import WORD


class CudaWriting(Backend):
    """By the first kernel that suits the output, its mask and what is written; else by the definitions."""

    def write(
        self, c: Store, t: Store, mask: MaskView | None, accum: Accum, replace: bool, masked: bool = False
    ) -> Store:
        if accum is None and (mask is None or (masked and (replace or _is_empty(c)))):
            return t if t.dtype == c.dtype else self.cast(t, c.dtype)
        if accum is None and masked and _is_gaps_of(c, mask) and vectors.worthwhile(c, t):
            return vectors.fill_gaps(c, t)
        if matrices.worthwhile(c):
            return matrices.write(c, t, mask, accum, replace)
        if not vectors.worthwhile(c, t):
            return Definitions.write(self, c, t, mask, accum, replace, masked)
        return vectors.write(c, t, mask, accum, replace)

    def assign(
        self, c: Store, value: Assigned, index: tuple, mask: MaskView | None, accum: Accum, replace: bool, submask: bool
    ) -> Store:
        is_scalar = type(value) not in (VectorStore, MatrixStore)
        plain = accum is None and not (replace or submask) and index[0] is None
        if type(c) is VectorStore and is_scalar and plain and mask is not None and c.size <= DENSE_LIMIT:
            return assign_scalar(vectors.writable(c), value, mask)
        to_some = mask is None and accum is None and index[0] is not None
        if type(c) is VectorStore and is_scalar and to_some and len(index[0]) and vectors.worthwhile(c):
            listed = VectorStore(c.size, index[0][:1], indices=index[0])
            return assign_scalar(vectors.writable(c), value, MaskView(listed, True, False), unique=False)
        region = type(c) is VectorStore and index[0] is not None and not submask and len(index[0])
        if region and vectors.worthwhile(c):
            found = assign_region(c, value, index[0], mask, accum, replace)
            if found is not None:
                return found
        everywhere = type(c) is MatrixStore and index[0] is None and index[1] is None
        if is_scalar and mask is not None and not mask.complement and everywhere and matrices.worthwhile(c):
            return matrices.assign_scalar(c, value, mask, accum, replace)
        return Definitions.assign(self, c, value, index, mask, accum, replace, submask)

    def assign_block(
        self, c: MatrixStore, value: Assigned, rows: range | Array | None, cols: range | None
    ) -> MatrixStore | None:
        if not (matrices.worthwhile(c) and c.nrows) or kind_among("cV", (c, value)):
            return None
        return assign_block(c, value, rows, cols)

    def assign_few(
        self,
        c: VectorStore,
        value: Assigned,
        positions: np.ndarray,
        mask: MaskView | None,
        accum: Accum,
        replace: bool,
        submask: bool,
    ) -> VectorStore | None:
        if len(positions) > MOST_FEW:
            return None
        return assign_few(c, value, positions.tolist(), mask, accum, replace, submask)

    def change_elements(
        self, x: Store, index: tuple[np.ndarray, ...], values: np.ndarray, kept: np.ndarray, owned: bool = False
    ) -> Store:
        if type(x) is not MatrixStore or x.form != SPARSE or x.copies > 1 or not x.nvals or x.dtype.itemsize > WORD:
            return Definitions.change_elements(self, x, index, values, kept, owned)
        return matrix_elements.changed(x, index, values, kept)

    def set_element(self, x: Store, index: tuple[int, ...], value: np.generic, owned: bool = False) -> Store:
        if type(x) is VectorStore and x.kind == "sparse" and x.known_nvals == 0:
            return self.build_entry(x.size, index[0], value, x.dtype)
        found = assign_few(x, value, index, None, None, False, False) if type(x) is VectorStore else None
        return Definitions.set_element(self, x, index, value) if found is None else found

    def remove_element(self, x: Store, index: tuple[int, ...]) -> Store:
        found = assign_few(x, None, index, None, None, False, False) if type(x) is VectorStore else None
        return Definitions.remove_element(self, x, index) if found is None else found


def _is_empty(store: Store) -> bool:
    """Whether the host knows that there is no entry."""
    return (store.known_nvals if type(store) is VectorStore else store.nvals) == 0


def _is_gaps_of(c: Store, mask: MaskView | None) -> bool:
    """Whether a mask is open exactly where there is no entry yet."""
    return mask is not None and mask.store is c and mask.complement and mask.structure
