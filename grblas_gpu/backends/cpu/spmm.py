"""A sparse matrix times a dense one, by rows of both; where only the pattern matters, 64 columns to a word."""

from __future__ import annotations

import numpy as np

from ...foundation.types import TypedSemiring
from ..forms.dense_products import EVERYWHERE, Allowed, Side, Words, width_of
from ..stores.storage import Array, MatrixStore
from . import buffers, pool, spmm_source as text
from .compile import Kernel
from .dense_arrays import turn, unpack, words_of
from .mxv_call import prepared
from .parallel import edge_chunks
from .tier import KernelTable

NOTHING = np.empty(0, bool)
WIDE_WORK = 2**22  # entries times columns, of which one takes a quarter of a nanosecond, before threads are woken

_table = KernelTable()


class DenseKernels:
    """See ``dense_products.Kernels``."""

    unpack = staticmethod(unpack)
    matmul = staticmethod(np.matmul)

    @staticmethod
    def constant(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> Array | None:
        found = prepared(a.stored_values, b.stored_values, semiring, False, True).constant
        return None if found is None else found.copy()

    @staticmethod
    def multiply(
        rows: MatrixStore, dense: Side, semiring: TypedSemiring, flip: bool, early_exit: bool, allowed: Allowed
    ) -> tuple[Array, Array | None, int] | None:
        nrows, columns, store = rows.nrows, dense.shape[1], dense.store
        kind, full = allowed.where, store.present is None
        by_rows = turn(store.dense, store.nrows, store.ncols) if flip else store.dense
        if full and kind == EVERYWHERE:
            found = times_full(rows, by_rows, columns, semiring, flip, early_exit)
            if found is None or not flip:
                return found
            values, flags, nvals = found
            return turn(values, nrows, columns), None if flags is None else turn(flags, nrows, columns), nvals
        call, work = prepared(rows.values, by_rows, semiring, flip, early_exit), rows.nvals * columns
        key = (call.kernel, rows.indices.dtype.char, full, kind)
        check_work(work)
        kernel = _table.find(key, work, lambda: text.some(call, full, kind))
        arguments: tuple[object, ...] = (rows.indptr, rows.indices)
        arguments += () if full else (words_of(dense).words,)
        arguments += call.values_read(rows.values, by_rows)
        arguments += () if allowed.side is None else (words_of(allowed.side).words,)
        values, words = _output(nrows * columns, semiring), np.empty(nrows * width_of(columns), np.uint64)
        _run(kernel, (*arguments, columns, words, values), _parts(rows, columns))
        flags, nvals = unpack(Words(words, nrows, columns), flip)
        return turn(values, nrows, columns) if flip else values, flags, nvals

    @staticmethod
    def unions(rows: MatrixStore, dense: Side, allowed: Allowed) -> Words | None:
        inner, columns = dense.shape
        work = rows.nvals * (1 + dense.store.nvals // inner)  # products on average: what the definitions would list
        check_work(work)
        kind = allowed.where
        key = ("unions", rows.indices.dtype.char, kind)
        kernel = _table.find(key, work, lambda: text.unions(kind))
        words = words_of(dense)
        out = np.empty(rows.nrows * words.width, np.uint64)
        mask = () if allowed.side is None else (words_of(allowed.side).words,)
        given = (rows.indptr, rows.indices, words.words, *mask, words.width, columns, out)
        _run(kernel, given, _parts(rows, words.width))
        return Words(out, rows.nrows, columns)


def check_work(work: int) -> None:
    """Decline a product with too little work to load the kernels around it, which depend on no operator."""
    _table.find("worthwhile", work, lambda: (text.TRANSPOSE, {}))


def times_full(
    rows: MatrixStore, dense: Array, columns: int, semiring: TypedSemiring, flip: bool, early_exit: bool
) -> tuple[Array, Array | None, int] | None:
    """The product with a full matrix, given by rows, without a mask: the case of many small calls, so in few steps."""
    held, nrows = rows.values, rows.nrows
    call = prepared(held, dense, semiring, flip, early_exit)
    key = (call.kernel, rows.indices.dtype.char)
    kernel = _table.get(key)
    if kernel is None:
        work = rows.nvals * columns
        check_work(work)
        kernel = _table.find(key, work, lambda: text.whole(call))
    values, filled = _output(nrows * columns, semiring), rows.filled_rows
    flags = None if filled == nrows else np.empty(nrows * columns, bool)
    given = (
        rows.indptr,
        rows.indices,
        *call.values_read(held, dense),
        columns,
        NOTHING if flags is None else flags,
        values,
    )
    _run(kernel, given, _parts(rows, columns))
    return values, flags, filled * columns


def _output(positions: int, semiring: TypedSemiring) -> Array:
    return buffers.empty(positions, semiring.return_type.np_type)


def _run(kernel: Kernel, arguments: tuple, parts: list[tuple[int, int]]) -> None:
    if len(parts) == 1:
        kernel(*arguments, *parts[0])
    else:
        pool.launch(kernel, parts, *arguments)


def _parts(rows: MatrixStore, columns: int) -> list[tuple[int, int]]:
    return edge_chunks(rows.indptr) if rows.nvals * columns > WIDE_WORK else [(0, rows.nrows)]
