"""Parts of vectors and matrices by a long slice: the work depends on the entries, not on the positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...foundation.types import Assigned, Axis, Engine, Store
from ..interpreter.operands import positions_of
from .entries import compress, entries, expand, in_order_of_pairs, runs, take
from .matrix_storage import from_lines
from .storage import INDEX, Array, MaskView, MatrixStore, VectorStore


def of_vector(u: VectorStore, window: range) -> VectorStore:
    """``t[p] = u[window[p]]``."""
    if u.kind == "full" and u.iso:
        return VectorStore(len(window), u.values.copy())
    if u.kind != "sparse" and window.step == 1:
        part = slice(window.start, window.stop)
        values = u.values.copy() if u.iso else u.values[part].copy()
        return VectorStore(len(window), values, present=None if u.present is None else u.present[part].copy())
    keys, values = entries(u)
    inside, places = _moved(keys, window)
    places, values = places[inside], take(values, inside)
    if window.step < 0:
        places, values = places[::-1].copy(), take(values, np.arange(len(places), like=keys)[::-1])
    return VectorStore(len(window), compress(values), indices=places)


def of_matrix(a: MatrixStore, rows: range | None, cols: range | None) -> MatrixStore:
    """``t[p, q] = a[rows[p], cols[q]]``; None for all."""
    kept_rows, row = _moved(a.row_ids, rows)
    kept_cols, col = _moved(a.indices, cols)
    inside: Array = kept_rows & kept_cols
    row, col, values = row[inside], col[inside], take(expand(a.values, a.nvals), inside)
    nrows, ncols = a.nrows if rows is None else len(rows), a.ncols if cols is None else len(cols)
    if any(window is not None and window.step < 0 for window in (rows, cols)):
        order = in_order_of_pairs(row, col, nrows, ncols)
        row, col, values = row[order], col[order], take(values, order)
    return from_lines(nrows, ncols, row, col, compress(values))


def positions_to_change(
    engine: Engine, axes: Sequence[Axis], c: Store, value: Assigned, mask: MaskView | None, submask: bool
) -> tuple[tuple, tuple]:
    """Like :func:`.operands.positions_of`, for an assignment; for a long slice only the positions that change.

    These have an entry in the output or in the value, or, if the value is a scalar, in the mask. The places of the
    region are given for them like those of an index Vector without all entries.
    """
    is_store = type(value) in (VectorStore, MatrixStore)
    fills = not is_store and value is not None
    is_long = any(axis.is_long for axis in axes) and type(c) in (VectorStore, MatrixStore)
    if not is_long or (fills and (mask is None or mask.complement)):
        return positions_of(engine, axes)
    through = [mask.store] if fills and mask is not None else []
    given = ([value] if is_store else []) + (through if submask else [])
    whole = [c] + ([] if submask else through)
    positions: list[Array | None] = []
    places: list[Array | None] = []
    for which, axis in enumerate(axes):
        used = _in_use(which, axes, given, whole)
        part, there = positions_of(engine, [axis]) if used is None else ((used[0],), (used[1],))
        positions.append(*part)
        places.append(*there)
    return tuple(positions), tuple(places)


def _in_use(which: int, axes: Sequence[Axis], given: list, whole: list) -> tuple[Array, Array] | None:
    """The positions of a long slice where stores of the region's shape, or of the output's, have entries."""
    window = axes[which].positions
    if window is None or not axes[which].is_long or sum(x.nvals for x in (*given, *whole)) >= len(window):
        return None
    places = [_lines(x, which, len(axes)).astype(INDEX) for x in given]
    for x in whole:
        inside, moved = _moved(_lines(x, which, len(axes)), window)
        places.append(moved[inside])
    there = np.sort(np.concatenate(places))
    there = there[runs(there)]
    return window.start + there * window.step, there


def _lines(x: Store, axis: int, ndim: int) -> Array:
    """The row, or the column, of every entry."""
    if ndim == 1:
        return entries(x)[0]
    return x.row_ids if axis == 0 else x.indices


def _moved(lines: Array, window: range | None) -> tuple[Array, Array]:
    """For every line whether it is in a window, and where."""
    lines = lines.astype(INDEX)
    if window is None:
        return lines >= 0, lines
    away = lines - window.start
    places = away // window.step
    return (places >= 0) & (places < len(window)) & (places * window.step == away), places
