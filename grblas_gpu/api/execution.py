"""From ``C(mask, accum, replace) << value`` to a node: check what was given, and hand the node over."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.interpreter import execute as execute_node
from ..config import config
from ..errors import DimensionMismatch, InvalidObject
from ..ir import ops, recording
from ..ir.descriptor import Descriptor
from ..ir.node import Node, node_of
from ..ir.recording import Number
from . import kinds
from .kinds import output_type
from .mask import Mask, check_mask
from .memory import reports_memory

LITERALS: dict[type, Any] = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}


def submit(node: Node) -> None:
    """Run a node; or note it, while the body of a loop is recorded. What every call comes to asks for itself."""
    if recording.active and (recorder := recording.current()) is not None and recorder.record(node):
        return
    execute_node(node)


def execute(out: Any, expr: Any, mask: Any, accum: Any, replace: bool, desc: Descriptor | None) -> None:
    """``out<mask, replace> (accum)= expr`` for an expression of the output's kind."""
    shape = out.shape
    if expr.shape != shape:
        raise DimensionMismatch(
            f"{expr.method_name}: result of shape {expr.shape} does not fit output {out.name} of shape {shape}"
        )
    if mask is not None:
        mask = fitting_mask(mask, out, shape)
    node = node_of((expr.ir_op, out, expr.op, expr.args, mask, accum, replace, desc, 0))
    if recording.active:
        submit(node)
    else:
        execute_node(node)


def update(
    out: Any,
    expr: Any,
    mask: Any = None,
    accum: Any = None,
    replace: bool = False,
    input_mask: Any = None,
    desc: Descriptor | None = None,
) -> None:
    """``out(mask, accum, replace) << expr`` for whatever may stand on the right."""
    if type(expr) in LITERALS:
        return _assign_all(out, expr, mask, accum, replace, input_mask, desc)
    role = getattr(expr, "_role", None)
    if role == "expression":
        pass
    elif role == "infix":
        expr = expr._to_expr()
    elif role == "index":
        if expr._is_scalar and out._is_scalar and accum is not None:  # reads the element: an automatic computation
            expr._get_value("value")
        if expr._is_scalar:
            return update(out, expr.new(), mask, accum, replace, input_mask, desc)
        if input_mask is not None:
            mask, input_mask = expr._mask_of_result(check_mask(input_mask, expr.parent)), None
        expr = expr._to_expr()
    elif role == "transposed" and out.ndim == 2:
        expr = expr._as_expression()
    else:
        return _assign_all(out, expr, mask, accum, replace, input_mask, desc)
    if input_mask is not None:
        raise TypeError("`input_mask` argument may only be used for extract")
    if expr._output_type is not type(out):
        if expr._is_scalar and config["autocompute"]:
            return update(out, expr.new(), mask, accum, replace, None, desc)
        allowed = (type(out),) if out._is_scalar else (type(out), kinds.Scalar)
        out._expect_type(expr, allowed, within="update")
    execute(out, expr, mask, accum, replace, desc)
    return None


def _assign_all(
    out: Any, value: Any, mask: Any, accum: Any, replace: bool, input_mask: Any, desc: Descriptor | None
) -> None:
    """The right side is an object or a literal: assign it to the whole output."""
    if input_mask is not None:
        raise TypeError("`input_mask` argument may only be used for extract")
    literal = LITERALS.get(type(value))
    if literal is not None and not out.dtype._is_udt and (literal is not np.int64 or -(2**63) <= value < 2**63):
        op, operands = ops.ASSIGN, [literal(value), None]
    elif type(value) is type(out) and out.ndim:
        check_shapes_equal("update", out, value)
        if value._engine is not out._engine:
            raise InvalidObject(f"{value.name} and {out.name} are on different backends; use .to({out.backend!r})")
        op, operands = ops.COPY, [value]
    else:
        if getattr(value, "ndim", 0) and hasattr(value, "_engine"):
            out._expect_type(value, (type(out), kinds.Scalar), within="update")
        op, operands = ops.ASSIGN, [assigned_value(out, value), None]
    if mask is not None:
        mask = fitting_mask(mask, out, out.shape)
    node = node_of((op, out, None, operands, mask, accum, replace, desc, 0))
    if recording.active:
        submit(node)
    else:
        execute_node(node)


def fitting_mask(mask: Any, out: Any, shape: tuple[int, ...]) -> Mask:
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


def check_shapes_equal(within: str, a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise DimensionMismatch(f"{within}: {a.name} has shape {a.shape}, {b.name} has shape {b.shape}")


def _record_of(out: Any) -> Any:
    """The type that a literal for this output has, if it is not the literal's own."""
    return out.dtype if out.dtype._is_udt else None


def _as_scalar(out: Any, value: Any) -> Any:
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


def assigned_value(out: Any, value: Any) -> Any:
    """The count of the loop as it is (that of an earlier one is known); anything else as a Scalar, or a TypeError."""
    return value if type(value) is Number and value.symbolic else _as_scalar(out, value)


# --------------------------------------------------------------------------------------------------------------
# Single elements


@reports_memory
def get_element(parent: Any, indexes: Any) -> Any:
    recording.read("an element", parent._matrix if parent._is_transposed else parent)
    index = tuple(axis.index for axis in indexes.axes)
    if parent._is_transposed:
        index = index[::-1]
    return parent._engine.get_element(parent._store, index)


def set_element(out: Any, indexes: Any, value: Any) -> None:
    if type(value) is not kinds.Scalar:
        if output_type(value) in kinds.COLLECTIONS:
            out._expect_type(
                value,
                kinds.Scalar,
                within="__setitem__",
                argname="value",
                extra_message="Literal scalars also accepted.",
            )
        try:
            value = kinds.Scalar.from_value(value, _record_of(out), is_cscalar=None, name="")
        except TypeError:
            out._expect_type(
                value,
                kinds.Scalar,
                within="__setitem__",
                argname="value",
                extra_message="Literal scalars also accepted.",
            )
    submit(Node(ops.SET_ELEMENT, out, None, (value, indexes)))


def remove_element(out: Any, indexes: Any) -> None:
    submit(Node(ops.REMOVE_ELEMENT, out, None, (indexes,)))
