"""Operators that read positions, global ones in every part; and indirect access by a distributed index Vector.

``u[index]`` and ``c[index] (+)= value``: for the positions in its part of the index, every rank requests values from
their owners, or sends values to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...exceptions import IndexOutOfBound
from ...foundation.types import Accum, TypedOperator, Value
from ..reference import Definitions
from ..stores.entries import cast, operand, take
from ..stores.storage import MaskView, MatrixStore, VectorStore
from .parts import AnyStore, Parts, Store, reads
from .routing import answer, route
from .stores import DistMatrixStore, DistVectorStore

_HOST = Definitions()


class Indirect(Parts):
    """Gather and scatter."""

    def gather(self, u: DistVectorStore, index: DistVectorStore) -> DistVectorStore:
        """``t[p] = u[index[p]]``, where both have an entry."""
        places, wanted = self._named(index, u.size)
        low, high = self.chunk(u.size)
        keys, _, values = self.local.tuples(u.part)
        answers = np.zeros(high - low, [("there", bool), ("value", u.dtype)])
        answers["there"][keys], answers["value"][keys] = True, values
        owners = self.grid.line(u.size).owner(wanted)
        found = answer(self.grid.everyone, owners, wanted, lambda places: answers[places - low])
        places, found = places[found["there"]], np.ascontiguousarray(found["value"][found["there"]])
        part = _HOST.build_vector(index.part.size, places, found, None)
        return self.vector(index.size, self.local.adopt(part))

    def scatter(
        self, c: DistVectorStore, value: Any, index: DistVectorStore, mask: MaskView | None, accum: Accum, replace: bool
    ) -> DistVectorStore | None:
        """``c<mask>[index] (accum)= value``; None for a vector without accumulator, where the last value must win."""
        c, value = self.mine(c), self.mine(value)
        vector = value if isinstance(value, DistVectorStore) else None
        if value is None or (vector is not None and accum is None):
            return None
        places, targets = self._named(index, c.size)
        given: list[np.ndarray] = []
        if vector is not None:
            keys, _, values = self.local.tuples(vector.part)
            _, mine, others = np.intersect1d(places, keys, assume_unique=True, return_indices=True)
            targets, given = targets[mine], [np.ascontiguousarray(values[others])]
        owners = self.grid.line(c.size).owner(targets)
        targets, *given = route(self.grid.everyone, owners, targets, *given)
        low, _ = self.chunk(c.size)
        here = self.local.array(targets - low)
        what = VectorStore(len(targets), self.local.array(given[0])) if vector is not None else value
        return self.like(c, self.local.assign(c.part, what, (here,), self.view(mask), accum, replace, False))

    def _named(self, index: DistVectorStore, size: int) -> tuple[np.ndarray, np.ndarray]:
        """The positions of the entries of this rank's part of the index, and their values."""
        places, _, values = self.local.tuples(index.part)

        def checked() -> np.ndarray:
            for wrong in (int(values.min()), int(values.max())) if len(values) else ():
                if not 0 <= wrong < size:
                    raise IndexOutOfBound(f"Index out of range: index={wrong}, size={size}")
            return values.astype(np.int64)

        return places.astype(np.int64), self.grid.together(checked)


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
        return self._rebuilt(x, rows[kept], cols[kept], take(values, kept))

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
