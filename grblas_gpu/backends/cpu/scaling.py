"""Products with a diagonal: the rows or columns of the other factor, each scaled by its own number."""

from __future__ import annotations

import numpy as np

from ...foundation.types import TypedSemiring
from ..stores.entries import cast, expand
from ..stores.matrix_storage import SPARSE
from ..stores.storage import MatrixStore, VectorStore
from . import ewise
from .spread import spread

_NUMBERS = "biuf"


def is_scaling(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> bool:
    """Whether a factor is a diagonal without gaps, so that every entry of the other one makes a product."""
    plain = a.form == b.form == SPARSE and semiring.binaryop.positional is None
    numbers = semiring.return_type.np_type.kind in _NUMBERS and a.dtype.kind in _NUMBERS and b.dtype.kind in _NUMBERS
    return plain and numbers and (a.is_diagonal or b.is_diagonal)


def scaled(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> MatrixStore | None:
    """``t[i, j] = mult(a[i, i], b[i, j])``, or ``mult(a[i, j], b[j, j])``; or None for other methods."""
    rows = a.is_diagonal
    diagonal, other = (a, b) if rows else (b, a)
    numbers = np.ascontiguousarray(expand(diagonal.values, diagonal.nrows))
    factors = spread(VectorStore(diagonal.nrows, numbers), other.nrows, other.ncols, rows, other)
    if factors is None:
        return None
    left, right = (factors, other) if rows else (other, factors)
    found = ewise.ewise_mult(left, right, semiring.binaryop)
    if found is None:
        return None
    values = cast(found.values, semiring.return_type.np_type)
    return MatrixStore(found.nrows, found.ncols, found.indptr, found.indices, values)
