"""Parts of vectors and matrices that a long slice names: a look at every entry, and none at every position."""

from __future__ import annotations

from typing import Any

import numpy as np

from .entries import compress, entries, expand, in_order_of_pairs, take
from .matrix_storage import from_lines
from .storage import INDEX, Array, MatrixStore, VectorStore


def of_vector(u: VectorStore, window: range) -> VectorStore:
    """``t[p] = u[window[p]]``."""
    if u.kind == "full" and u.iso:
        return VectorStore(len(window), u.values.copy())
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
    inside: Any = kept_rows & kept_cols
    row, col, values = row[inside], col[inside], take(expand(a.values, a.nvals), inside)
    nrows, ncols = a.nrows if rows is None else len(rows), a.ncols if cols is None else len(cols)
    if any(window is not None and window.step < 0 for window in (rows, cols)):
        order = in_order_of_pairs(row, col, nrows, ncols)
        row, col, values = row[order], col[order], take(values, order)
    return from_lines(nrows, ncols, row, col, compress(values))


def _moved(lines: Array, window: range | None) -> tuple[Array, Array]:
    """For every line whether it is in a window, and where."""
    lines = lines.astype(INDEX)
    if window is None:
        return lines >= 0, lines
    away = lines - window.start
    places = away // window.step
    return (places >= 0) & (places < len(window)) & (places * window.step == away), places
