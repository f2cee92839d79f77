"""Every operation but the products, from nodes: element-wise, apply, select, reductions, structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...exceptions import EmptyObject, IndexOutOfBound, NotImplementedException
from ...foundation.types import Axis, Engine, Later, Store, Value, Vector
from ...ir.node import Node
from ...operators.aggregators import compute as aggregate, is_count
from ..stores import windows
from ..stores.matrix_forms import flat
from ..stores.matrix_storage import SPARSE
from ..stores.storage import MaskView, MatrixStore, VectorStore
from .operands import engine_of, given, matrix_store, placed, positions_of, store_of
from .products import binary_of

# --------------------------------------------------------------------------------------------------------------
# Element-wise. Beside a matrix, a vector on the left stands for every column, one on the right for every row.


def _spread(x: Any, y: Any, intersection: bool) -> tuple[Store, Store]:
    """The stores of two operands, of which a vector is spread over the shape of a matrix.

    An intersection needs the vector only where the matrix has entries; a union needs it everywhere.
    """
    if x.ndim == y.ndim:
        return store_of(x), store_of(y)
    vector, matrix = (x, y) if x.ndim == 1 else (y, x)
    other = matrix_store(matrix)
    pattern = other if intersection else None
    store = vector._engine.spread(vector._store, other.nrows, other.ncols, x.ndim == 1, pattern)
    return (store, other) if x.ndim == 1 else (other, store)


def ewise_add(node: Node, view: MaskView | None) -> Store:
    x, y = node.operands
    return engine_of(x).ewise_add(*_spread(x, y, False), binary_of(node.operator))


def ewise_mult(node: Node, view: MaskView | None) -> Store:
    x, y = node.operands
    return engine_of(x).ewise_mult(*_spread(x, y, True), binary_of(node.operator))


def ewise_union(node: Node, view: MaskView | None) -> Store:
    x, left, y, right = node.operands
    if left._is_empty or right._is_empty:
        raise EmptyObject("ewise_union: a default value is an empty Scalar; give it a value")
    return engine_of(x).ewise_union(*_spread(x, y, False), binary_of(node.operator), left._get(), right._get())


def apply(node: Node, view: MaskView | None) -> Store:
    (x,) = node.operands
    return engine_of(x).apply(store_of(x), node.operator)


def apply_left(node: Node, view: MaskView | None) -> Store:
    scalar, x = node.operands
    return engine_of(x).apply_bind(store_of(x), node.operator, given(scalar, "left"), "left")


def apply_right(node: Node, view: MaskView | None) -> Store:
    x, scalar = node.operands
    return engine_of(x).apply_bind(store_of(x), node.operator, given(scalar, "right"), "right")


def apply_index(node: Node, view: MaskView | None) -> Store:
    x, thunk = node.operands
    return engine_of(x).apply_index(store_of(x), node.operator, given(thunk, "right"))


def select(node: Node, view: MaskView | None) -> Store:
    x, thunk = node.operands
    return engine_of(x).select(store_of(x), node.operator, given(thunk, "thunk"))


def select_mask(node: Node, view: MaskView | None) -> Store:
    """The entries of x where the mask is open."""
    x, mask = node.operands
    engine, store = x._engine, store_of(x)
    make = engine.empty_matrix if x.ndim == 2 else engine.empty_vector
    return engine.write(make(*x.shape, store.dtype), store, mask.view(), None, True)


# --------------------------------------------------------------------------------------------------------------
# Reductions


def reduce(node: Node, view: MaskView | None) -> Value | Later | None:
    (x,) = node.operands
    if node.operator.opclass == "Aggregator":
        return aggregate(node.operator, x, "scalar")._get()
    store = x._matrix._store if x._is_transposed else x._store
    if x.ndim == 2 and store.dense is not None:  # position by position, as a vector is
        store = flat(store)
    return x._engine.reduce_later(store, node.operator)


def reduce_or_identity(node: Node, view: MaskView | None) -> Value | Later:
    value, monoid = reduce(node, view), node.operator
    return np.asarray(monoid.identity, monoid.return_type.np_type)[()] if value is None else value


def reduce_rowwise(node: Node, view: MaskView | None) -> VectorStore:
    return _reduced(node, False)


def reduce_columnwise(node: Node, view: MaskView | None) -> VectorStore:
    return _reduced(node, True)


def _reduced(node: Node, by_columns: bool) -> VectorStore:
    """The lines of a matrix combined; columns of one that is stored by rows need no transpose."""
    (a,), op, found = node.operands, node.operator, None
    store, engine = (a._matrix if a._is_transposed else a)._store, a._engine
    across = by_columns is not a._is_transposed  # the rows of the store
    if op.opclass == "Monoid":
        found = (engine.reduce_columnwise if across else engine.reduce_rowwise)(store, op)
    elif op.opclass != "Aggregator":
        raise NotImplementedException(f"reduce needs a monoid: {op} is a BinaryOp that belongs to none")
    elif is_count(op) and type(store) is MatrixStore and store.form == SPARSE:  # CSR knows the lengths of rows
        found = (engine.count_columnwise if across else engine.count_rowwise)(store)
    else:
        found = aggregate(op, a, "columnwise" if by_columns else "rowwise")._store
    return found


_groups: Callable[..., Vector]


def define_groups(function: Callable[..., Vector]) -> None:
    """Define how the heaviest groups are found without an engine's kernel: by products of objects, a higher layer."""
    global _groups
    _groups = function


def heaviest_groups(node: Node, view: MaskView | None) -> Store:
    return _groups(*node.operands)._store


# --------------------------------------------------------------------------------------------------------------
# Structure


def transpose(node: Node, view: MaskView | None) -> MatrixStore:
    (a,) = node.operands
    return a._engine.transpose(a._matrix._store)


def copy(node: Node, view: MaskView | None) -> Store:
    (x,) = node.operands
    whole = view is None and node.accum is None
    return x._engine.copy(x._store) if whole else x._engine.copy_allowed(x._store, view)


def extract(node: Node, view: MaskView | None) -> Store:
    parent, indexes = node.operands
    engine = parent._engine
    if parent.ndim == 1:
        axis, vector = indexes.axes[0], parent._store
        if axis.given is not None and (found := engine.extract_given(vector, axis.given)) is not None:
            return found
        if type(vector) is VectorStore and (axis.is_long or (axis.window is not None and vector.kind != "sparse")):
            return windows.of_vector(vector, axis.positions)
        return engine.extract_vector(vector, axis.on(engine))
    rows, cols = indexes.axes
    store = parent._matrix._store if parent._is_transposed else parent._store
    is_long = (rows.is_long or cols.is_long) and type(store) is MatrixStore
    if rows.size is None or cols.size is None:
        is_row = rows.size is None
        across, along = (rows, cols) if is_row else (cols, rows)
        take = engine.extract_column if is_row == parent._is_transposed else engine.extract_row
        if is_long:
            return windows.of_vector(take(store, across.position, None), along.positions)
        (positions,), there = positions_of(engine, [along])
        return placed(engine, take(store, across.position, positions), there, indexes.shape)
    if parent._is_transposed:
        store = store.transposed()
    return _extract_matrix(engine, store, indexes, is_long)


def _extract_matrix(engine: Engine, store: MatrixStore, indexes: Any, is_long: bool) -> Store:
    """``A[I, J]``: consecutive rows are cut out, and entries inside of a long slice moved, not looked up."""
    axes = list(indexes.axes)
    rows, cols = axes
    if rows.window is not None and type(store) is MatrixStore and store.form == SPARSE:
        store = engine.extract_rows(store, rows.window.start, rows.window.start + rows.size)
        axes[0] = _all_of(rows)
        is_long = cols.is_long
    elif rows.index is None and cols.index is None:
        return engine.copy(store)
    if is_long:
        store = windows.of_matrix(store, *(axis.positions if axis.is_long else None for axis in axes))
        axes = [_all_of(axis) if axis.is_long else axis for axis in axes]
    if all(axis.index is None for axis in axes):
        return store
    positions, there = positions_of(engine, axes)
    return placed(engine, engine.extract_matrix(store, *positions), there, indexes.shape)


def _all_of(axis: Any) -> Axis:
    """An axis that is already cut out."""
    return type(axis)(axis.size, None, axis.size)


def gather(node: Node, view: MaskView | None) -> VectorStore:
    x, index = node.operands
    return x._engine.gather(x._store, index._store)


def extract_row(node: Node, view: MaskView | None) -> VectorStore:
    a, row = node.operands
    number = int(row._get())
    if not 0 <= number < a._store.nrows:
        raise IndexOutOfBound(f"Index out of range: row {number} of {a._store.nrows}")
    return a._engine.extract_row(a._store, number, None)


def reposition(node: Node, view: MaskView | None) -> Store:
    """Entries moved by an offset; entries outside of the shape are dropped."""
    x, offsets, shape = node.operands
    engine = x._engine
    rows, cols, values = engine.tuples(store_of(x))
    rows, cols = rows.astype(np.int64) + offsets[0], cols.astype(np.int64)
    keep = (rows >= 0) & (rows < shape[0])
    if x.ndim == 1:
        return engine.build_vector(shape[0], rows[keep], values[keep], None)
    cols = cols + offsets[1]
    keep &= (cols >= 0) & (cols < shape[1])
    return engine.build_matrix(shape[0], shape[1], rows[keep], cols[keep], values[keep], None)
