"""The output step ``c<m, r> = c (+) t``, assignment to a region, and single elements."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from ...exceptions import InvalidValue
from ...foundation import atomic_updates
from ...foundation.types import Accum, Assigned
from ..machine.memory_limits import check_entries
from ..stores.counting import how_many
from ..stores.entries import (
    Store,
    allowed,
    cast,
    compress,
    distinct,
    entries,
    expand,
    filled,
    find,
    in_order_of_pairs,
    is_iso,
    keys_at,
    merge,
    present_flags,
    rebuild,
    rows_and_columns,
    runs,
    take,
    true_keys,
)
from ..stores.matrix_storage import from_lines
from ..stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore
from .elementwise import Elementwise

SMALL = 4096  # up to this size a dense copy costs less than a merge
Index = tuple  # (I,) or (I, J): int64 arrays, or None for everything


class Writing(Elementwise):
    def write(
        self, c: Store, t: Store, mask: MaskView | None, accum: Accum, replace: bool, masked: bool = False
    ) -> Store:
        """``z = t`` or ``accum(c, t)``; ``z`` where the mask allows, ``c`` elsewhere (nothing there if ``replace``).

        Only values that the accumulator combines take its types: others go straight to the type of ``c``.
        ``masked`` promises that ``t`` has no entry outside the mask.
        """
        if accum is None and (mask is None or (masked and (replace or c.nvals == 0))):
            return self.cast(t, c.dtype)
        z = t if accum is None else self.union(c, t, accum, dtype=c.dtype)
        keys, values = entries(z)
        values = cast(values, c.dtype)
        if mask is None:
            return rebuild(c, keys, values)
        inside = allowed(mask, keys)
        keys, values = keys[inside], take(values, inside)
        if replace:
            return rebuild(c, keys, values)
        c_keys, c_values = entries(c)
        outside = ~allowed(mask, c_keys)
        return rebuild(c, *merge(keys, values, c_keys[outside], take(c_values, outside)))

    def assign(
        self, c: Store, value: Assigned, index: Index, mask: MaskView | None, accum: Accum, replace: bool, submask: bool
    ) -> Store:
        """``c<m>(I, J) (+)= value``: a store of the region's shape, or a NumPy scalar (of c's type) for all of it.

        The mask has the shape of ``c``; with ``submask`` that of the region, and nothing outside the region changes.
        If the index names a position several times, the accumulator combines their values.
        """
        is_scalar = type(value) not in (VectorStore, MatrixStore)
        if is_scalar and type(c) is VectorStore and index[0] is None and mask is None and accum is None:
            return VectorStore(c.size, self.array([value], c.dtype))  # one value stands for all
        if is_scalar and not replace:
            done = self.assign_scalar_through(c, value, index, mask, accum, submask)
            if done is not None:
                return done
        region = Region(c, index)
        if mask is None and accum is None and not region.is_matrix and isinstance(c.stored_values, np.ndarray):
            done = self._assign_positions(c, value, region, is_scalar)
            if done is not None:
                return done
        if mask is None:
            permitted: Any = None
        elif submask and region.repeats:
            everywhere, _ = region.given(self.array(True).reshape(1))
            opened = distinct(region.place(everywhere[allowed(mask, everywhere)]))

            def permitted(keys: Array) -> Array:
                return find(opened, keys)[0]
        elif submask:
            inside_mask = np.sort(region.place(true_keys(mask)))

            def permitted(keys: Array) -> Array:
                return (find(inside_mask, keys)[0] ^ mask.complement) & region.contains(keys)
        else:

            def permitted(keys: Array) -> Array:
                return allowed(mask, keys)

        if is_scalar and not (accum is not None and region.repeats):
            t_keys = region.candidates(mask, submask)
            t_values = np.broadcast_to(self.array(value).reshape(1), t_keys.shape)
        else:
            keys, values = region.given(self.array(value).reshape(1)) if is_scalar else entries(value)
            if submask and mask is not None and region.repeats:  # the mask closes the given positions, not the targets
                inside = allowed(mask, keys)
                keys, values = keys[inside], take(values, inside)
            t_keys, t_values = (
                self.combined_by_key(region.place(keys), values, accum) if not region.whole else (keys, values)
            )
        c_keys, c_values = entries(c)
        if accum is None:
            kept = ~region.contains(c_keys)
            t_keys, t_values = merge(c_keys[kept], take(c_values, kept), t_keys, cast(t_values, c.dtype))
        else:
            t = rebuild(c, t_keys, t_values)
            t_keys, t_values = entries(self.union(c, t, accum, dtype=c.dtype))
        if permitted is None:
            return rebuild(c, t_keys, t_values)
        inside = permitted(t_keys)
        outside = ~permitted(c_keys)
        if replace:
            outside &= ~region.contains(c_keys) if submask else False
        return rebuild(c, *merge(t_keys[inside], take(t_values, inside), c_keys[outside], take(c_values, outside)))

    def _assign_positions(self, c: VectorStore, value: Any, region: Region, is_scalar: bool) -> VectorStore | None:
        """``c[I] = value`` at the cost of the positions; None if positions of a value repeat."""
        positions = region.sorted_axes[0]
        if positions is None:
            return None
        if is_scalar:
            values, kept = np.full(len(positions), value, c.dtype), np.ones(len(positions), bool)
        elif len(positions) == value.size:
            kept = present_flags(value)
            values = np.zeros(len(positions), c.dtype)
            values[kept] = cast(entries(value)[1], c.dtype)
            if positions is not region.axes[0]:
                order = np.argsort(region.axes[0])
                values, kept = values[order], kept[order]
        else:
            return None
        return self.change_elements(c, (positions,), values, kept)

    def combined_by_key(self, keys: Array, values: Array, accum: Accum) -> tuple[Array, Array]:
        """Entries in the order of their keys; the accumulator combines those of equal ones."""
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], take(values, order)
        starts = runs(keys)
        if len(starts) == len(keys):
            return keys, values
        monoid = None if accum is None else accum.monoid
        if monoid is None:
            raise repeated_position(int(keys[1:][keys[1:] == keys[:-1]][0]), accum)
        values = cast(values, monoid.type.np_type)
        if not values.flags.c_contiguous:
            values = values.copy()
        return keys[starts], self.reduce_runs(monoid, values, starts)

    def assign_scalar_through(
        self, c: Store, value: Assigned, index: Index, mask: MaskView | None, accum: Accum, submask: bool
    ) -> Store | None:
        """``c<m> = scalar`` in place, at the cost of the mask's entries: the step that every traversal takes."""
        if (
            accum is not None
            or type(c) is not VectorStore
            or (c.indices is not None and c.size > SMALL)
            or index[0] is not None
            or mask is None
            or mask.complement
            or submask
            or not (mask.structure and mask.store.indices is not None)
        ):
            return None
        if c.indices is not None:
            c = self.with_kind(c, "bitmap")
        if c.iso and c.size != 1 and c.values[0] != value:
            return None
        where = mask.store.indices
        try:
            atomic_updates.changing = True
            c = atomic_updates.own(c)
            new = 0 if c.present is None else len(where) - how_many(c.present[where])
            each = not c.iso or c.size == 1
            if each:
                c.values[where] = value
            if c.present is not None:
                c.present[where] = True
            c.nvals += new
            c.edges = None
        finally:
            atomic_updates.changing = False
        return c

    def replace_row(self, c: MatrixStore, row: int, line: VectorStore) -> MatrixStore:
        """``c`` with one row replaced."""
        cols, values = entries(line)
        if c.rows is None and isinstance(c.indices, np.ndarray):
            return _with_row(c, row, cols, values)
        return _with_line(c, c.row_ids != row, np.full_like(cols, row), cols, values)

    def replace_column(self, c: MatrixStore, col: int, line: VectorStore) -> MatrixStore:
        rows, values = entries(line)
        return _with_line(c, c.indices != col, rows, np.full_like(rows, col), values)


class Region:
    """The positions ``I x J`` of an output."""

    def __init__(self, c: Store, index: Index) -> None:
        self.c = c
        self.is_matrix = type(c) is MatrixStore
        self.shape = (c.nrows, c.ncols) if self.is_matrix else (c.size,)
        self.whole = all(part is None for part in index)
        self.axes: Index = index

    @cached_property
    def sorted_axes(self) -> list[Any]:
        return [None if axis is None else distinct(axis) for axis in self.axes]

    @property
    def repeats(self) -> bool:
        """Whether a position is named more than once."""
        axes = zip(self.axes, self.sorted_axes, strict=True)
        return any(axis is not None and len(axis) != len(unique) for axis, unique in axes)

    def contains(self, keys: Array) -> Array:
        if self.whole:
            return filled(len(keys), True, keys)
        if not self.is_matrix:
            return find(self.sorted_axes[0], keys)[0]
        inside = filled(len(keys), True, keys)
        for axis, places in zip(self.sorted_axes, rows_and_columns(keys, self.c.ncols), strict=True):
            if axis is not None:
                inside &= find(axis, places)[0]
        return inside

    def place(self, keys: Array) -> Array:
        """Keys of the region's own shape, as keys of the output."""
        if self.whole:
            return keys
        if not self.is_matrix:
            return self.axes[0][keys]
        width = self.c.ncols if self.axes[1] is None else len(self.axes[1])
        rows, cols = (
            places if axis is None else axis[places]
            for axis, places in zip(self.axes, rows_and_columns(keys, width), strict=True)
        )
        return keys_at(rows, cols, *self.shape)

    def given(self, value: Array) -> tuple[Array, Array]:
        """One value at every position of the region's own shape."""
        sizes = [n if axis is None else len(axis) for axis, n in zip(self.axes, self.shape, strict=True)]
        count = check_entries(math.prod(sizes), like=self.c.values)
        return np.arange(count, dtype=INDEX, like=self.c.values), np.broadcast_to(value, (count,))

    def candidates(self, mask: MaskView | None, submask: bool) -> Array:
        """The positions that a scalar may be written to: the mask's own entries if possible, else the whole region."""
        if mask is not None and not mask.complement:
            keys = true_keys(mask)
            return distinct(self.place(keys)) if submask else keys[self.contains(keys)]
        axes = list(zip(self.sorted_axes, self.shape, strict=True))
        count = check_entries(math.prod(n if axis is None else len(axis) for axis, n in axes), like=self.c.values)
        if self.whole:
            return np.arange(count, dtype=INDEX, like=self.c.values)
        rows, *cols = (np.arange(n, dtype=INDEX, like=self.c.values) if axis is None else axis for axis, n in axes)
        return keys_at(rows[:, None], cols[0][None, :], *self.shape).reshape(-1) if cols else rows


def repeated_position(key: int, accum: Accum) -> InvalidValue:
    """Several values for one position without a monoid that combines them."""
    how = "without an accumulator" if accum is None else f"and {accum} is no monoid's"
    return InvalidValue(
        f"position {key} is assigned to more than once, {how}: w(binary.min)[index] << v, for one, keeps the smallest"
    )


def _with_row(c: MatrixStore, row: int, cols: Array, values: Array) -> MatrixStore:
    """CSR with one row replaced: all others are copied as a whole."""
    begin, end = c.indptr[row : row + 2].tolist()
    indices = np.concatenate([c.indices[:begin], cols.astype(c.indices.dtype), c.indices[end:]])
    if c.iso and (len(cols) == 0 or (is_iso(values) and bool(values[0] == c.values[0]))):
        new = c.values[: min(1, len(indices))].copy()
    else:
        old = expand(c.values, c.nvals)
        new = np.concatenate([old[:begin], values, old[end:]])
    indptr = c.indptr.copy()
    indptr[row + 1 :] += len(cols) - (end - begin)
    return MatrixStore(c.nrows, c.ncols, indptr, indices, new)


def _with_line(c: MatrixStore, kept: Array, rows: Array, cols: Array, values: Array) -> MatrixStore:
    """Some entries of a matrix, and those of a line of it."""
    all_rows = np.concatenate([c.row_ids[kept].astype(INDEX), rows])
    all_cols = np.concatenate([c.indices[kept].astype(INDEX), cols])
    kept_values = take(expand(c.values, c.nvals), kept)
    iso = len(rows) == 0 or (is_iso(values) and is_iso(kept_values) and bool(values[0] == kept_values[0]))
    if len(kept_values) == 0:
        all_values = values
    elif iso:
        all_values = kept_values if len(rows) == 0 else np.broadcast_to(values[:1], all_rows.shape)
    else:
        all_values = np.concatenate([kept_values, values])
    order = in_order_of_pairs(all_rows, all_cols, c.nrows, c.ncols)
    return from_lines(c.nrows, c.ncols, all_rows[order], all_cols[order], compress(take(all_values, order)))
