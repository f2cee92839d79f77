"""``C[I, J] << value``: checks that value and mask fit the region."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exceptions import DimensionMismatch, InvalidObject
from ..foundation.types import BaseType, Descriptor, Handle, Mask, OperatorLike, Tensor
from ..ir import ops, recording
from ..ir.node import Node
from . import kinds
from .conversions import values_to_array
from .execution import fitting_mask, plain_literal, submit
from .indexing import Indexes
from .kinds import output_type

MOST_DIMENSIONS = 64  # the limit of NumPy arrays


def assign_region(
    out: BaseType,
    indexes: Indexes,
    value: object,
    mask: object,
    accum: OperatorLike | None,
    replace: bool,
    submask: bool,
    desc: Descriptor | None,
) -> None:
    """``out(mask)[I, J] << value`` and ``out[I, J](mask) << value``."""
    literal = plain_literal(out, value) if mask is None and indexes.shape else None
    if literal is None:
        value, mask = _resolved(out, indexes, value, mask, submask)
    else:  # the most common case: a literal fits every region
        value = literal
    op, index = ops.SUBASSIGN if submask else ops.ASSIGN, indexes
    if not submask and indexes.vector is not None:
        op, index = ops.SCATTER, indexes.vector
    submit(Node(op, out, None, (value, index), mask, accum, replace, desc))


def _resolved(out: BaseType, indexes: Indexes, value: Any, mask: Any, submask: bool) -> tuple[object, Mask | None]:
    """The value to assign (an object, a Scalar or an empty Scalar) and the mask, both checked against the region."""
    line_mask = mask is not None and out.ndim == 2 and mask.parent.ndim == 1
    if line_mask and indexes.is_single_element:
        raise TypeError("Unable to use Vector mask on single element assignment to a Matrix")
    if submask and indexes.is_single_element:
        raise TypeError("Single element assign does not accept a submask")
    kind = output_type(value)
    if kind in kinds.COLLECTIONS:
        value = _object_for_region(out, indexes, value, kind)
    elif kind is not kinds.Scalar:
        value = _literal_for_region(out, indexes, value)
        kind = output_type(value)
    elif type(value) is not kind:
        value = out._expect_type(value, kind, within="__setitem__")
    is_line = out.ndim == 2 and len(indexes.shape) == 1
    if line_mask and not is_line:
        raise TypeError("Unable to use Vector mask on Matrix assignment to a Matrix")
    if submask and is_line and not line_mask:
        raise TypeError("Indices for subassign imply Vector submask, but got Matrix mask instead")
    if kind in kinds.COLLECTIONS and value._engine is not out._engine:
        raise InvalidObject(f"{value.name} and {out.name} are on different backends; use .to({out.backend!r})")
    if line_mask:
        _check_line_mask(mask, out, indexes, submask)
    elif mask is not None:
        mask = _check_submask(mask, out, indexes) if submask else fitting_mask(mask, out, out.shape)
    return value, mask


def _check_line_mask(mask: Mask, out: BaseType, indexes: Indexes, submask: bool) -> None:
    """Check the mask of a row or column: it is as long as the line, or as the assigned part of the line."""
    row, col = indexes.axes
    is_row = row.size is None
    wanted = ((col if is_row else row).size,) if submask else (out.shape[1 if is_row else 0],)
    if mask.parent.shape != wanted:
        raise DimensionMismatch(f"mask {mask.name} has shape {mask.parent.shape}; expected {wanted}")


def _check_submask(mask: Mask, out: BaseType, indexes: Indexes) -> Mask:
    if mask.parent.ndim != len(indexes.shape):
        raise TypeError(f"Mask object must be type {'Vector' if out.ndim == 1 else 'Matrix'}; got {type(mask.parent)}")
    if mask.parent.shape != indexes.shape:
        raise DimensionMismatch(
            f"submask {mask.name} has shape {mask.parent.shape}, the region of {out.name} has shape {indexes.shape}"
        )
    return mask


def _object_for_region(out: BaseType, indexes: Indexes, value: Any, kind: type) -> Tensor:
    """Check that a Vector or Matrix fits the region; expressions are computed if autocompute is on."""
    lists = "Literal scalars and lists also accepted."
    if indexes.is_single_element:
        out._expect_type(
            value, kinds.Scalar, within="__setitem__", argname="value", extra_message="Literal scalars also accepted."
        )
    if len(indexes.shape) == 1 and kind is not kinds.Vector:
        out._expect_type(
            value, (kinds.Scalar, kinds.Vector), within="__setitem__", argname="value", extra_message=lists
        )
    if len(indexes.shape) == 2 and kind is kinds.Vector:
        out._expect_type(
            value, (kinds.Scalar, *kinds.MATRICES), within="__setitem__", argname="value", extra_message=lists
        )
    if type(value) is not kind:
        value = out._expect_type(value, kind, within="__setitem__")
    if value.shape != indexes.shape:
        raise DimensionMismatch(
            f"__setitem__: {value.name} has shape {value.shape}, the region of {out.name} has shape {indexes.shape}"
        )
    return value


def _literal_for_region(out: BaseType, indexes: Indexes, value: object) -> Handle | np.generic:
    """A literal scalar, or a list or array of the region's shape."""
    record = out.dtype if out.dtype._is_udt else None
    if indexes.shape and (literal := plain_literal(out, value)) is not None:
        return literal
    try:
        if record is None or record.subarray is not None or not isinstance(value, list):
            return kinds.Scalar.from_value(value, record, is_cscalar=None, name="")
    except (TypeError, ValueError):
        pass
    accepted: tuple = (kinds.Scalar,)
    if indexes.shape:
        wanted = kinds.Vector if len(indexes.shape) == 1 else kinds.Matrix
        accepted = (kinds.Scalar, wanted)
        try:
            ndim = len(indexes.shape) if record is not None else MOST_DIMENSIONS  # else arrays are not values
            values, dtype = values_to_array(value, record, ndim=ndim)
        except Exception:
            values = None
        if values is not None and not (isinstance(values, np.ndarray) and values.ndim == 0):
            if values.shape != indexes.shape:
                shape = (
                    "" if record is None or record.subarray is None else "; include dtype shape in that of the array"
                )
                raise ValueError(
                    f"shape mismatch: value array of shape {values.shape} does not match "
                    f"indexing of shape {indexes.shape}{shape}"
                )
            with recording.paused():  # constants, also inside a loop that changes objects
                made = wanted.from_dense(values, dtype=dtype)
            made._engine = out._engine
            return made
    extra = "Literal scalars and lists also accepted." if indexes.shape else "Literal scalars also accepted."
    return out._expect_type(value, accepted, within="__setitem__", argname="value", extra_message=extra)
