"""Stores: the arrays and sizes that an engine computes with.

A *store* holds the entries of one vector or matrix. Objects (``Vector``, ``Matrix``) own exactly one store each and
replace it when they change, so an operation that fails half-way leaves its output as it was. A store is shared by no
two objects. Index arrays (``indices``, ``indptr``) never change once made and may be shared between stores; ``present``
and ``values`` belong to one store, and an engine may update those of the output in place once nothing can fail.

Values are stored once when all of them are equal (*iso*): ``values`` then has length 1 and kernels read no array.

Sizes live where the data live: the device knows the number of entries of a result first (:class:`Pending`); the host
learns it at its first read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from .index_types import INDEX, INT32_LIMIT, MOST_ENTRIES, Array, column_type, natives
from .matrix_storage import MatrixStore, same_arrays, transpose_csr
from .vector_storage import WORTH_KEEPING, HostEntry, HostList, Known, Pending, VectorStore

__all__ = [
    "INDEX",
    "INT32_LIMIT",
    "MOST_ENTRIES",
    "WORTH_KEEPING",
    "Array",
    "HostEntry",
    "HostList",
    "Known",
    "MaskView",
    "MatrixStore",
    "Pending",
    "VectorStore",
    "column_type",
    "natives",
    "same_arrays",
    "transpose_csr",
    "view_of",
]


class MaskView(NamedTuple):
    """A mask as an engine sees it: a store, whether only its structure counts, and whether it is complemented."""

    store: VectorStore | MatrixStore
    structure: bool
    complement: bool


#: ``MaskView(*fields)``, from all fields at once: every masked call makes one.
view_of: Callable[[Iterable[object]], MaskView] = partial(tuple.__new__, MaskView)
