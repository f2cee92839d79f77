"""``C(mask, accum, replace) << value``: the left side waits for the right side; both become a node.

The left side is ``C(mask)``, ``C[I, J]``, ``C(mask)[I, J]`` or ``C[I, J](mask)``.
"""

from __future__ import annotations

from typing import Any

from ..backends.interpreter.run import execute as execute_node
from ..config import config
from ..exceptions import DimensionMismatch, InvalidObject
from ..foundation.types import AnyTensor, BaseType, Expression, MaskLike, OperatorLike
from ..ir import ops, recording
from ..ir.descriptor import Descriptor, descriptor_from_options
from ..ir.node import node_of
from . import execution, kinds
from .assignment import assign_region
from .execution import LITERALS, assigned_value, check_shapes, fitting_mask, plain_literal, submit
from .indexing import Indexes
from .mask import Mask, check_mask


class Updater:
    """``C(mask, accum, replace=True)``: waits for ``<<``, ``.update`` or an index."""

    __slots__ = ("parent", "mask", "accum", "replace", "input_mask", "desc", "__weakref__")

    def __init__(
        self,
        parent: BaseType,
        mask: MaskLike | None = None,
        accum: OperatorLike | None = None,
        replace: bool = False,
        input_mask: MaskLike | None = None,
        desc: Descriptor | None = None,
    ) -> None:
        self.parent = parent
        self.mask = mask
        self.accum = accum
        self.replace = replace
        self.input_mask = input_mask
        self.desc = desc

    def __lshift__(self, expr: object) -> None:
        update(self.parent, expr, self.mask, self.accum, self.replace, self.input_mask, self.desc)

    update = __lshift__

    def _indexes(self, keys: object) -> Indexes:
        if self.parent._is_scalar:
            raise TypeError("Indexing not supported for Scalars")
        return Indexes(self.parent, keys)

    def __getitem__(self, keys: object) -> Assigner:
        return Assigner(self, self._indexes(keys), submask=False)

    def __setitem__(self, keys: object, value: object) -> None:
        self.assign(self._indexes(keys), value, submask=False)

    def __delitem__(self, keys: object) -> None:
        indexes = self._indexes(keys)
        if indexes.is_single_element:
            execution.remove_element(self.parent, indexes)
        else:  # deletion assigns an empty Scalar to the region
            self.assign(indexes, kinds.Scalar(self.parent.dtype, name="s_empty"), submask=False)

    def assign(self, indexes: Indexes, value: object, submask: bool) -> None:
        if self.input_mask is not None:
            raise TypeError("`input_mask` argument may only be used for extract")
        if indexes.is_single_element and self.mask is None and self.accum is None:
            execution.set_element(self.parent, indexes, value)
        else:
            assign_region(self.parent, indexes, value, self.mask, self.accum, self.replace, submask, self.desc)

    def __eq__(self, other: object) -> bool:
        raise TypeError(f"__eq__ not defined for objects of type {type(self)}.")

    def __bool__(self) -> bool:
        raise TypeError(f"__bool__ not defined for objects of type {type(self)}.")


class Assigner:
    """``C(mask)[index]`` or ``C[index](mask)``: waits for ``<<`` or ``.update``."""

    __slots__ = ("updater", "indexes", "submask", "__weakref__")

    def __init__(self, updater: Updater, indexes: Indexes, *, submask: bool) -> None:
        if updater.input_mask is not None:
            raise TypeError("`input_mask` argument may only be used for extract")
        self.updater = updater
        self.indexes = indexes
        self.submask = submask

    def __lshift__(self, expr: object) -> None:
        self.updater.assign(self.indexes, expr, self.submask)

    update = __lshift__

    __eq__ = Updater.__eq__
    __bool__ = Updater.__bool__


def assign_to(parent: AnyTensor, indexes: Indexes, expr: object, opts: dict[str, object]) -> None:
    """``C[index] << expr``."""
    if parent._is_transposed:
        raise TypeError("'TransposedMatrix' object does not support item assignment")
    desc = descriptor_from_options(opts) if opts else None
    if indexes.is_single_element:
        execution.set_element(parent, indexes, expr)
    else:
        assign_region(parent, indexes, expr, None, None, False, False, desc)


def execute(
    out: BaseType, expr: Expression, mask: object, accum: object, replace: bool, desc: Descriptor | None
) -> None:
    """``out<mask, replace> (accum)= expr`` for an expression of the output's kind."""
    shape = out.shape
    if expr.shape != shape:
        raise DimensionMismatch(
            f"{expr.method_name}: result of shape {expr.shape} does not fit output {out.name} of shape {shape}"
        )
    if mask is not None:
        fits = isinstance(mask, Mask) and mask.parent.shape == shape and mask.parent._engine is out._engine
        mask = mask if fits else fitting_mask(mask, out, shape)
    node = node_of((expr.ir_op, out, expr.op, expr.args, mask, accum, replace, desc, 0))
    if recording.active:
        submit(node)
    else:
        execute_node(node)


def update(
    out: BaseType,
    expr: Any,
    mask: MaskLike | None = None,
    accum: OperatorLike | None = None,
    replace: bool = False,
    input_mask: MaskLike | None = None,
    desc: Descriptor | None = None,
) -> None:
    """``out(mask, accum, replace) << expr`` for any right side."""
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
    out: BaseType,
    value: object,
    mask: MaskLike | None,
    accum: OperatorLike | None,
    replace: bool,
    input_mask: MaskLike | None,
    desc: Descriptor | None,
) -> None:
    """Assign a right side that is an object or a literal to the whole output."""
    if input_mask is not None:
        raise TypeError("`input_mask` argument may only be used for extract")
    operands: list[object]
    literal = plain_literal(out, value)
    if literal is not None:
        op, operands = ops.ASSIGN, [literal, None]
    elif type(value) is type(out) and out.ndim:
        check_shapes("update", out, value)
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
