"""Assignment nodes: to a whole object, to a region, to one element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...foundation.types import Accum, Assigned, Axis, Engine, Indexes, Scalar, Store, Tensor
from ...ir.node import Node
from ...ir.ops import SUBASSIGN
from ...ir.recording import Number
from ..stores.entries import cast, expand, find, keys_at, matrix_keys, take
from ..stores.formats import choose_format
from ..stores.later import Later
from ..stores.matrix_storage import SPARSE
from ..stores.storage import INDEX, MaskView, MatrixStore, VectorStore
from ..stores.windows import positions_to_change
from .changes import LONG, change, change_many, change_row, converted
from .operands import empty_store, positions_of, value_of

MANY_PER_CHANGE = 32  # entries of a matrix: for fewer, a pass over all takes less time than the changes


def assign(node: Node) -> None:
    """``out<mask>[I, J] (accum)= value``."""
    op, out, _, (value, indexes), mask, accum, replace, _, _ = node
    if out.ndim == 0:
        _assign_scalar(out, value, accum)
        return
    if out.ndim == 2 and mask is None and accum is None and _replaces_line(out, value, indexes):
        return
    engine, store = out._engine, out._store
    view = None if mask is None else mask.view()
    is_literal = isinstance(value, np.generic)
    if not is_literal and type(value) is Number:  # of a loop that is run node by node
        value, is_literal = np.int64(int(value)), True
    if is_literal:
        dtype, plain = store.dtype, value
        if accum is None and value.dtype is not dtype:
            whole = value.dtype.kind in "biu" and dtype.kind in "biuf"
            plain = value.astype(dtype) if whole else cast(value.reshape(1), dtype)[0]
    else:
        plain = value_of(value)
    if indexes is None:
        index: tuple = (None,) if out.ndim == 1 else (None, None)
    else:
        is_line = out.ndim == 2 and len(indexes.shape) == 1
        is_vector = getattr(value, "ndim", 0) == 1
        if is_line and (is_vector if mask is None else mask.parent.ndim == 1):
            out._store = _assign_line(node, plain, indexes, view)
            return
        if is_line and is_vector:  # a matrix mask: the line is a thin matrix
            plain = engine.as_matrix(plain, indexes.axes[0].size is None)
        first = indexes.axes[0]
        positions = np.array([first.position]) if out.ndim == 1 and first.size is None else first.index
        if out.ndim == 1 and type(positions) is np.ndarray:
            found = engine.assign_few(store, plain, positions, view, accum, replace, op is SUBASSIGN)
            if found is not None:
                out._store = choose_format(engine, found)
                return
        if view is None and accum is None and plain is not None and out.ndim == 2:
            found = _assign_block(engine, store, plain, *indexes.axes)
            if found is not None:
                out._store = choose_format(engine, found)
                return
        index, there = positions_to_change(engine, indexes.axes, store, plain, view, op is SUBASSIGN)
        plain, view = _where_indexed(engine, there, plain, view, op is SUBASSIGN)
    if not is_literal:
        plain = _fitting(engine, store, plain, index, accum)
    changes = indexes is not None and accum is None and not replace
    if changes and view is not None and _changes_region(out, store, plain, index, view, op is SUBASSIGN):
        return
    out._store = choose_format(engine, engine.assign(store, plain, index, view, accum, replace, op is SUBASSIGN))


def _replaces_line(out: Tensor, value: Assigned, indexes: Indexes | None) -> bool:
    """``out[i, :] = vector`` or ``out[:, j] = vector`` of a CSR on the host. A row may wait as a change."""
    if indexes is None or getattr(value, "ndim", 0) != 1 or len(indexes.shape) != 1:
        return False
    is_row = indexes.axes[0].size is None
    across, along = indexes.axes if is_row else reversed(indexes.axes)
    whole = along.window == range(along.dimsize) if along.positions is not None else along.index is None
    line = value_of(value)
    if not whole or type(line) is not VectorStore:
        return False
    if is_row and change_row(out, across.position, line):
        return True
    store, engine = out._store, out._engine
    if type(store) is not MatrixStore or store.form != SPARSE or not isinstance(store.stored_values, np.ndarray):
        return False
    put = engine.replace_row if is_row else engine.replace_column
    out._store = choose_format(engine, put(store, across.position, engine.cast(line, store.dtype)))
    return True


def _assign_block(engine: Engine, store: MatrixStore, value: Assigned, rows: Axis, cols: Axis) -> MatrixStore | None:
    """``out[I, a:b] = value`` by an engine's own kernel, or None."""
    if type(store) is not MatrixStore or store.form != SPARSE:
        return None
    down, across = _window(rows), _window(cols)
    if across is None and cols.index is not None:
        return None
    if down is None and rows.index is not None:
        if rows.is_long:
            return None
        (down,), (there,) = positions_of(engine, [rows])
        if there is not None:  # an index with gaps
            return None
    if down is None and across is None:
        return None
    if type(value) is not MatrixStore:
        value = _fitting(engine, store, value, (), None)
    return engine.assign_block(store, value, down, across)


def _changes_region(out: Tensor, c: Store, value: Assigned, index: tuple, mask: MaskView, submask: bool) -> bool:
    """Note ``out[I, J] = value`` at the entries of a mask as changes; False if it is to be done at once."""
    stores = [c, mask.store] if isinstance(value, np.generic) else [c, mask.store, value]
    if mask.complement or any(type(x) is not MatrixStore or x.form != SPARSE or x.copies > 1 for x in stores):
        return False
    if c.nvals < LONG or not all(isinstance(x, np.ndarray) for x in (c.stored_values, *index) if x is not None):
        return False
    if not all(axis is None or bool((axis[1:] > axis[:-1]).all()) for axis in index):
        return False
    m: Any = mask.store if submask else out._engine.extract_matrix(mask.store, *index)
    if m.form != SPARSE or m.nvals * MANY_PER_CHANGE > c.nvals:
        return False
    chosen = slice(None) if mask.structure else expand(m.values, m.nvals) != 0
    rows, cols = (x.astype(INDEX)[chosen] for x in (m.row_ids, m.indices))
    if type(value) is MatrixStore:
        kept, where = find(matrix_keys(value), keys_at(rows, cols, m.nrows, m.ncols))
        values = np.zeros(len(kept), c.dtype)
        values[kept] = cast(take(value.values, where[kept]), c.dtype)
    else:
        kept, values = np.ones(len(rows), bool), np.full(len(rows), value, c.dtype)
    across, along = index
    change_many(out, (rows if across is None else across[rows], cols if along is None else along[cols]), values, kept)
    return True


def _window(axis: Axis) -> range | None:
    """The consecutive positions of a slice, or a single one."""
    return range(axis.position, axis.position + 1) if axis.size is None else axis.window


def scatter(node: Node) -> None:
    """``out<mask>[index] (accum)= value``, for an index Vector."""
    _, out, _, (value, index), mask, accum, replace, _, _ = node
    engine, view = out._engine, None if mask is None else mask.view()
    found = engine.scatter(out._store, value_of(value), index._store, view, accum, replace)
    if found is not None:
        out._store = choose_format(engine, found)
        return
    positions, there = engine.positions(index._store, out._size)
    plain, _ = _where_indexed(engine, (there,), value_of(value), None, False)
    plain = _fitting(engine, out._store, plain, (positions,), accum)
    out._store = choose_format(engine, engine.assign(out._store, plain, (positions,), view, accum, replace, False))


def _where_indexed(
    engine: Engine, there: tuple, value: Assigned, view: MaskView | None, submask: bool
) -> tuple[Assigned, MaskView | None]:
    """A value and a submask of the region's shape, without positions where an index Vector has no entry."""
    if all(part is None for part in there):
        return value, view
    take: Callable[..., Store] = engine.extract_vector if len(there) == 1 else engine.extract_matrix
    if value is not None and not isinstance(value, np.generic):
        value = take(value, *there)
    if view is not None and submask:
        view = MaskView(take(view.store, *there), view.structure, view.complement)
    return value, view


def _fitting(engine: Engine, store: Store, value: Assigned, index: tuple, accum: Accum) -> Assigned:
    """A value of the type of the output; None is an empty object, which deletes, or, with an accumulator, changes
    nothing."""
    if value is None:
        shape = (store.size,) if len(index) == 1 else (store.nrows, store.ncols)
        sizes = tuple(n if part is None else len(part) for part, n in zip(index, shape, strict=True))
        return empty_store(engine, sizes, store.dtype)
    if accum is None and isinstance(value, np.generic) and value.dtype != store.dtype:
        return cast(value.reshape(1), store.dtype)[0]
    return value


def _assign_line(node: Node, value: Assigned, indexes: Indexes, view: MaskView | None) -> MatrixStore:
    """One row or column: an assignment to a vector, put back in place."""
    out, engine = node.out, node.out._engine
    row, col = indexes.axes
    is_row = row.size is None
    across, along = (row, col) if is_row else (col, row)
    take = engine.extract_row if is_row else engine.extract_column
    put = engine.replace_row if is_row else engine.replace_column
    line = take(out._store, across.position, None)
    index, there = positions_to_change(engine, [along], line, value, view, node.op is SUBASSIGN)
    value, view = _where_indexed(engine, there, value, view, node.op is SUBASSIGN)
    value = _fitting(engine, line, value, index, node.accum)
    line = engine.assign(line, value, index, view, node.accum, node.replace, node.op is SUBASSIGN)
    return choose_format(engine, put(out._store, across.position, line))


def _assign_scalar(out: Scalar, value: Assigned, accum: Accum) -> None:
    if accum is None:
        out.value = value if getattr(value, "_is_scalar", False) else value_of(value)
    else:
        set_scalar(out, value_of(value), accum)


def set_scalar(out: Scalar, value: Assigned, accum: Accum) -> None:
    """``out (accum)= value``; None is no value."""
    if accum is not None and isinstance(value, Later):
        value = value.read()
    if accum is not None and not out._is_empty:
        if value is None:
            return
        old = cast(np.asarray(out._get()).reshape(1), accum.type.np_type)
        new = cast(np.asarray(value).reshape(1), accum.type2.np_type)
        value = accum.numpy(old, new)[0]
    out._set(value)


def set_element(node: Node) -> None:
    out, (value, indexes) = node.out, node.operands
    index = tuple([axis.position for axis in indexes.axes])
    value = value_of(value)
    change(out, index, None if value is None else converted(value, out.dtype.np_type))


def remove_element(node: Node) -> None:
    (indexes,) = node.operands
    change(node.out, tuple([axis.position for axis in indexes.axes]), None)


def clear(node: Node) -> None:
    out = node.out
    make = out._engine.empty_vector if out.ndim == 1 else out._engine.empty_matrix
    out._store = make(*out.shape, out.dtype.np_type)
