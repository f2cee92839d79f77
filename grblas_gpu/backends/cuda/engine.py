"""The CUDA engine: the definitions on arrays in device memory, raw kernels for the hot loops."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ... import planner
from ..definitions import Definitions
from ..entries import Store
from ..storage import INDEX, Array, MaskView, MatrixStore, VectorStore, column_type
from . import operating
from .assign import assign_scalar
from .mxm import mxm
from .mxv import mxv


class CudaBackend(Definitions):
    """Stores hold CuPy arrays; nothing is computed on the host."""

    name = "cuda"
    keeps_dense = True

    # ---- memory -------------------------------------------------------------------------------------------------

    def array(self, values: Any, dtype: Any = None) -> Array:
        return cupy.asarray(values, dtype)

    def host(self, array: Array) -> np.ndarray:
        return cupy.asnumpy(array)  # synchronizes

    def share(self, array: Any) -> Array:
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            shared = cupy.from_dlpack(array)
        elif interface["data"][1]:  # read-only: values may change in place, so they cannot be shared
            shared = cupy.array(array)
        else:
            shared = cupy.asarray(array)
        return cupy.ascontiguousarray(shared) if shared.ndim else shared

    def adopt(self, store: Store) -> Store:
        return _move(store, cupy.asarray)

    def export(self, store: Store) -> Store:
        return _move(store, cupy.asnumpy)  # synchronizes

    def empty_vector(self, size: int, dtype: np.dtype) -> VectorStore:
        return VectorStore(size, cupy.empty(0, dtype), indices=cupy.empty(0, INDEX))

    def empty_matrix(self, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        indptr = cupy.zeros(nrows + 1, INDEX)
        return MatrixStore(nrows, ncols, indptr, cupy.empty(0, column_type(ncols)), cupy.empty(0, dtype))

    # ---- products -----------------------------------------------------------------------------------------------

    def mxv(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: Any,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Any,
    ) -> VectorStore:
        return mxv(a, u, semiring, mask, transposed=transposed, flip=flip, plan=plan)

    def mxm(self, a: MatrixStore, b: MatrixStore, semiring: Any, mask: MaskView | None, *, plan: Any) -> MatrixStore:
        return mxm(a, b, semiring, mask, plan=plan)

    # ---- the output ---------------------------------------------------------------------------------------------

    def assign(
        self, c: Store, value: Any, index: tuple, mask: MaskView | None, accum: Any, replace: bool, submask: bool
    ) -> Store:
        is_scalar = type(value) not in (VectorStore, MatrixStore)
        plain = accum is None and not (replace or submask) and index[0] is None
        if type(c) is VectorStore and is_scalar and plain and mask is not None and c.size <= planner.DENSE_LIMIT:
            return assign_scalar(self.with_kind(c, "bitmap") if c.indices is not None else c, value, mask)
        return super().assign(c, value, index, mask, accum, replace, submask)

    # ---- operators ----------------------------------------------------------------------------------------------

    def compute(self, op: Any, *operands: Array) -> Array:
        return operating.compute(op, *operands)

    def reduce_runs(self, op: Any, values: Array, starts: Array) -> Array:
        return operating.reduce_runs(op, values, starts)

    def reduce_all(self, monoid: Any, values: Array) -> Any:
        return operating.reduce_all(monoid, values)

    # ---- values that leave the device ---------------------------------------------------------------------------

    def get_element(self, x: Store, index: tuple[int, ...]) -> Any:
        return _scalar(super().get_element(x, index))


def _scalar(value: Any) -> Any:
    """A device value as a NumPy scalar."""
    return value.get()[()] if isinstance(value, cupy.ndarray) else value  # synchronizes


def _move(store: Store, to: Any) -> Store:
    if type(store) is MatrixStore:
        return MatrixStore(store.nrows, store.ncols, to(store.indptr), to(store.indices), to(store.values))
    return VectorStore(
        store.size,
        to(store.values),
        indices=None if store.indices is None else to(store.indices),
        present=None if store.present is None else to(store.present),
        nvals=store.nvals,
        ordered=store.ordered,
    )
