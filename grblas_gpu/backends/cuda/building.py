"""Vectors and matrices from coordinates: a few entries of the host are sorted there before they are copied."""

from __future__ import annotations

from collections.abc import Callable

import cupy
import numpy as np

from ...foundation.types import TypedOperator, Value
from ...plan.storage_rules import matrix_form
from ..protocol import Backend
from ..reference import Definitions
from ..stores.storage import Array, HostEntry, HostList, MatrixStore, VectorStore
from .eager import building
from .memory import HOST

FEW = 2**14  # entries of the host: up to so many are sorted there
FEW_HYPERSPARSE = 2**20  # entries of a hypersparse matrix, likewise: it is built by array code


class CudaBuilding(Backend):
    """Operations that make stores of given entries."""

    moved: Callable[..., Array]  # definitions
    combined_runs: Callable[..., Array]

    def build_vector(self, size: int, index: Array, values: Array, dup_op: TypedOperator | None) -> VectorStore:
        if len(values) == 1 and type(index) is type(values) is np.ndarray:  # nothing to put in order
            return self.build_entry(size, index.item(), values.item(), values.dtype)
        if _few_on_host(index, values):
            if len(values) > 1 and (values == values[0]).all():  # one value for all: kernels read none
                values = np.broadcast_to(values[:1], values.shape)
            return VectorStore.on_its_way(size, HostList(HOST.build_vector(size, index, values, dup_op), cupy.asarray))
        return Definitions.build_vector(self, size, index, values, dup_op)

    def build_entry(self, size: int, index: int, value: Value, dtype: np.dtype) -> VectorStore:
        """A vector of one entry, given as Python numbers."""
        return VectorStore.on_its_way(size, HostEntry(size, index, value, dtype, cupy.asarray))

    def build_matrix(
        self, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: TypedOperator | None
    ) -> MatrixStore:
        hypersparse = matrix_form(len(rows), nrows, ncols, "sparse") == "hypersparse"
        if _few_on_host(rows, cols, values) or (hypersparse and len(rows) <= FEW_HYPERSPARSE):
            if isinstance(rows, cupy.ndarray):
                building.check_positions(nrows, ncols, rows, cols)
            rows, cols, values = (x if isinstance(x, np.ndarray) else cupy.asnumpy(x) for x in (rows, cols, values))
            return self.adopt(HOST.build_matrix(nrows, ncols, rows, cols, values, dup_op))
        rows, cols, values = self.array(rows), self.array(cols), self.moved(values)
        combined = self.combined_runs
        found = None if hypersparse else building.build_matrix(nrows, ncols, rows, cols, values, dup_op, combined)
        if found is None:
            building.check_positions(nrows, ncols, rows, cols)
            return Definitions.build_matrix(self, nrows, ncols, rows, cols, values, dup_op)
        return found

    def checks_positions(self, rows: Array, cols: Array, values: Array) -> bool:
        """Arrays on the device, and all values but records, which another engine builds."""
        return isinstance(rows, cupy.ndarray) and isinstance(cols, cupy.ndarray) and values.dtype.kind in "biuf"


def _few_on_host(*arrays: Array) -> bool:
    return len(arrays[0]) <= FEW and all(isinstance(array, np.ndarray) for array in arrays)
