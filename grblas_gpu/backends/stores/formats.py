"""Storage-format selection: vectors and matrices are sparse, bitmap or full by their fill, matrices of many empty rows
hypersparse."""

from __future__ import annotations

from typing import Any

from ...foundation.types import Engine
from ...plan.storage_rules import MANY_ROWS, THIN, TINY, matrix_form, storage_kind
from .matrix_storage import FULL, SPARSE
from .storage import MatrixStore, VectorStore


def choose_format(engine: Engine, store: Any) -> Any:
    """Store a vector or matrix in the format for its fill; without memory for that, keep the present one.

    Without an error: the engine may have written into the arrays of the output, so its old state is gone.
    """
    if type(store) is VectorStore and store.size > TINY:
        nvals = store.nvals if store.pending is None else store.known_nvals
        if nvals is None:  # only the device knows it; reading it would synchronize
            return store
        kind = store.kind
        if kind == "full":  # there is no better one
            return store
        better = storage_kind(nvals, store.size, kind)
        if better != kind and not (better == "sparse" and engine.keeps_dense):
            try:
                return engine.with_kind(store, better)
            except MemoryError:
                return store
    elif type(store) is MatrixStore:
        form = store.form
        nrows, ncols = store.nrows, store.ncols
        positions = nrows * ncols
        if positions <= TINY:
            return store
        if form == SPARSE and store.nvals * 4 < positions and nrows <= MANY_ROWS and min(nrows, ncols) > THIN:
            return store  # the usual case
        entries = store.known_nvals
        if entries is None:
            return store
        if store.dense is not None and 4 * entries > positions and (entries == positions) == (form == FULL):
            return store  # nothing to decide, for any shape
        better = matrix_form(entries, store.nrows, store.ncols, form)
        if better == form or (better == SPARSE and store.dense is not None and engine.keeps_dense):
            return store
        if better == FULL and store.dense is None:  # CSR has the values in this order already
            return MatrixStore.full(store.nrows, store.ncols, store.values)
        try:
            return engine.with_form(store, better)
        except MemoryError:
            return store
    return store
