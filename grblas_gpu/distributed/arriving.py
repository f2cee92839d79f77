"""Entries sent to their owners piece by piece, and the block built from received entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.matrix import Matrix
from ..backends.mpi.engine import MpiBackend
from ..backends.mpi.routing import route
from ..backends.stores.entries import keys_at, matrix_from_keys, rows_and_columns
from ..exceptions import IndexOutOfBound, InvalidValue
from ..foundation.types import DataType, OperatorLike, TypedOperator
from ..operators import get_typed_op

Piece = tuple[Any, ...]  # rows, columns, and perhaps values


class Arriving:
    """An exchange of entries with their owners; received entries are kept as keys of the block."""

    def __init__(
        self, engine: MpiBackend, nrows: int, ncols: int, dtype: DataType, value: object, undirected: bool
    ) -> None:
        self.engine, self.shape, self.dtype = engine, (nrows, ncols), dtype
        self.value, self.undirected = value, undirected
        self.rows, self.columns = engine.grid.rows_of(nrows), engine.grid.columns_of(ncols)
        if undirected and nrows != ncols:
            raise InvalidValue(f"an undirected graph has a square matrix; got shape {(nrows, ncols)}")
        self.keys: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.with_values: bool | None = None

    def checked(self, piece: Piece) -> Piece:
        rows, cols = (
            checked_index(index, size, what)
            for index, size, what in zip(piece, self.shape, ("row indices", "column indices"), strict=False)
        )
        if len(rows) != len(cols):
            raise InvalidValue(f"rows and columns must be of the same length: {len(rows)}, {len(cols)}")
        if len(piece) == 2:
            return rows, cols
        values = np.asarray(piece[2]).astype(self.dtype.np_type)
        if len(values) != len(rows):
            raise InvalidValue(f"rows and values must be of the same length: {len(rows)}, {len(values)}")
        return rows, cols, values

    def add(self, piece: Piece | None) -> None:
        """Send a piece (or nothing), and receive those of the others."""
        has_values = piece is not None and len(piece) == 3
        if self.with_values is None:  # all ranks send values or none does
            self.with_values = self.engine.grid.everyone.add_up([int(has_values)])[0] > 0
        elif has_values and not self.with_values:
            raise InvalidValue("values in a later piece, but none in the first: give them with every piece, or never")
        rows, cols = (np.zeros(0, np.int64),) * 2 if piece is None else piece[:2]
        arrays = [rows, cols]
        if self.with_values:
            arrays.append(piece[2] if has_values and piece else np.full(len(rows), self.value, self.dtype.np_type))
        if self.undirected:
            off = rows != cols
            arrays = [x[off] for x in arrays]
            arrays = [np.concatenate(pair) for pair in ((arrays[0], arrays[1]), (arrays[1], arrays[0]))] + [
                np.concatenate([x, x]) for x in arrays[2:]
            ]
        owners = self.engine.owner_of(*self.shape, arrays[0], arrays[1])
        arrived = route(self.engine.grid.everyone, owners, *arrays)
        rows, cols = self.rows.to_local(arrived[0]), self.columns.to_local(arrived[1])
        self.keys.append(keys_at(rows, cols, self.rows.size, self.columns.size))
        if self.with_values:
            self.values.append(arrived[2])

    def matrix(self, dup_op: OperatorLike | None) -> Matrix:
        engine, (nrows, ncols) = self.engine, self.shape
        keys = np.concatenate([np.zeros(0, np.int64), *self.keys])
        self.keys.clear()
        if self.values:
            values = np.concatenate(self.values)
            rows, cols = rows_and_columns(keys, self.columns.size)
            rows, cols = self.rows.to_global(rows), self.columns.to_global(cols)
            op = combiner(dup_op, self.dtype)
            part = engine.grid.together(lambda: engine.block_part(nrows, ncols, rows, cols, values, op))
        else:
            keys.sort()
            if len(keys):
                keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
            one = np.broadcast_to(np.asarray([self.value], self.dtype.np_type), keys.shape)
            part = engine.local.adopt(matrix_from_keys(self.rows.size, self.columns.size, keys, one))
        store: Any = engine.matrix(nrows, ncols, part)
        return Matrix._from_store(engine, self.dtype, store)


def checked_index(index: object, size: int, what: str) -> np.ndarray:
    array = np.asarray(index)
    if array.size == 0:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidValue(f"{what} must be a list of integers; got {array.dtype} of shape {array.shape}")
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= size:
        raise IndexOutOfBound(f"{what}: {low if low < 0 else high} is out of range for size {size}")
    return array.astype(np.int64)


def combiner(dup_op: OperatorLike | None, dtype: DataType) -> TypedOperator | None:
    if dup_op is None:
        return None
    from ..operators import binary_from_string

    op = get_typed_op(binary_from_string(dup_op) if isinstance(dup_op, str) else dup_op, dtype, kind="binary")
    return op.binaryop if op.opclass == "Monoid" else op
