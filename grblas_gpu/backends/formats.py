"""Storage-format selection: a vector is sparse, bitmap or full by its fill."""

from __future__ import annotations

from typing import Any

from ..plan.rules import TINY, storage_kind
from .storage import VectorStore


def choose_format(engine: Any, store: Any) -> Any:
    """Store a vector the way its fill suggests, or leave it as it is if there is no memory for that.

    Without an error: the engine may have written into the arrays of the output, so its old state is gone.
    """
    if type(store) is VectorStore and store.size > TINY:
        nvals = store.nvals if store.pending is None else store.known_nvals
        if nvals is None:  # only the device knows, and need not be asked
            return store
        kind = store.kind
        better = storage_kind(nvals, store.size, kind)
        if better != kind and not (better == "sparse" and engine.keeps_dense):
            try:
                return engine.with_kind(store, better)
            except MemoryError:
                return store
    return store
