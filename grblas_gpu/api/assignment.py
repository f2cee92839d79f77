"""``C[I, J] << value``: which value fits which region, and how a row or column of a matrix is written."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.formats import choose_format
from ..backends.storage import MaskView
from ..errors import DimensionMismatch, InvalidObject
from .base import output_type
from .execution import _assign_value, mask_view


def resolve_assignment(out: Any, indexes: Any, value: Any, mask: Any, accum: Any, replace: bool, submask: bool) -> None:
    line_mask = mask is not None and out.ndim == 2 and mask.parent.ndim == 1
    if line_mask and indexes.is_single_element:
        raise TypeError("Unable to use Vector mask on single element assignment to a Matrix")
    if submask and indexes.is_single_element:
        raise TypeError("Single element assign does not accept a submask")
    kind = output_type(value).__name__
    if kind in ("Vector", "Matrix", "TransposedMatrix"):
        value = _object_for_region(out, indexes, value, kind)
    elif kind != "Scalar":
        value = _literal_for_region(out, indexes, value)
        kind = output_type(value).__name__
    elif type(value).__name__ != "Scalar":
        value = out._expect_type(value, output_type(value), within="__setitem__")
    is_object = kind in ("Vector", "Matrix", "TransposedMatrix")
    is_line = out.ndim == 2 and len(indexes.shape) == 1
    if line_mask and not is_line:
        raise TypeError("Unable to use Vector mask on Matrix assignment to a Matrix")
    if submask and is_line and not line_mask:
        raise TypeError("Indices for subassign imply Vector submask, but got Matrix mask instead")
    if is_object and value._engine is not out._engine:
        raise InvalidObject(f"{value.name} and {out.name} are on different backends; use .to({out.backend!r})")
    plain = _plain(value) if is_object else value._get()
    if line_mask or (is_line and kind == "Vector" and mask is None):
        _assign_line(out, indexes, plain, mask, accum, replace, submask)
        return
    index = tuple(axis.on(out._engine) for axis in indexes.axes)
    if kind == "Vector" and is_line:  # a matrix mask: the line is a thin matrix
        plain = out._engine.as_matrix(plain, indexes.axes[0].size is None)
    view = _view(mask, out, indexes, submask)
    _assign_value(out, plain, index, view, accum, replace, submask)


def _plain(value: Any) -> Any:
    return value._matrix._store.transposed() if value._is_transposed else value._store


def _view(mask: Any, out: Any, indexes: Any, submask: bool) -> MaskView | None:
    if mask is None or not submask:
        return mask_view(mask, out)
    if mask.parent.ndim != len(indexes.shape):
        raise TypeError(f"Mask object must be type {'Vector' if out.ndim == 1 else 'Matrix'}; got {type(mask.parent)}")
    if mask.parent.shape != indexes.shape:
        raise DimensionMismatch(
            f"submask {mask.name} has shape {mask.parent.shape}, the region of {out.name} has shape {indexes.shape}"
        )
    return mask.view()


def _assign_line(out: Any, indexes: Any, value: Any, mask: Any, accum: Any, replace: bool, submask: bool) -> None:
    """One row or column: an assignment to a vector, put back in place."""
    engine = out._engine
    row, col = indexes.axes
    is_row = row.size is None
    across, along = (row, col) if is_row else (col, row)
    take = engine.extract_row if is_row else engine.extract_column
    put = engine.replace_row if is_row else engine.replace_column
    from .vector import Vector

    line = Vector(out.dtype, out.shape[1 if is_row else 0], name=out.name)
    line._engine = engine
    line._store = take(out._store, across.index, None)
    view = None
    if mask is not None:
        wanted = (along.size,) if submask else line.shape
        if mask.parent.shape != wanted:
            raise DimensionMismatch(f"mask {mask.name} has shape {mask.parent.shape}; expected {wanted}")
        view = mask.view()
    _assign_value(line, value, (along.on(engine),), view, accum, replace, submask)
    out._store = choose_format(engine, put(out._store, across.index, line._store))


def _object_for_region(out: Any, indexes: Any, value: Any, kind: str) -> Any:
    """Check that a Vector or Matrix fits the region; expressions are computed if autocompute is on."""
    from .matrix import Matrix, TransposedMatrix
    from .scalar import Scalar
    from .vector import Vector

    lists = "Literal scalars and lists also accepted."
    if indexes.is_single_element:
        out._expect_type(
            value, Scalar, within="__setitem__", argname="value", extra_message="Literal scalars also accepted."
        )
    if len(indexes.shape) == 1 and kind != "Vector":
        out._expect_type(value, (Scalar, Vector), within="__setitem__", argname="value", extra_message=lists)
    if len(indexes.shape) == 2 and kind == "Vector":
        out._expect_type(
            value, (Scalar, Matrix, TransposedMatrix), within="__setitem__", argname="value", extra_message=lists
        )
    if type(value) not in (Vector, Matrix, TransposedMatrix):
        value = out._expect_type(value, output_type(value), within="__setitem__")
    if value.shape != indexes.shape:
        raise DimensionMismatch(
            f"__setitem__: {value.name} has shape {value.shape}, the region of {out.name} has shape {indexes.shape}"
        )
    return value


def _literal_for_region(out: Any, indexes: Any, value: Any) -> Any:
    """A literal scalar, or a list or array of the region's shape."""
    from .conversions import values_to_array
    from .matrix import Matrix
    from .scalar import Scalar
    from .vector import Vector

    try:
        return Scalar.from_value(value, is_cscalar=None, name="")
    except (TypeError, ValueError):
        pass
    kinds: tuple = (Scalar,)
    if indexes.shape:
        kinds = (Scalar, Vector if len(indexes.shape) == 1 else Matrix)
        try:
            values, dtype = values_to_array(value)
        except Exception:
            values = None
        if values is not None and not (isinstance(values, np.ndarray) and values.ndim == 0):
            if values.shape != indexes.shape:
                raise ValueError(
                    f"shape mismatch: value array of shape {values.shape} does not match "
                    f"indexing of shape {indexes.shape}"
                )
            made = (Vector if len(indexes.shape) == 1 else Matrix).from_dense(values, dtype=dtype)
            made._engine = out._engine
            return made
    extra = "Literal scalars and lists also accepted." if indexes.shape else "Literal scalars also accepted."
    return out._expect_type(value, kinds, within="__setitem__", argname="value", extra_message=extra)
