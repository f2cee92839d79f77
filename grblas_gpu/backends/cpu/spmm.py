"""A sparse matrix times a dense one, by rows of both; where only the pattern matters, 64 columns to a word."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..dense_products import EVERYWHERE, INSIDE, OUTSIDE, Allowed, Side, Words, width_of
from ..matrix_storage import SPARSE
from ..storage import Array, MatrixStore
from . import buffers, pool
from . import spmm_source as text
from .dense_arrays import turn, unpack, words_of
from .mxv_call import prepared
from .mxv_source import COMPLEMENT, MASK, NO_MASK, UNUSED, Terms
from .parallel import LIGHT_WORK, edge_chunks
from .tier import KernelTable

KINDS = {EVERYWHERE: NO_MASK, INSIDE: MASK, OUTSIDE: COMPLEMENT}

NOTHING = np.empty(0, bool)

_table = KernelTable()
_filled: WeakKeyDictionary[MatrixStore, int] = WeakKeyDictionary()


class DenseKernels:
    """See ``dense_products.Kernels``."""

    unpack = staticmethod(unpack)
    matmul = staticmethod(np.matmul)

    @staticmethod
    def constant(a: MatrixStore, b: MatrixStore, semiring: Any) -> Array | None:
        found = prepared(a.stored_values, b.stored_values, semiring, False, True).constant
        return None if found is None else found.copy()

    @staticmethod
    def multiply(
        rows: MatrixStore, dense: Side, semiring: Any, flip: bool, early_exit: bool, allowed: Allowed
    ) -> tuple[Array, Array | None, int] | None:
        nrows, columns = rows.nrows, dense.shape[1]
        if not worthwhile(rows.nvals * columns):
            return None
        store = dense.store
        assert store.dense is not None
        call = prepared(rows.values, store.dense, semiring, flip, early_exit)
        kind = KINDS[allowed.where]
        whole = store.present is None and kind == NO_MASK
        types = (rows.dtype.char, store.dtype.char, rows.indices.dtype.char)
        key = (semiring.key, flip, call.matrix, call.vector, call.early, *types, store.present is None, kind)
        kernel = _table.find(
            key,
            rows.nvals * columns,
            lambda: _source(semiring, flip, call, rows, store, kind),
        )
        if kernel is None:
            return None
        values = buffers.empty(nrows * columns, semiring.return_type.np_type)
        arguments: tuple[Any, ...] = (rows.indptr, rows.indices)
        arguments += () if store.present is None else (words_of(dense).words,)
        arguments += () if call.matrix == UNUSED else (rows.values,)
        if call.vector != UNUSED:
            arguments += (turn(store.dense, store.nrows, store.ncols) if flip else store.dense,)
        parts = _parts(rows, columns)
        if whole:
            count = rows_with_entries(rows)
            flags, nvals = None if count == nrows else np.empty(nrows * columns, bool), count * columns
            _run(kernel, (*arguments, columns, NOTHING if flags is None else flags, values), parts)
            flags = turn(flags, nrows, columns) if flip and flags is not None else flags
        else:
            arguments += () if allowed.side is None else (words_of(allowed.side).words,)
            words = np.empty(nrows * width_of(columns), np.uint64)
            _run(kernel, (*arguments, columns, words, values), parts)
            flags, nvals = unpack(Words(words, nrows, columns), flip)
        return turn(values, nrows, columns) if flip else values, flags, nvals

    @staticmethod
    def unions(rows: MatrixStore, dense: Side, allowed: Allowed) -> Words | None:
        columns = dense.shape[1]
        if not worthwhile(rows.nvals):
            return None
        kind = KINDS[allowed.where]
        key = ("unions", rows.indices.dtype.char, kind)
        kernel = _table.find(key, rows.nvals, lambda: text.unions(kind))
        if kernel is None:
            return None
        words = words_of(dense)
        out = np.empty(rows.nrows * words.width, np.uint64)
        mask = () if allowed.side is None else (words_of(allowed.side).words,)
        given = (rows.indptr, rows.indices, words.words, *mask, words.width, columns, out)
        _run(kernel, given, _parts(rows, words.width))
        return Words(out, rows.nrows, columns)


def worthwhile(work: int) -> bool:
    """Whether there is so much to do that the kernels around a product, which depend on no operator, are loaded."""
    return _table.find("worthwhile", work, lambda: (text.TRANSPOSE, {})) is not None


def _source(semiring: Any, flip: bool, call: Any, rows: MatrixStore, store: MatrixStore, kind: int) -> text.Source:
    terms = Terms(semiring, flip, call.matrix, rows.dtype, call.vector, store.dtype, call.early)
    full = store.present is None
    return text.whole(terms) if full and kind == NO_MASK else text.some(terms, full, kind)


def _run(kernel: Any, arguments: tuple, parts: list[tuple[int, int]]) -> None:
    if len(parts) == 1:
        kernel(*arguments, *parts[0])
    else:
        pool.run(lambda part: kernel(*arguments, *part), parts)


def rows_with_entries(rows: MatrixStore) -> int:
    """How many there are; of a CSR, which does not change, counted once."""
    count = _filled.get(rows)
    if count is None:
        count = int(np.count_nonzero(rows.indptr[1:] > rows.indptr[:-1]))
        if rows.form == SPARSE:
            _filled[rows] = count
    return count


def _parts(rows: MatrixStore, columns: int) -> list[tuple[int, int]]:
    return edge_chunks(rows.indptr) if rows.nvals * columns > LIGHT_WORK else [(0, rows.nrows)]
