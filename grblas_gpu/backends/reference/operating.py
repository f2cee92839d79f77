"""Arrays in the memory of the host, and operators on them.

An engine for another kind of memory overrides this, and of the protocol ``compute``, ``reduce_runs`` and
``in_order``; it inherits every definition.
"""

from __future__ import annotations

import numpy as np

from ...foundation.types import ArrayLike, TypedMonoid, TypedOperator, Value
from ...plan import rules
from ..protocol import Backend
from ..stores.entries import Store, operand
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore

Operand = tuple[Array, Array, Array]  # values, rows, columns


class Operating(Backend):
    costs = rules.CPU_COSTS
    dense_products = True

    def array(self, values: ArrayLike, dtype: np.dtype | type | None = None) -> Array:
        """An array in this engine's memory."""
        return np.asarray(values, dtype)

    def host(self, array: Array) -> np.ndarray:
        """An array in the memory of the host."""
        return array

    def share(self, array: object) -> Array:
        """An array on a CUDA device as an array of this engine, without a copy."""
        raise TypeError(
            f"{type(array).__module__}.{type(array).__name__} is an array on a CUDA device, which backend "
            f'{self.name!r} cannot read: copy it to the host with .get(), or use backend "cuda"'
        )

    def adopt(self, store: Store) -> Store:
        """A store made of host arrays, in this engine's memory."""
        return store

    def export(self, store: Store) -> Store:
        """A copy of a store in the memory of the host."""
        return store.copy()

    def copy(self, store: Store) -> Store:
        """The same entries in memory of their own."""
        return store.copy()

    def empty_vector(self, size: int, dtype: np.dtype) -> VectorStore:
        return VectorStore(size, np.empty(0, dtype), indices=np.empty(0, INDEX))

    def empty_matrix(self, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        return MatrixStore.empty(nrows, ncols, dtype)

    def reduce_all(self, monoid: TypedMonoid, values: Array) -> Value:
        """All values (at least one) combined, as a NumPy scalar."""
        return monoid.reduce(values)

    def combine(self, op: TypedOperator, left: Operand, right: Operand) -> Array:
        """A binary operator on operands with positions; a positional operator reads only these, an indexed one both."""
        if op.positional is None:
            return self.compute(op, operand(left[0], op.type.np_type), operand(right[0], op.type2.np_type))
        if op.indexed:
            given = zip((left, right), (op.type, op.type2), strict=True)
            return self.compute(op, *(x for (v, i, j), t in given for x in (operand(v, t.np_type), i, j)))
        _, rows, cols = left if op.positional.startswith("first") else right
        return ((rows if op.positional.endswith("i") else cols) + op.offset).astype(op.return_type.np_type)
