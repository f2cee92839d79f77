"""Setting a diagonal: its size, its new values, and its mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exceptions import DimensionMismatch
from ..foundation.types import Mask, Matrix
from .conversions import values_to_array
from .kinds import output_type
from .scalar import Scalar
from .vector import Vector


def diagonal_size(a: Matrix, k: int) -> int:
    nrows, ncols = a.shape
    if (k < 0 and k <= -nrows) or (k > 0 and k >= ncols):
        raise IndexError(
            f"k={k} is too {'small' if k < 0 else 'large'}; the k'th diagonal is out of range. Valid k for Matrix with "
            f"shape {nrows}x{ncols}: {-nrows} {'<' if nrows else '<='} k {'<' if ncols else '<='} {ncols}"
        )
    return min(nrows + k, ncols) if k < 0 else min(ncols - k, nrows)


def diagonal_values(a: Matrix, values: Any, size: int, k: int, accum: object) -> tuple[Vector, bool]:
    """The new diagonal, and whether the old one must be cleared because the new one has gaps."""
    if output_type(values) is Vector:
        line = values
    else:
        if type(values) is not Scalar:
            try:
                values = Scalar.from_value(values, is_cscalar=None, name="")
            except (TypeError, ValueError):
                try:
                    array, dtype = values_to_array(values)
                except (TypeError, ValueError):
                    a._expect_type(
                        values,
                        (Scalar, Vector, np.ndarray),
                        within="setdiag",
                        argname="values",
                        extra_message="Literal scalars also accepted.",
                    )
                    raise
                line = Vector.from_dense(array, dtype=dtype)
        if type(values) is Scalar:
            line = Vector.from_scalar(values, size)
    if line._size != size:
        raise DimensionMismatch(
            f"Dimensions not compatible for assigning length {line._size} Vector to {k}'th diagonal of Matrix with "
            f"shape {a._nrows}x{a._ncols}. The Vector should be size {size}."
        )
    return line, accum is None and line._nvals != line._size


def diagonal_mask(a: Matrix, mask: Mask, size: int, k: int) -> Mask:
    """A mask for the k-th diagonal of a matrix, from a matrix mask or a vector mask."""
    parent = mask.parent
    if parent.ndim == 2:
        if parent.shape != a.shape:
            raise DimensionMismatch(
                f"Matrix mask in setdiag is the wrong shape; expected shape {a._nrows}x{a._ncols}, "
                f"got {parent._nrows}x{parent._ncols}"
            )
        line = type(mask)(parent.diag(k)).new()
    elif parent._size != size:
        raise DimensionMismatch(
            f"Vector mask in setdiag is the wrong length; expected size {size}, got size {parent._size}."
        )
    else:
        line = mask.new()
    wide = line.diag(k)
    if wide.shape != a.shape:
        wide.resize(*a.shape)
    return wide.S
