"""Delayed expressions: operations that are not computed yet. ``C << expr`` or ``expr.new()`` computes them."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

from ..backends.interpreter.run import execute as execute_node
from ..config import config
from ..dtypes import DataType
from ..foundation.display import html_name
from ..foundation.types import DTypeLike, Engine, MaskLike, Matrix, Scalar, TypedOperator, Vector
from ..ir import ops, recording
from ..ir.descriptor import descriptor_from_options
from ..ir.node import node_of
from ..ir.ops import Op
from . import execution, updates
from .base import BaseType, expect_op, expect_type
from .computed import ComputedMatrix, ComputedScalar, ComputedVector
from .execution import fitting_mask
from .indexing import Indexes
from .mask import Mask, check_mask
from .updates import Assigner, assign_to

Result = TypeVar("Result", bound=BaseType)  # the kind of the object that an expression becomes


class Origin(NamedTuple):
    """The expression of an automatically computed object; a loop uses it to recompute its condition."""

    ir_op: Op
    op: TypedOperator | None
    args: list[object]


class Delayed(Generic[Result]):
    """The base of all expressions: an object that is not computed yet, but has a type and a shape."""

    __slots__ = ()
    _is_scalar = False
    _is_transposed = False
    _role = "expression"
    _value: Any
    _output_type: Any
    output_type: Any
    dtype: Any
    shape: Any

    _expect_type = expect_type
    _expect_op = expect_op

    def new(self, dtype: DTypeLike | None = None, **kwargs: Any) -> Result:
        raise TypeError(f"{type(self).__name__} cannot be computed")

    def construct_output(self, dtype: DTypeLike | None = None, *, name: str | None = None) -> Result:
        return self._output_type(self.dtype if dtype is None else dtype, *self.shape, name=name)

    def dup(
        self, dtype: DTypeLike | None = None, *, clear: bool = False, name: str | None = None, **opts: Any
    ) -> Result:
        return self.construct_output(dtype, name=name) if clear else self.new(dtype, name=name, **opts)

    def _get_value(self, attr: str | None = None) -> Any:
        """The computed object (kept), if automatic computation is on."""
        if not config["autocompute"]:
            kind = self._output_type.__name__
            raise TypeError(
                f"{attr} not enabled for objects of type {type(self)}.  Use `.new()` to create a new {kind}.\n\n"
                "Hint: use `config.set(autocompute=True)` to enable automatic computation of expressions."
            )
        if self._value is None:
            self._value = self.new()
            if isinstance(self, BaseExpression):
                self._value._origin = Origin(self.ir_op, self.op, self.args)
        return self._value if attr is None else getattr(self._value, attr)

    def _format_expr(self, html: bool = False) -> str:
        return type(self).__name__

    def _repr_html_(self) -> str:
        from .formatting import html_expression

        return html_expression(self)

    def __repr__(self) -> str:
        from .formatting import format_expression

        return format_expression(self)


class DelayedScalar(Delayed[Scalar]):
    """Of a Scalar, whose kind is a choice of python-graphblas: a value on the host, or one of GraphBLAS."""

    __slots__ = ()
    _is_scalar = True

    @property
    def _is_cscalar(self) -> bool:
        return getattr(self, "ir_op", None) is ops.REDUCE_OR_IDENTITY

    @property
    def is_cscalar(self) -> bool:
        return self._is_cscalar

    @property
    def is_grbscalar(self) -> bool:
        return not self._is_cscalar

    def construct_output(
        self, dtype: DTypeLike | None = None, *, is_cscalar: bool | None = None, name: str | None = None
    ) -> Scalar:
        is_cscalar = self._is_cscalar if is_cscalar is None else is_cscalar
        return self._output_type(self.dtype if dtype is None else dtype, is_cscalar=is_cscalar, name=name)

    def dup(
        self,
        dtype: DTypeLike | None = None,
        *,
        clear: bool = False,
        is_cscalar: bool | None = None,
        name: str | None = None,
        **opts: object,
    ) -> Scalar:
        if clear:
            return self.construct_output(dtype, is_cscalar=is_cscalar, name=name)
        return self.new(dtype, is_cscalar=is_cscalar, name=name, **opts)


class BaseExpression(Delayed[Result]):
    """The right side of a node: an operation (``ir_op``), its typed operator (``op``) and its operands (``args``)."""

    __slots__ = ("method_name", "ir_op", "args", "shape", "op", "dtype", "expr_repr", "_value", "__weakref__")

    def __init__(
        self,
        method_name: str,
        ir_op: Op,
        args: list[Any],
        shape: tuple[int, ...] = (),
        op: Any = None,
        dtype: DataType | None = None,
        expr_repr: str | None = None,
    ) -> None:
        self.method_name = method_name
        self.ir_op = ir_op
        self.args = args
        self.shape = shape
        self.op = op
        self.dtype = op.return_type if dtype is None else dtype
        self.expr_repr = expr_repr
        self._value = None

    def new(
        self, dtype: DTypeLike | None = None, *, mask: MaskLike | None = None, name: str | None = None, **opts: Any
    ) -> Result:
        """Compute into a new object."""
        if self._value is not None and mask is None and (dtype is None or self._value.dtype == dtype):
            descriptor_from_options(opts)
            value, self._value = self._value, None
            if name is not None:
                value.name = name
            return value
        if not opts and not recording.active:
            dtype = self.dtype if dtype is None else dtype
            output = self.output_type._unwritten(self.engine, dtype, self.shape, name)
            masked = mask is not None
            if masked:
                mask = fitting_mask(mask, output, output.shape)
            # The new object is empty outside of the mask, so the masked result is the whole result.
            execute_node(node_of((self.ir_op, output, self.op, self.args, mask, None, masked, None, 0)))
            return output
        output = self.construct_output(dtype, name=name)
        output._engine = self.engine
        if mask is not None:
            mask = check_mask(mask, output)
        updates.execute(output, self, mask, None, False, descriptor_from_options(opts))
        return output

    @property
    def engine(self) -> Engine:
        """The engine of the operands; a Scalar works with any engine."""
        found = None
        for arg in self.args:
            engine = getattr(arg, "_engine", None)
            if engine is not None:
                if arg.ndim:
                    return engine
                found = found or engine
        if found is not None:
            return found
        raise TypeError(f"{self.method_name}: no operand belongs to a backend")

    def _format_expr(self, html: bool = False) -> str:
        template = self.expr_repr
        if template is None:
            template = (
                "{0.name}.{method_name}({op})" if len(self.args) == 1 else "{0.name}.{method_name}({1.name}, op={op})"
            )
        args = [HtmlName(each) if html and hasattr(each, "name") else each for each in self.args]
        return template.format(*args, method_name=self.method_name, op=self.op)


class HtmlName:
    """An operand with its name in HTML, for notebooks."""

    def __init__(self, operand: Any) -> None:
        self._operand = operand
        self.name = html_name(operand.name)
        self._expr_name = html_name(getattr(operand, "_expr_name", operand.name))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operand, name)


class VectorExpression(BaseExpression[Vector], ComputedVector):
    __slots__ = ()


class MatrixExpression(BaseExpression[Matrix], ComputedMatrix):
    __slots__ = ()


class ScalarExpression(BaseExpression[Scalar], DelayedScalar, ComputedScalar):
    __slots__ = ()

    def new(
        self, dtype: DTypeLike | None = None, *, is_cscalar: bool | None = None, name: str | None = None, **opts: object
    ) -> Scalar:
        if self._value is not None and (dtype is None or self._value.dtype == dtype):
            descriptor_from_options(opts)
            value, self._value = self._value, None
            wanted = self._is_cscalar if is_cscalar is None else is_cscalar
            if value._is_cscalar != wanted:
                return value.dup(is_cscalar=wanted, name=name)
            if name is not None:
                value.name = name
            return value
        output = self.construct_output(dtype, is_cscalar=is_cscalar, name=name)
        if opts or recording.active:
            updates.execute(output, self, None, None, False, descriptor_from_options(opts))
        else:  # no options to check and no loop to record
            execute_node(node_of((self.ir_op, output, self.op, self.args, None, None, False, None, 0)))
        return output


class IndexExpr(Delayed[Result]):
    """``C[index]``: an extraction when read, an assignment when written."""

    __slots__ = ("parent", "indexes", "_value", "__weakref__")
    _role = "index"

    def __init__(self, parent: Any, indexes: Indexes) -> None:
        self.parent = parent
        self.indexes = indexes
        self._value = None

    @property
    def resolved_indexes(self) -> Indexes:
        return self.indexes

    def __call__(self, *args: object, **kwargs: object) -> Assigner:
        updater = self.parent(*args, **kwargs)
        return Assigner(updater, self.indexes, submask=updater.mask is not None)

    def __lshift__(self, expr: object, **opts: object) -> None:
        assign_to(self.parent, self.indexes, expr, opts)

    update = __lshift__

    @property
    def dtype(self) -> DataType:
        return self.parent.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.indexes.shape

    def new(
        self,
        dtype: DTypeLike | None = None,
        *,
        mask: MaskLike | None = None,
        input_mask: MaskLike | None = None,
        name: str | None = None,
        **opts: Any,
    ) -> Result:
        """Extract into a new object; ``input_mask`` has the shape of the operand, ``mask`` that of the result."""
        if input_mask is not None:
            if mask is not None:
                raise TypeError("mask and input_mask arguments cannot both be given")
            mask = self._mask_of_result(check_mask(input_mask, self.parent))
        elif mask is None and not opts and not recording.active and self.indexes.vector is None:
            return self.parent._extracted(self.indexes, dtype, name)
        return self._to_expr().new(dtype, mask=mask, name=name, **opts)

    def _to_expr(self) -> BaseExpression:
        return self.parent._extraction(self.indexes)

    def _mask_of_result(self, mask: Mask) -> Mask:
        """Extract an input mask by the same index as its object."""
        parent, given = self.parent, mask.parent
        axes = self.indexes.axes
        if given.ndim == 1 and parent.ndim == 2:
            along = [axis for axis in axes if axis.size is not None]
            if len(along) != 1:
                raise TypeError(
                    "Got Vector `input_mask` when extracting a submatrix from a Matrix.  Vector `input_mask` with a "
                    "Matrix input is only valid when extracting from a single row or column."
                )
            if along[0].dimsize != given._size:
                side = "ncols" if axes[0].size is None else "nrows"
                raise ValueError(
                    f"Size of `input_mask` Vector does not match {side} of Matrix: {given._size} != {along[0].dimsize}"
                )
            extracted = given[along[0].as_key()]
        elif given.shape != parent.shape:
            what = "Size" if parent.ndim == 1 else "Shape"
            raise ValueError(
                f"{what} of `input_mask` does not match {what.lower()} of input: {given.shape} != {parent.shape}"
            )
        else:
            keys = tuple(axis.as_key() for axis in axes)
            extracted = given[keys[0] if parent.ndim == 1 else keys]
        return type(mask)(extracted.new(name="mask_temp"))

    def _format_expr(self, html: bool = False) -> str:
        return f"{html_name(self.parent.name) if html else self.parent.name}[{self.indexes}]"


class VectorIndexExpr(IndexExpr[Vector], ComputedVector):
    __slots__ = ()


class MatrixIndexExpr(IndexExpr[Matrix], ComputedMatrix):
    __slots__ = ()


class ScalarIndexExpr(IndexExpr[Scalar], DelayedScalar, ComputedScalar):
    __slots__ = ()

    def new(
        self, dtype: DTypeLike | None = None, *, is_cscalar: bool | None = None, name: str | None = None, **opts: object
    ) -> Scalar:
        descriptor_from_options(opts)
        result = self.construct_output(dtype, is_cscalar=bool(is_cscalar), name=name)
        result._set(execution.get_element(self.parent, self.indexes))
        return result
