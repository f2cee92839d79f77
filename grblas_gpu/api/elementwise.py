"""What Vectors, Matrices, ``A.T`` and Scalars have in common: element-wise operations, apply and select."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import binary, monoid, select
from ..foundation.types import Operand, OperatorLike
from ..ir import ops
from ..ir.ops import Op
from ..operators import UNKNOWN_OPCLASS, find_opclass, get_typed_op, op_from_string
from .arithmetic import Arithmetic
from .base import as_scalar, check_same_backend, expect_op, expect_type
from .binary_operations import ewise, ewise_union
from .execution import check_shapes
from .expressions import BaseExpression
from .infix import EwiseSigns
from .kinds import output_type
from .mask import check_mask


class Elementwise(Arithmetic, EwiseSigns):
    """Operations on all entries; each returns a delayed expression."""

    __slots__ = ()
    ndim: int
    shape: Any
    dtype: Any
    name: Any
    _engine: Any
    _is_scalar = False
    _is_transposed = False
    _role = "object"
    _expression_type: ClassVar[Any]

    _expect_type = expect_type
    _expect_op = expect_op

    def __repr__(self) -> str:
        from .formatting import text_of

        return text_of(self)

    def _expression(self, method: str, ir_op: Op, args: list[object], **kwargs: object) -> BaseExpression:
        """An expression with the shape of this object."""
        return self._expression_type(method, ir_op, args, self.shape, **kwargs)

    def ewise_add(self, other: object, op: OperatorLike = monoid.plus) -> BaseExpression:
        """The union of the entries: ``op`` where both have an entry, and the only entry elsewhere.

        Parameters
        ----------
        other : Vector, Matrix, Scalar or expression
            The second operand; a Vector is broadcast to every row of a Matrix, and a Scalar needs a Scalar or number.
        op : BinaryOp, Monoid or str
            The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.

        Raises
        ------
        DimensionMismatch
            The shapes do not match.
        TypeError
            An operand or the operator is of the wrong kind.
        InvalidObject
            The operands are on different backends.
        ValueError
            No operator has the given name.

        Examples
        --------
        >>> from grblas_gpu import Vector, monoid
        >>> v = Vector.from_coo([0, 1], [1, 2], size=3)
        >>> w = Vector.from_coo([1, 2], [10, 20], size=3)
        >>> v.ewise_add(w, monoid.plus).new().to_dict()
        {0: 1, 1: 12, 2: 20}
        """
        return ewise(self, other, op, "ewise_add")

    def ewise_mult(self, other: object, op: OperatorLike = binary.times) -> BaseExpression:
        """The intersection of the entries, combined with ``op``.

        Parameters
        ----------
        other : Vector, Matrix, Scalar or expression
            The second operand; a Vector is broadcast to every row of a Matrix, and a Scalar needs a Scalar or number.
        op : BinaryOp, Monoid or str
            The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.

        Raises
        ------
        DimensionMismatch
            The shapes do not match.
        TypeError
            An operand or the operator is of the wrong kind.
        InvalidObject
            The operands are on different backends.
        ValueError
            No operator has the given name.

        Examples
        --------
        >>> from grblas_gpu import Vector, binary
        >>> v = Vector.from_coo([0, 1], [1, 2], size=3)
        >>> w = Vector.from_coo([1, 2], [10, 20], size=3)
        >>> v.ewise_mult(w, binary.times).new().to_dict()
        {1: 20}
        """
        return ewise(self, other, op, "ewise_mult")

    def ewise_union(
        self, other: object, op: OperatorLike, left_default: Operand, right_default: Operand
    ) -> BaseExpression:
        """The union of the entries, combined with ``op``; a default replaces a missing entry.

        Parameters
        ----------
        other : Vector, Matrix, Scalar or expression
            The second operand; a Vector is broadcast to every row of a Matrix, and a Scalar needs a Scalar or number.
        op : BinaryOp, Monoid or str
            The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.
        left_default : scalar
            The left value where only the right operand has an entry.
        right_default : scalar
            The right value where only the left operand has an entry.

        Raises
        ------
        DimensionMismatch
            The shapes do not match.
        TypeError
            An operand or the operator is of the wrong kind.
        InvalidObject
            The operands are on different backends.

        Examples
        --------
        >>> from grblas_gpu import Vector, binary
        >>> v = Vector.from_coo([0, 1], [1, 2], size=3)
        >>> w = Vector.from_coo([1, 2], [10, 20], size=3)
        >>> v.ewise_union(w, binary.minus, 0, 0).new().to_dict()
        {0: 1, 1: -8, 2: -20}
        """
        return ewise_union(self, other, op, left_default, right_default)

    def apply(self, op: OperatorLike, right: object = None, *, left: object = None) -> BaseExpression:
        """A unary operator on every entry, or a binary one with a scalar on the ``left`` or ``right``.

        Parameters
        ----------
        op : UnaryOp, BinaryOp, IndexUnaryOp or str
            The operator on every value: ``unary.abs``, or ``binary.times`` with the other operand in
            ``left`` or ``right``.
        right : scalar, optional
            The second argument of a binary operator, or the thunk of an index-unary one.
        left : scalar, optional
            The first argument of a binary operator.

        Raises
        ------
        TypeError
            An operand or the operator is of the wrong kind.
        ValueError
            No operator has the given name.
        DomainMismatch
            A type cannot be cast to the required one.

        Examples
        --------
        >>> from grblas_gpu import Vector, binary, unary
        >>> v = Vector.from_coo([0, 1], [1, -2])
        >>> v.apply(unary.abs).new().to_dict(), v.apply(binary.minus, left=10).new().to_dict()
        ({0: 1, 1: 2}, {0: 9, 1: 12})
        """
        hint = (
            "apply only accepts UnaryOp with no scalars or BinaryOp with `left` or `right` scalar "
            "or IndexUnaryOp with `right` thunk."
        )
        if isinstance(op, str):
            op = op_from_string(op)
        op, opclass = find_opclass(op)
        is_index = opclass in ("IndexUnaryOp", "SelectOp")
        if is_index:
            if left is not None:
                raise TypeError("Do not pass `left` when applying IndexUnaryOp")
            right = False if right is None else right
        if left is not None and right is not None:
            raise TypeError("Cannot provide both `left` and `right` to apply")
        if left is None and right is None:
            typed = get_typed_op(op, self.dtype, kind="unary")
            self._expect_op(typed, "UnaryOp", within="apply", argname="op", extra_message=hint)
            return self._expression("apply", ops.APPLY, [self], op=typed)
        if right is None:
            left = as_scalar(self, left, "apply", "left", op)
            typed = get_typed_op(op, left.dtype, self.dtype, is_left_scalar=True, kind="binary")
        else:
            right = as_scalar(self, right, "apply", "right", op)
            kind = "indexunary" if is_index else "binary"
            typed = get_typed_op(op, self.dtype, right.dtype, is_right_scalar=True, kind=kind)
        if is_index:
            shown = "{0.name}.apply({op}, right={1._expr_name})"
            return self._expression("apply", ops.APPLY_INDEX, [self, right], op=typed, expr_repr=shown)
        if typed.opclass == "Monoid":
            typed = typed.binaryop
        else:
            self._expect_op(typed, "BinaryOp", within="apply", argname="op", extra_message=hint)
        if right is None:
            shown = "{1.name}.apply({op}, left={0._expr_name})"
            return self._expression("apply", ops.APPLY_LEFT, [left, self], op=typed, expr_repr=shown)
        shown = "{0.name}.apply({op}, right={1._expr_name})"
        return self._expression("apply", ops.APPLY_RIGHT, [self, right], op=typed, expr_repr=shown)

    def select(self, op: OperatorLike, thunk: object = None) -> BaseExpression:
        """The entries for which an operator (or a mask) is true.

        Parameters
        ----------
        op : SelectOp, IndexUnaryOp, Mask or str
            The operator that selects entries: ``select.tril``, ``select.valuegt``, or ``">"``.
        thunk : scalar, optional
            The second operand of the operator: a value, or the offset of a diagonal.

        Raises
        ------
        TypeError
            An operand or the operator is of the wrong kind.
        ValueError
            No operator has the given name.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_coo([0, 1, 2], [5, 1, 7]).select(">=", 5).new().to_dict()
        {0: 5, 2: 7}
        """
        if isinstance(op, str):
            op = select.from_string(op)
        else:
            given = op
            opclass = UNKNOWN_OPCLASS
            if isinstance(op, BaseExpression):
                if thunk is not None:
                    raise TypeError("thunk argument not None when calling select with mask or boolean object")
                matched = select._match_expr(self, op)
                if matched is not None:
                    return matched
            else:
                op, opclass = find_opclass(op)
            if opclass == UNKNOWN_OPCLASS:
                mask = check_mask(given)
                if thunk is not None:
                    raise TypeError("thunk argument not None when calling select with mask or boolean object")
                if mask.parent.ndim != self.ndim:
                    self._expect_type(mask.parent, output_type(self), within="select", argname="op")
                check_shapes("select", self, mask.parent)
                check_same_backend(self, mask.parent, "select")
                shown = "{0.name}.select({1.name})"
                return self._expression("select", ops.SELECT_MASK, [self, mask], dtype=self.dtype, expr_repr=shown)
        thunk = as_scalar(self, False if thunk is None else thunk, "select", "thunk", op)
        op = get_typed_op(op, self.dtype, thunk.dtype, is_right_scalar=True, kind="select")
        self._expect_op(op, ("SelectOp", "IndexUnaryOp"), within="select", argname="op")
        shown = "{0.name}.select({op}, thunk={1._expr_name})"
        return self._expression("select", ops.SELECT, [self, thunk], op=op, dtype=self.dtype, expr_repr=shown)
