"""A square matrix by groups of positions: groups are numbered, and entries between two groups added up."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.types import TypedMonoid
from ..stores.entries import expand
from ..stores.matrix_storage import transpose_csr
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore
from .graphs import group_numbers


def numbered(groups: Array) -> tuple[Array, int]:
    """The groups in their order from 0 on, and how many there are.

    >>> numbered(np.array([2, 0, 2]))
    (array([1, 0, 1]), 2)
    """
    used = np.zeros(len(groups), bool)
    used[groups] = True
    numbers = np.cumsum(used) - 1
    return numbers[groups], int(numbers[-1]) + 1 if len(numbers) else 0


def mirrored(a: MatrixStore) -> MatrixStore:
    """A matrix with a symmetric structure, made symmetric: its sums may differ on the two sides of the diagonal."""
    if a.dtype.kind == "f" and not a.iso:
        other_side = transpose_csr(a).values
        values = np.where(a.row_ids < a.indices, other_side, a.values)
        a = MatrixStore(a.nrows, a.ncols, a.indptr, a.indices, values)
    a._transpose = a
    return a


def contracted(
    engine: Any, a: MatrixStore, groups: VectorStore, monoid: TypedMonoid, symmetric: bool
) -> tuple[MatrixStore, VectorStore]:
    parts, count = numbered(group_numbers(groups, "contracted"))
    rows, columns = parts[a.row_ids], parts[a.indices]
    found = engine.build_matrix(count, count, rows, columns, expand(a.values, a.nvals), monoid)
    whole = VectorStore(a.nrows, parts.astype(INDEX, copy=False))
    return mirrored(found) if symmetric and found.form == "sparse" else found, whole
