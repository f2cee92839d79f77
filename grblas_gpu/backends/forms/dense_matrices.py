"""Bitmap and full matrices, position by position: to element-wise work a matrix is a vector, row after row.

So every engine's loops over dense vectors are its loops over dense matrices, with the same masks, accumulators and
replace. Positional operators do not run here: they run on the entries.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...foundation.types import Accum, Assigned, Engine, TypedMonoid, TypedOperator, Value
from ..machine.memory_limits import check_positions
from ..stores.counting import some_of_rows
from ..stores.entries import cast, entries, expand, filled, keys_at, matrix_from_keys, true_keys
from ..stores.matrix_forms import flat
from ..stores.matrix_storage import FULL
from ..stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore

FEW_ROWS = 2**12  # whose offsets are made on the host: a device would compile two operations for them


def as_vector(a: MatrixStore) -> VectorStore:
    """Any matrix, row after row: dense ones in their own memory, others as a list."""
    if a.dense is not None:
        return flat(a)
    keys = keys_at(a.row_ids, a.indices, a.nrows, a.ncols)
    return VectorStore(a.nrows * a.ncols, a.values, indices=keys)


def as_matrix(nrows: int, ncols: int, v: VectorStore) -> MatrixStore:
    """A vector of consecutive rows as a matrix of the same form."""
    if v.kind == "full":
        return MatrixStore.full(nrows, ncols, v.values)
    if v.kind == "bitmap":
        counter = None if v.pending is None else v.pending.counter
        return MatrixStore.bitmap(nrows, ncols, v.present, v.values, v.known_nvals, counter)
    return matrix_from_keys(nrows, ncols, *entries(v))


def viewed(mask: MaskView | None, known: dict[int, VectorStore]) -> MaskView | None:
    """A mask of vectors; if it is the output as well, it stays the same object."""
    if mask is None:
        return None
    store: Any = mask.store
    found = known.get(id(store))
    return MaskView(as_vector(store) if found is None else found, mask.structure, mask.complement)


def ewise(
    engine: Engine, method: str, x: MatrixStore, y: MatrixStore, op: TypedOperator, *defaults: object
) -> MatrixStore:
    if op.positional is not None:
        return NotImplemented
    is_dense = x.dense is not None and y.dense is not None if method == "ewise_mult" else True
    if is_dense and not (x.form == y.form == FULL and x.iso and y.iso):
        check_positions(x.nrows, x.ncols, op.return_type.np_type.itemsize, x.stored_values)
    return as_matrix(x.nrows, x.ncols, getattr(engine, method)(as_vector(x), as_vector(y), op, *defaults))


def apply(engine: Engine, method: str, x: MatrixStore, op: TypedOperator, *more: object) -> MatrixStore:
    if op.positional is not None:
        return NotImplemented
    return as_matrix(x.nrows, x.ncols, getattr(engine, method)(flat(x), op, *more))


def indexed(engine: Engine, method: str, x: MatrixStore, op: TypedOperator, thunk: Value) -> MatrixStore:
    """``select`` and ``apply_index`` by operators that look at values only."""
    if op.source is None or re.search(r"\b[ij]\b", op.source):
        return NotImplemented
    if x.iso:  # for one entry as for all of them
        one = getattr(engine, method)(VectorStore(1, x.stored_values), op, thunk)
        if one.nvals == 0:
            return engine.empty_matrix(x.nrows, x.ncols, x.dtype)
        return one_value(x, one.values.copy())
    return as_matrix(x.nrows, x.ncols, getattr(engine, method)(flat(x), op, thunk))


def write(
    engine: Engine, c: MatrixStore, t: MatrixStore, mask: MaskView | None, accum: Accum, replace: bool, masked: bool
) -> MatrixStore:
    """The output step. Once nothing can fail it may be made in the arrays of ``c``, like that of a vector."""
    if accum is not None and accum.positional is not None:
        return NotImplemented
    through: Any = None if mask is None or mask.complement else mask.store
    if through is not None and c.dense is None and through.dense is None:  # nothing else of it is written
        return engine.write(c, at_entries(t, mask), mask, accum, replace, True)
    if (c.iso and c.dense is not None) or (t.dense is not None and c.dense is None):
        check_positions(c.nrows, c.ncols, c.dtype.itemsize, t.stored_values)
    old, new = changeable(c), as_vector(t)
    result = engine.write(old, new, viewed(mask, {id(c): old, id(t): new}), accum, replace, masked)
    return as_matrix(c.nrows, c.ncols, result)


def at_entries(t: MatrixStore, mask: Any) -> MatrixStore:
    """The entries of a dense matrix where a mask is true."""
    keys, dense = true_keys(mask), t.stored_values
    if t.present is not None:
        keys = keys[t.present[keys]]
    return matrix_from_keys(t.nrows, t.ncols, keys, np.broadcast_to(dense, (len(keys),)) if t.iso else dense[keys])


def assign(
    engine: Engine,
    c: MatrixStore,
    value: Assigned,
    index: tuple,
    mask: MaskView | None,
    accum: Accum,
    replace: bool,
    submask: bool,
) -> MatrixStore:
    """``c<m>(I, J) (+)= value``: the positions of the region in a vector."""
    if accum is not None and accum.positional is not None:
        return NotImplemented
    if c.iso and c.dense is not None:
        check_positions(c.nrows, c.ncols, c.dtype.itemsize, c.dense)
    old = changeable(c)
    known = {id(c): old}
    if type(value) is MatrixStore:
        value = known.get(id(value)) or as_vector(value)
    region = None if index[0] is None and index[1] is None else region_of(c, *index).reshape(-1)
    result = engine.assign(old, value, (region,), viewed(mask, known), accum, replace, submask)
    return as_matrix(c.nrows, c.ncols, result)


def changeable(c: MatrixStore) -> VectorStore:
    """The output as a vector in the same memory, without cached properties: it may change in place."""
    old = as_vector(c)
    if c.dense is not None:
        c.uncount()
    return old


def region_of(a: MatrixStore, rows: Array | None, cols: Array | None) -> Array:
    """The place of every position of a region, in the shape of the region."""
    like = a.stored_values
    rows = np.arange(a.nrows, dtype=INDEX, like=like) if rows is None else rows
    cols = np.arange(a.ncols, dtype=INDEX, like=like) if cols is None else cols
    return rows[:, None] * a.ncols + cols[None, :]


def extract(a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore:
    """``t[p, q] = a[rows[p], cols[q]]``."""
    nrows, ncols = a.nrows if rows is None else len(rows), a.ncols if cols is None else len(cols)

    def taken(array: Array) -> Array:
        if rows is None and cols is None:
            return array.copy()
        table = array.reshape(a.nrows, a.ncols)
        table = table if rows is None else table[rows]
        return (table if cols is None else table[:, cols]).reshape(-1)

    assert a.dense is not None
    values = a.dense.copy() if a.iso else taken(a.dense)
    if a.present is None:
        return MatrixStore.full(nrows, ncols, values)
    return MatrixStore.bitmap(nrows, ncols, taken(a.present), values)


def extract_line(a: MatrixStore, which: int, is_row: bool) -> VectorStore:
    """A row or a column."""
    place = slice(which * a.ncols, (which + 1) * a.ncols) if is_row else slice(which, None, max(1, a.ncols))
    size = a.ncols if is_row else a.nrows
    assert a.dense is not None
    values = a.dense.copy() if a.iso else a.dense[place].copy()
    return VectorStore(size, values, present=None if a.present is None else a.present[place].copy())


def replace_line(c: MatrixStore, which: int, line: VectorStore, is_row: bool) -> MatrixStore:
    """``c`` with one row or column replaced."""
    place = slice(which * c.ncols, (which + 1) * c.ncols) if is_row else slice(which, None, max(1, c.ncols))
    keys, values = entries(line)
    assert c.dense is not None
    positions = check_positions(c.nrows, c.ncols, c.dtype.itemsize + 1, c.dense)
    dense = expand(c.dense, positions).copy()
    present = filled(positions, True, dense) if c.present is None else c.present.copy()
    flags = filled(line.size, False, dense)
    flags[keys] = True
    present[place] = flags
    dense[place][keys] = values  # a view: slices are
    return MatrixStore.bitmap(c.nrows, c.ncols, present, dense)


def diagonal(engine: Engine, a: MatrixStore, k: int) -> VectorStore:
    """The k-th diagonal."""
    size = max(0, min(a.nrows, a.ncols - k) if k >= 0 else min(a.nrows + k, a.ncols))
    first = max(0, -k) * a.ncols + max(0, k)
    keys = first + np.arange(size, dtype=INDEX, like=a.dense) * (a.ncols + 1)
    return engine.extract_vector(flat(a), keys)


def reduce_rowwise(engine: Engine, a: MatrixStore, monoid: TypedMonoid) -> VectorStore:
    """The entries of each row combined; where a bitmap of integers has none, the identity is added."""
    if a.ncols == 0 or (a.present is not None and monoid.any_value):
        return NotImplemented
    assert a.dense is not None
    if a.present is None and a.iso and a.ncols > 1:  # all rows are equal
        one = engine.reduce_scalar(VectorStore(a.ncols, a.dense), monoid)
        return VectorStore(a.nrows, engine.array([one], monoid.type.np_type))
    if a.nrows <= FEW_ROWS:
        starts = engine.array(np.arange(a.nrows) * a.ncols, INDEX)
    else:
        starts = np.arange(a.nrows, dtype=INDEX, like=a.dense) * a.ncols
    values = expand(cast(a.dense, monoid.type.np_type), a.nrows * a.ncols)
    if a.present is None:
        return VectorStore(a.nrows, engine.reduce_runs(monoid, values, starts))
    if monoid.identity is not None and values.dtype.kind in "biu":
        values = np.where(a.present, values, values.dtype.type(monoid.identity))
        there = some_of_rows(a.present, a.nrows, a.ncols)
        return VectorStore(a.nrows, engine.reduce_runs(monoid, values, starts), present=there)
    # The least of NaN and infinity is infinity, and that of NaN alone is NaN: no identity may be added.
    firsts = np.arange(a.nrows + 1, dtype=INDEX, like=a.dense) * a.ncols
    counts = np.diff(np.searchsorted(np.flatnonzero(a.present), firsts))  # CuPy would compile count_nonzero for seconds
    rows = np.flatnonzero(counts)
    if len(rows) == 0:
        return NotImplemented
    starts = (np.cumsum(counts) - counts)[rows].astype(INDEX, copy=False)
    return VectorStore(a.nrows, engine.reduce_runs(monoid, values[a.present], starts), indices=rows)


def spread(u: VectorStore, nrows: int, ncols: int, down: bool) -> MatrixStore:
    """``t[i, j] = u[i]`` (``down``) or ``u[j]``, of a full vector."""
    check_positions(nrows, ncols, 0 if u.iso else u.dtype.itemsize, u.values)
    if u.iso:
        return MatrixStore.full(nrows, ncols, u.values.copy())
    table = np.broadcast_to(u.values[:, None] if down else u.values[None, :], (nrows, ncols))
    return MatrixStore.full(nrows, ncols, table.copy().reshape(-1))


def tuples(a: MatrixStore) -> tuple[Array, Array, Array]:
    """Rows, columns and values of all entries, in order, without caching arrays."""
    keys, values = entries(flat(a))
    rows = keys // max(1, a.ncols)
    return rows, keys - rows * a.ncols, values


def one_value(a: MatrixStore, value: Array) -> MatrixStore:
    """The same structure with one value for all."""
    if a.present is None:
        return MatrixStore.full(a.nrows, a.ncols, value)
    return MatrixStore.bitmap(a.nrows, a.ncols, a.present.copy(), value, a.nvals)
