"""Delayed expressions: operations that are not computed yet. ``C << expr`` or ``expr.new()`` computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..backends.interpreter.run import execute as execute_node
from ..config import config
from ..ir import recording
from ..ir.descriptor import descriptor_from_options
from ..ir.node import node_of
from ..ir.ops import Op
from . import execution, updates
from .base import expect_op, expect_type, html_name
from .computed import ComputedMatrix, ComputedScalar, ComputedVector
from .execution import fitting_mask
from .indexing import Indexes
from .mask import Mask, check_mask
from .updates import Assigner, assign_to

if TYPE_CHECKING:
    from .matrix import Matrix
    from .scalar import Scalar
    from .vector import Vector


class Origin(NamedTuple):
    """The expression of an automatically computed object; a loop uses it to recompute its condition."""

    ir_op: Op
    op: Any
    args: list[Any]


class Delayed:
    """The base of all expressions: an object that is not computed yet."""

    __slots__ = ()
    _is_scalar = False
    _is_transposed = False
    _role = "expression"
    _value: Any
    _output_type: Any
    output_type: Any

    _expect_type = expect_type
    _expect_op = expect_op

    def new(self, dtype: Any = None, **kwargs: Any) -> Any:
        raise TypeError(f"{type(self).__name__} cannot be computed")

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
        from .shown_expressions import html_expression

        return html_expression(self)

    def __repr__(self) -> str:
        from .shown_expressions import format_expression

        return format_expression(self)


class BaseExpression(Delayed):
    """The right side of a node: an operation (``ir_op``), its typed operator (``op``) and its operands (``args``)."""

    __slots__ = ("method_name", "ir_op", "args", "op", "dtype", "expr_repr", "_value", "__weakref__")

    if TYPE_CHECKING:
        shape: Any

        def _output(self, dtype: Any, name: str | None) -> Any:
            """A new object that will be written as a whole: it has no store until the result exists."""

    def __init__(
        self,
        method_name: str,
        ir_op: Op,
        args: list,
        op: Any = None,
        dtype: Any = None,
        expr_repr: str | None = None,
    ) -> None:
        self.method_name = method_name
        self.ir_op = ir_op
        self.args = args
        self.op = op
        self.dtype = op.return_type if dtype is None else dtype
        self.expr_repr = expr_repr
        self._value = None

    def construct_output(self, dtype: Any = None, *, name: str | None = None) -> Any:
        return self.output_type(self.dtype if dtype is None else dtype, *self.shape, name=name)

    def new(self, dtype: Any = None, *, mask: Any = None, name: str | None = None, **opts: Any) -> Any:
        """Compute into a new object."""
        if self._value is not None and mask is None and (dtype is None or self._value.dtype == dtype):
            descriptor_from_options(opts)
            value, self._value = self._value, None
            if name is not None:
                value.name = name
            return value
        if not opts and not recording.active:
            output = self._output(dtype, name)
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
    def engine(self) -> Any:
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

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operand, name)


class VectorExpression(BaseExpression, ComputedVector):
    __slots__ = ("_size",)
    ndim = 1

    if TYPE_CHECKING:

        def new(self, dtype: Any = None, *, mask: Any = None, name: str | None = None, **opts: Any) -> Vector: ...

    def __init__(
        self,
        method_name: str,
        ir_op: Op,
        args: list,
        *,
        size: int,
        op: Any = None,
        dtype: Any = None,
        expr_repr: str | None = None,
    ) -> None:
        BaseExpression.__init__(self, method_name, ir_op, args, op, dtype, expr_repr)
        self._size = size

    def _output(self, dtype: Any, name: str | None) -> Any:
        return self.output_type._unwritten(self.engine, self.dtype if dtype is None else dtype, self._size, name)

    @property
    def size(self) -> int:
        return self._size

    @property
    def shape(self) -> tuple[int]:
        return (self._size,)

    def dup(
        self, dtype: Any = None, *, clear: bool = False, mask: Any = None, name: str | None = None, **opts: Any
    ) -> Any:
        if clear:
            return self.construct_output(dtype, name=name)
        return self.new(dtype, mask=mask, name=name, **opts)


class MatrixExpression(BaseExpression, ComputedMatrix):
    __slots__ = ("_nrows", "_ncols")
    ndim = 2

    if TYPE_CHECKING:

        def new(self, dtype: Any = None, *, mask: Any = None, name: str | None = None, **opts: Any) -> Matrix: ...

    def __init__(
        self,
        method_name: str,
        ir_op: Op,
        args: list,
        *,
        nrows: int,
        ncols: int,
        op: Any = None,
        dtype: Any = None,
        expr_repr: str | None = None,
    ) -> None:
        BaseExpression.__init__(self, method_name, ir_op, args, op, dtype, expr_repr)
        self._nrows = nrows
        self._ncols = ncols

    @property
    def nrows(self) -> int:
        return self._nrows

    @property
    def ncols(self) -> int:
        return self._ncols

    @property
    def shape(self) -> tuple[int, int]:
        return (self._nrows, self._ncols)

    def construct_output(self, dtype: Any = None, *, name: str | None = None) -> Any:
        return self.output_type(self.dtype if dtype is None else dtype, self._nrows, self._ncols, name=name)

    def _output(self, dtype: Any, name: str | None) -> Any:
        dtype = self.dtype if dtype is None else dtype
        return self.output_type._unwritten(self.engine, dtype, self._nrows, self._ncols, name)

    dup = VectorExpression.dup


class ScalarExpression(BaseExpression, ComputedScalar):
    __slots__ = ("_is_cscalar",)
    ndim = 0
    shape = ()
    _is_scalar = True

    def __init__(
        self,
        method_name: str,
        ir_op: Op,
        args: list,
        *,
        is_cscalar: bool = False,
        op: Any = None,
        dtype: Any = None,
        expr_repr: str | None = None,
    ) -> None:
        BaseExpression.__init__(self, method_name, ir_op, args, op, dtype, expr_repr)
        self._is_cscalar = is_cscalar

    @property
    def is_cscalar(self) -> bool:
        return self._is_cscalar

    @property
    def is_grbscalar(self) -> bool:
        return not self._is_cscalar

    def construct_output(self, dtype: Any = None, *, is_cscalar: bool | None = None, name: str | None = None) -> Any:
        is_cscalar = self._is_cscalar if is_cscalar is None else is_cscalar
        return self.output_type(self.dtype if dtype is None else dtype, is_cscalar=is_cscalar, name=name)

    def new(self, dtype: Any = None, *, is_cscalar: bool | None = None, name: str | None = None, **opts: Any) -> Scalar:
        if self._value is not None and (dtype is None or self._value.dtype == dtype):
            descriptor_from_options(opts)
            value, self._value = self._value, None
            wanted = self._is_cscalar if is_cscalar is None else is_cscalar
            if value._is_cscalar != wanted:
                return value.dup(is_cscalar=wanted, name=name)
            if name is not None:
                value.name = name
            return value
        is_cscalar = self._is_cscalar if is_cscalar is None else is_cscalar
        output = self.output_type(self.dtype if dtype is None else dtype, is_cscalar=is_cscalar, name=name)
        if opts or recording.active:
            updates.execute(output, self, None, None, False, descriptor_from_options(opts))
        else:  # no options to check and no loop to record
            execute_node(node_of((self.ir_op, output, self.op, self.args, None, None, False, None, 0)))
        return output

    def dup(
        self,
        dtype: Any = None,
        *,
        clear: bool = False,
        is_cscalar: bool | None = None,
        name: str | None = None,
        **opts: Any,
    ) -> Any:
        if clear:
            return self.construct_output(dtype, is_cscalar=is_cscalar, name=name)
        return self.new(dtype, is_cscalar=is_cscalar, name=name, **opts)


class IndexExpr(Delayed):
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

    def __call__(self, *args: Any, **kwargs: Any) -> Assigner:
        updater = self.parent(*args, **kwargs)
        return Assigner(updater, self.indexes, submask=updater.mask is not None)

    def __lshift__(self, expr: Any, **opts: Any) -> None:
        assign_to(self.parent, self.indexes, expr, opts)

    def update(self, expr: Any, **opts: Any) -> None:
        assign_to(self.parent, self.indexes, expr, opts)

    @property
    def dtype(self) -> Any:
        return self.parent.dtype

    @property
    def shape(self) -> tuple:
        return self.indexes.shape

    def new(
        self,
        dtype: Any = None,
        *,
        mask: Any = None,
        input_mask: Any = None,
        name: str | None = None,
        **opts: Any,
    ) -> Any:
        """Extract into a new object; ``input_mask`` has the shape of the operand, ``mask`` that of the result."""
        if input_mask is not None:
            if mask is not None:
                raise TypeError("mask and input_mask arguments cannot both be given")
            mask = self._mask_of_result(check_mask(input_mask, self.parent))
        elif mask is None and not opts and not recording.active and self.indexes.vector is None:
            return self.parent._extracted(self.indexes, dtype, name)
        return self._to_expr().new(dtype, mask=mask, name=name, **opts)

    def dup(
        self, dtype: Any = None, *, clear: bool = False, mask: Any = None, name: str | None = None, **opts: Any
    ) -> Any:
        if clear:
            descriptor_from_options(opts)
            return self._output_type(self.dtype if dtype is None else dtype, *self.shape, name=name)
        return self.new(dtype, mask=mask, name=name, **opts)

    def _to_expr(self) -> Any:
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
        return f"{self.parent.name}[{self.indexes}]"


class VectorIndexExpr(IndexExpr, ComputedVector):
    __slots__ = ()
    ndim = 1

    if TYPE_CHECKING:

        def new(
            self, dtype: Any = None, *, mask: Any = None, input_mask: Any = None, name: str | None = None, **opts: Any
        ) -> Vector: ...

    @property
    def _size(self) -> int:
        return self.indexes.shape[0]

    size = _size


class MatrixIndexExpr(IndexExpr, ComputedMatrix):
    __slots__ = ()
    ndim = 2

    if TYPE_CHECKING:

        def new(
            self, dtype: Any = None, *, mask: Any = None, input_mask: Any = None, name: str | None = None, **opts: Any
        ) -> Matrix: ...

    @property
    def _nrows(self) -> int:
        return self.indexes.shape[0]

    @property
    def _ncols(self) -> int:
        return self.indexes.shape[1]

    nrows = _nrows
    ncols = _ncols


class ScalarIndexExpr(IndexExpr, ComputedScalar):
    __slots__ = ()
    ndim = 0
    _is_scalar = True
    _is_cscalar = False
    is_cscalar = False
    is_grbscalar = True

    def new(self, dtype: Any = None, *, is_cscalar: bool | None = None, name: str | None = None, **opts: Any) -> Scalar:
        descriptor_from_options(opts)
        result = self._output_type(self.dtype if dtype is None else dtype, is_cscalar=bool(is_cscalar), name=name)
        result._set(execution.get_element(self.parent, self.indexes))
        return result

    def dup(
        self,
        dtype: Any = None,
        *,
        clear: bool = False,
        is_cscalar: bool = False,
        name: str | None = None,
        **opts: Any,
    ) -> Any:
        if clear:
            return self._output_type(self.dtype if dtype is None else dtype, is_cscalar=is_cscalar, name=name)
        return self.new(dtype, is_cscalar=is_cscalar, name=name, **opts)
