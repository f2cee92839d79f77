"""The last step of every change: checks of arguments, and submission of a node; also access to single elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends.interpreter.changes import element
from ..backends.interpreter.run import execute as execute_node
from ..exceptions import DimensionMismatch, InvalidObject
from ..foundation.memory import reports_memory
from ..foundation.types import AnyTensor, BaseType, DataType, Elementwise, Scalar, Value
from ..ir import ops, recording
from ..ir.node import Node
from ..ir.recording import Number
from . import kinds
from .kinds import output_type
from .mask import Mask, check_mask

if TYPE_CHECKING:
    from .indexing import Indexes

LITERALS: dict[type, type[np.generic]] = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}


def submit(node: Node) -> None:
    """Run a node, or record it while the body of a loop is recorded. The hottest calls make this check themselves."""
    if recording.active and (recorder := recording.current()) is not None and recorder.record(node):
        return
    execute_node(node)


def fitting_mask(mask: object, out: BaseType, shape: tuple[int, ...]) -> Mask:
    """A mask, checked against the output."""
    if not isinstance(mask, Mask):
        mask = check_mask(mask, out)
    parent = mask.parent
    if parent.shape != shape:
        if out.ndim == 1 and parent.ndim != 1:
            raise TypeError(f"Mask object must be type Vector; got {type(parent)}")
        if parent.ndim != out.ndim:
            raise TypeError(f"Mask for a {type(out).__name__} of shape {shape} is a {type(parent).__name__}")
        raise DimensionMismatch(f"mask {mask.name} has shape {parent.shape}, output {out.name} has shape {shape}")
    if parent._engine is not out._engine:
        raise InvalidObject(f"mask {mask.name} and output {out.name} are on different backends")
    return mask


def check_shapes(within: str, a: BaseType | Elementwise, b: BaseType | Elementwise) -> None:
    if a.shape != b.shape:
        raise DimensionMismatch(f"{within}: {a.name} has shape {a.shape}, {b.name} has shape {b.shape}")


def plain_literal(out: BaseType, value: Any) -> np.generic | None:
    """A Python number or bool as a NumPy scalar, without a Scalar object; None if value or output have another type."""
    literal = LITERALS.get(type(value))
    if literal is None or out.dtype._is_udt or (literal is np.int64 and not -(2**63) <= value < 2**63):
        return None
    return literal(value)


def _record_of(out: BaseType) -> DataType | None:
    """The type of a literal for this output, if it differs from the literal's own."""
    return out.dtype if out.dtype._is_udt else None


def _as_scalar(out: BaseType, value: object) -> Scalar:
    if type(value) is kinds.Scalar:
        return value
    try:
        return kinds.Scalar.from_value(value, _record_of(out), is_cscalar=None, name="")
    except TypeError:
        kind = type(out).__name__
        raise TypeError(
            f"Assignment value must be a valid expression type, not {type(value)}.\n\n"
            f"Valid expression types include {kind}, {kind}Expression, AmbiguousAssignOrExtract, and scalars."
        ) from None


def assigned_value(out: BaseType, value: object) -> Number | Scalar:
    """The symbolic count of the current loop unchanged; anything else as a Scalar, or a TypeError."""
    return value if type(value) is Number and value.symbolic else _as_scalar(out, value)


# --------------------------------------------------------------------------------------------------------------
# Single elements


@reports_memory
def get_element(parent: AnyTensor, indexes: Indexes) -> Value | None:
    recording.read("an element", parent._matrix if parent._is_transposed else parent)
    index = tuple(axis.index for axis in indexes.axes)
    return element(parent._matrix, index[::-1]) if parent._is_transposed else element(parent, index)


def set_element(out: BaseType, indexes: object, value: object) -> None:
    literal = None if recording.active else plain_literal(out, value)
    if literal is not None:  # the most common case
        value = literal
    elif type(value) is not kinds.Scalar:
        refused: dict[str, str] = {"argname": "value", "extra_message": "Literal scalars also accepted."}
        if output_type(value) in kinds.COLLECTIONS:
            out._expect_type(value, kinds.Scalar, within="__setitem__", **refused)
        try:
            value = kinds.Scalar.from_value(value, _record_of(out), is_cscalar=None, name="")
        except TypeError:
            out._expect_type(value, kinds.Scalar, within="__setitem__", **refused)
    submit(Node(ops.SET_ELEMENT, out, None, (value, indexes)))


def remove_element(out: object, indexes: object) -> None:
    submit(Node(ops.REMOVE_ELEMENT, out, None, (indexes,)))
