"""Operators that read positions: they get global positions in every part."""

from __future__ import annotations

import numpy as np

from ...foundation.types import TypedOperator, Value
from ..reference import Definitions
from ..stores.entries import cast, operand
from ..stores.storage import MatrixStore, VectorStore
from .parts import AnyStore, Parts, Store, reads
from .stores import DistMatrixStore

_HOST = Definitions()


class Indexed(Parts):
    """Index-unary operators."""

    def apply_index(self, x: AnyStore, op: TypedOperator, thunk: Value) -> AnyStore:
        if not reads(op, "i", "j"):
            return self.like(x, self.local.apply_index(x.part, op, thunk))
        rows, cols, _ = self.local.tuples(x.part)
        return self._rebuilt(x, rows, cols, self._computed(x, op, thunk))

    def select(self, x: AnyStore, op: TypedOperator, thunk: Value) -> AnyStore:
        if not reads(op, "i", "j"):
            return self.like(x, self.local.select(x.part, op, thunk))
        rows, cols, values = self.local.tuples(x.part)
        kept = cast(self._computed(x, op, thunk), np.dtype(bool))
        if len(values) > 1 and values.strides[0] == 0:
            values = np.broadcast_to(values[:1], (int(kept.sum()),))
        else:
            values = values[kept]
        return self._rebuilt(x, rows[kept], cols[kept], values)

    def _computed(self, x: Store, op: TypedOperator, thunk: Value) -> np.ndarray:
        """The operator's value for every entry of this rank."""
        if isinstance(x, DistMatrixStore):
            rows, cols, values = self.global_entries(x)
        else:
            keys, _, values = self.local.tuples(x.part)
            rows, cols = keys.astype(np.int64) + self.chunk(x.size)[0], np.zeros(len(keys), np.int64)
        values = operand(values, op.type.np_type)
        bound = cast(np.asarray(thunk).reshape(1), op.type2.np_type)
        return np.asarray(np.broadcast_to(op.numpy(values, rows, cols, bound), rows.shape))

    def _rebuilt(self, x: AnyStore, rows: np.ndarray, cols: np.ndarray, values: np.ndarray) -> AnyStore:
        """The part with these entries, in local numbers."""
        part = x.part
        if isinstance(x, DistMatrixStore):
            made: MatrixStore | VectorStore = _HOST.build_matrix(
                part.nrows, part.ncols, rows.astype(np.int64), cols.astype(np.int64), values, None
            )
        else:
            made = _HOST.build_vector(part.size, rows.astype(np.int64), values, None)
        return self.like(x, self.local.adopt(made))
