"""Extraction: ``u[I]``, ``A[I, J]``. An index is an int64 array, or None for everything."""

from __future__ import annotations

import numpy as np

from ...exceptions import IndexOutOfBound
from ...foundation.types import Value
from ..stores.entries import (
    Store,
    compress,
    entries,
    expand,
    find,
    in_order_of_pairs,
    is_iso,
    line,
    lines,
    position,
    ranges,
    repeat,
    take,
    values_of,
)
from ..stores.matrix_storage import from_lines
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore


class Extracting:
    def extract_vector(self, u: VectorStore, index: Array | None) -> VectorStore:
        """``t[p] = u[index[p]]``."""
        if index is None:
            return u.copy()
        if u.indices is None:
            values = take(expand(u.values, u.size), index)
            if u.present is None:
                return VectorStore(len(index), compress(values))
            here = np.flatnonzero(u.present[index])
            return VectorStore(len(index), compress(take(values, here)), indices=here)
        keys, values = entries(u)
        found, where = find(keys, index)
        return VectorStore(len(index), compress(take(values, where[found])), indices=np.flatnonzero(found))

    def positions(self, index: VectorStore, size: int) -> tuple[Array, Array | None]:
        """The values of an index as positions in ``size``, and where its entries are, unless they are everywhere."""
        keys, values = (None, values_of(index)) if index.kind == "full" else entries(index)
        if len(values):
            for wrong in (int(values.min()), int(values.max())):  # synchronizes
                if not 0 <= wrong < size:
                    raise IndexOutOfBound(f"Index out of range: index={wrong}, size={size}")
        there = keys if keys is not None and len(keys) < index.size else None
        return values.astype(INDEX, order="C", copy=is_iso(values)), there  # kernels go from each to the next

    def gather(self, u: VectorStore, index: VectorStore) -> VectorStore:
        """``t[p] = u[index[p]]``, where both have an entry."""
        positions, there = self.positions(index, u.size)
        t = self.extract_vector(u, positions)
        if there is None:
            return t
        keys, values = entries(t)
        return VectorStore(index.size, compress(values), indices=there[keys])

    def extract_matrix(self, a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore:
        """``t[p, q] = a[rows[p], cols[q]]``; rows and columns may repeat."""
        nrows, ncols = a.nrows, a.ncols
        if rows is None:
            taken: Array = np.arange(a.nvals, dtype=INDEX, like=a.indices)
            out_rows, out_cols = a.row_ids.astype(INDEX), a.indices.astype(INDEX)
        else:
            nrows = len(rows)
            begins, counts = lines(a, rows)
            taken = ranges(begins, counts)
            out_rows = repeat(np.arange(nrows, dtype=INDEX, like=rows), counts)
            out_cols = a.indices[taken].astype(INDEX)
        if cols is not None:
            # A column may be named several times: each entry goes to every place in `cols` that names its column.
            ncols = len(cols)
            order = np.argsort(cols, kind="stable")
            first = np.searchsorted(cols[order], out_cols, side="left")
            copies = np.searchsorted(cols[order], out_cols, side="right") - first
            out_cols = order[ranges(first, copies)].astype(INDEX)
            out_rows, taken = repeat(out_rows, copies), repeat(taken, copies)
        order = in_order_of_pairs(out_rows, out_cols, nrows, ncols)
        values = compress(take(expand(a.values, a.nvals), taken[order]))
        return from_lines(nrows, ncols, out_rows[order], out_cols[order], values)

    def extract_row(self, a: MatrixStore, row: int, cols: Array | None) -> VectorStore:
        start, stop = line(a, row)
        values = a.values.copy() if a.iso else a.values[start:stop].copy()
        found = VectorStore(a.ncols, values, indices=a.indices[start:stop].astype(INDEX))
        return found if cols is None else self.extract_vector(found, cols)

    def extract_column(self, a: MatrixStore, col: int, rows: Array | None) -> VectorStore:
        if a._transpose is not None:
            return self.extract_row(a._transpose, col, rows)
        here = np.flatnonzero(a.indices == col)
        found = VectorStore(
            a.nrows, compress(take(expand(a.values, a.nvals), here)), indices=a.row_ids[here].astype(INDEX)
        )
        return found if rows is None else self.extract_vector(found, rows)

    def get_element(self, x: Store, index: tuple[int, ...]) -> Value | None:
        """The value at one position as a NumPy scalar, or None."""
        if len(index) == 2:
            row, col = index
            start, stop = line(x, row)
            at = start + position(x.indices[start:stop], col)
            if at == stop or x.indices[at] != col:
                return None
            return x.values[0 if x.iso else at]
        (i,) = index
        if x.indices is None:
            if x.present is not None and not x.present[i]:
                return None
            return x.values[0 if x.iso else i]
        if x.ordered:
            at = position(x.indices, i)
            if at == x.nvals or x.indices[at] != i:
                return None
        else:
            hits = np.flatnonzero(x.indices == i)
            if len(hits) == 0:
                return None
            at = int(hits[0])
        return x.values[0 if x.iso else at]

    def diagonal(self, a: MatrixStore, k: int) -> VectorStore:
        """The k-th diagonal as a vector."""
        size = max(0, min(a.nrows, a.ncols - k) if k >= 0 else min(a.nrows + k, a.ncols))
        rows, cols = a.row_ids, a.indices
        here = np.flatnonzero(cols - rows == k)  # a difference of two positions has their type
        index = (rows if k >= 0 else cols)[here].astype(INDEX, copy=False)
        return VectorStore(size, compress(take(expand(a.values, a.nvals), here)), indices=index)
