"""A square matrix by groups of positions: groups are numbered, and entries between two groups added up.

Entries match where an operator on the value of their row and their own gives that of their column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.types import TypedMonoid, TypedOperator
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


def matching(engine: Any, a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore) -> MatrixStore:
    near, far = expand(left.values, a.nrows)[a.row_ids], expand(right.values, a.ncols)[a.indices]
    kept = engine.combine(op, (near, None, None), (a.values, None, None)) == far
    for vector, places in ((left, a.row_ids), (right, a.indices)):
        if vector.present is not None:
            kept &= vector.present[places]
    indptr = np.append(0, np.cumsum(kept))[a.indptr].astype(a.indptr.dtype)
    indices = a.indices[kept]
    values = a.values[: min(1, len(indices))] if a.iso else a.values[kept]
    return MatrixStore(a.nrows, a.ncols, indptr, indices, values)


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
