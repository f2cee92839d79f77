"""The common part of Vector, Matrix and ``A.T``: element-wise operations, apply, select, comparison, indexing."""

from __future__ import annotations

from typing import Any

from .. import binary, monoid, select
from ..backends.interpreter.run import execute as execute_node
from ..exceptions import DimensionMismatch
from ..foundation.memory import reports_memory
from ..foundation.types import Operand, OperatorLike
from ..ir import ops
from ..ir.node import node_of
from ..ir.ops import Op
from ..operators import UNKNOWN_OPCLASS, find_opclass, get_typed_op, op_from_string
from . import kinds
from .arithmetic import Arithmetic
from .base import check_same_backend, expect_op, expect_type
from .expressions import (
    BaseExpression,
    MatrixExpression,
    MatrixIndexExpr,
    ScalarIndexExpr,
    VectorExpression,
    VectorIndexExpr,
)
from .indexing import Indexes
from .infix import EwiseSigns, ProductSigns
from .kinds import output_type
from .mask import check_mask
from .scalar import Scalar, as_scalar, check_wait, union_operator


def typed_op_of_chain(op: object, left: Any, right: Any, kind: str) -> Any:
    """The typed operator for ``op(x | y | z)``: operands may be chains that the same operator computes."""
    dtypes = [
        typed_op_of_chain(op, x.left, x.right, kind).type if x._role == "infix" else x.dtype for x in (left, right)
    ]
    return get_typed_op(op, *dtypes, kind=kind)


class Tensor(Arithmetic, EwiseSigns, ProductSigns):
    """Operations of Vector, Matrix and TransposedMatrix; each returns a delayed expression."""

    __slots__ = ()
    ndim: int
    shape: Any
    dtype: Any
    name: str
    _is_scalar = False
    _is_transposed = False
    _role = "object"
    _engine: Any
    _store: Any
    nvals: Any
    to_coo: Any

    _expect_type = expect_type
    _expect_op = expect_op

    def _expression(self, method: str, ir_op: Op, args: list, **kwargs: Any) -> Any:
        """An expression with the shape of this object."""
        if self.ndim == 1:
            return VectorExpression(method, ir_op, args, size=self.shape[0], **kwargs)
        nrows, ncols = self.shape
        return MatrixExpression(method, ir_op, args, nrows=nrows, ncols=ncols, **kwargs)

    # ---- element-wise ---------------------------------------------------------------------------------------

    def ewise_add(self, other: object, op: OperatorLike = monoid.plus) -> Any:
        """The union of the entries: ``op`` where both have an entry, and the only entry elsewhere.

        Parameters
        ----------
        other : Vector, Matrix or expression
            The second operand; a Vector is broadcast to every row of a Matrix.
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

    def ewise_mult(self, other: object, op: OperatorLike = binary.times) -> Any:
        """The intersection of the entries, combined with ``op``.

        Parameters
        ----------
        other : Vector, Matrix or expression
            The second operand; a Vector is broadcast to every row of a Matrix.
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

    def ewise_union(self, other: object, op: OperatorLike, left_default: Operand, right_default: Operand) -> Any:
        """The union of the entries, combined with ``op``; a default replaces a missing entry.

        Parameters
        ----------
        other : Vector, Matrix or expression
            The second operand; a Vector is broadcast to every row of a Matrix.
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

    def _ewise_add(self, other: object, op: OperatorLike, is_infix: bool = False) -> Any:
        return ewise(self, other, op, "ewise_add", is_infix)

    def _ewise_mult(self, other: object, op: OperatorLike, is_infix: bool = False) -> Any:
        return ewise(self, other, op, "ewise_mult", is_infix)

    def _ewise_union(
        self, other: object, op: OperatorLike, left_default: Operand, right_default: Operand, is_infix: bool = False
    ) -> Any:
        return ewise_union(self, other, op, left_default, right_default, is_infix)

    # ---- apply and select -----------------------------------------------------------------------------------

    def apply(self, op: Any, right: Any = None, *, left: Any = None) -> Any:
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
            op = get_typed_op(op, self.dtype, kind="unary")
            self._expect_op(op, "UnaryOp", within="apply", argname="op", extra_message=hint)
            return self._expression("apply", ops.APPLY, [self], op=op)
        if right is None:
            left = as_scalar(self, left, "apply", "left", op)
            op = get_typed_op(op, left.dtype, self.dtype, is_left_scalar=True, kind="binary")
        else:
            right = as_scalar(self, right, "apply", "right", op)
            kind = "indexunary" if is_index else "binary"
            op = get_typed_op(op, self.dtype, right.dtype, is_right_scalar=True, kind=kind)
        if is_index:
            shown = "{0.name}.apply({op}, right={1._expr_name})"
            return self._expression("apply", ops.APPLY_INDEX, [self, right], op=op, expr_repr=shown)
        if op.opclass == "Monoid":
            op = op.binaryop
        else:
            self._expect_op(op, "BinaryOp", within="apply", argname="op", extra_message=hint)
        if right is None:
            shown = "{1.name}.apply({op}, left={0._expr_name})"
            return self._expression("apply", ops.APPLY_LEFT, [left, self], op=op, expr_repr=shown)
        shown = "{0.name}.apply({op}, right={1._expr_name})"
        return self._expression("apply", ops.APPLY_RIGHT, [self, right], op=op, expr_repr=shown)

    def select(self, op: Any, thunk: Any = None) -> Any:
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

    # ---- comparison -----------------------------------------------------------------------------------------

    @reports_memory
    def isequal(self, other: Any, *, check_dtype: bool = False, **opts: object) -> bool:
        """Whether both have the same entries (and, with ``check_dtype``, the same type).

        Parameters
        ----------
        other : Vector, Matrix or expression
            The object to compare with.
        check_dtype : bool
            Whether the types must be equal too.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        TypeError
            ``other`` is of the wrong kind.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> v, w = Vector.from_coo([0, 1], [5, 6]), Vector.from_coo([0, 1], [5.0, 6.0])
        >>> v.isequal(w), v.isequal(w, check_dtype=True)
        (True, False)
        """
        other = self._expect_type(other, self._comparable_types(), within="isequal", argname="other")
        if not self._may_be_equal(other, check_dtype):
            return False
        op = binary.eq[self.dtype] if check_dtype else get_typed_op(binary.eq, self.dtype, other.dtype, kind="binary")
        return self._all_match(other, op)

    @reports_memory
    def isclose(
        self,
        other: object,
        *,
        rel_tol: float = 1e-7,
        abs_tol: float = 0.0,
        check_dtype: bool = False,
        **opts: object,
    ) -> bool:
        """Whether both have entries at the same positions with nearly the same values.

        Parameters
        ----------
        other : Vector, Matrix or expression
            The object to compare with.
        rel_tol : float
            The allowed difference, relative to the larger value.
        abs_tol : float
            The allowed absolute difference.
        check_dtype : bool
            Whether the types must be equal too.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        TypeError
            ``other`` is of the wrong kind.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> v, w = Vector.from_coo([0], [0.1 + 0.2]), Vector.from_coo([0], [0.3])
        >>> v.isequal(w), v.isclose(w)
        (False, True)
        """
        other = self._expect_type(other, self._comparable_types(), within="isclose", argname="other")
        return self._may_be_equal(other, check_dtype) and self._all_match(other, binary.isclose(rel_tol, abs_tol))

    def _comparable_types(self) -> Any:
        raise TypeError

    def _may_be_equal(self, other: Any, check_dtype: bool) -> bool:
        if check_dtype and self.dtype != other.dtype:
            return False
        return self.shape == other.shape and self.nvals == other.nvals

    def _all_match(self, other: object, op: OperatorLike) -> bool:
        matches = self.ewise_mult(other, op).new(bool)
        if matches.nvals != self.nvals:
            return False
        all_of = matches.reduce if self.ndim == 1 else matches.reduce_scalar
        return matches.nvals == 0 or bool(all_of(monoid.land).new().value)

    # ---- indexing -------------------------------------------------------------------------------------------

    def __getitem__(self, keys: Any) -> Any:
        indexes = Indexes(self, keys)
        if not indexes.shape:
            return ScalarIndexExpr(self, indexes)
        return (VectorIndexExpr if len(indexes.shape) == 1 else MatrixIndexExpr)(self, indexes)

    def __contains__(self, index: object) -> bool:
        extractor = self[index]
        if not extractor._is_scalar:
            raise TypeError(
                f"Invalid index to {type(self).__name__} contains: {index!r}.  "
                "Integers are expected: `index in x` checks whether there is an entry at that position."
            )
        return not extractor.new()._is_empty

    def _extracted(self, indexes: Indexes, dtype: Any, name: str | None) -> Any:
        """A new Vector or Matrix of these entries, without checks, outside of recorded loops."""
        shape = indexes.shape
        kind = kinds.Vector if len(shape) == 1 else kinds.Matrix
        output = kind._unwritten(self._engine, self.dtype if dtype is None else dtype, *shape, name)
        execute_node(node_of((ops.EXTRACT, output, None, (self, indexes), None, None, False, None, 0)))
        return output

    def _extraction(self, indexes: Indexes) -> Any:
        shape, args, shown = indexes.shape, [self, indexes], "{0.name}[{1}]"
        if (index := indexes.vector) is not None:
            args, shown = [self, index], "{0.name}[{1.name}]"
            return VectorExpression("__getitem__", ops.GATHER, args, size=shape[0], dtype=self.dtype, expr_repr=shown)
        if len(shape) == 1:
            return VectorExpression("__getitem__", ops.EXTRACT, args, size=shape[0], dtype=self.dtype, expr_repr=shown)
        return MatrixExpression(
            "__getitem__", ops.EXTRACT, args, nrows=shape[0], ncols=shape[1], dtype=self.dtype, expr_repr=shown
        )

    def wait(self, how: str = "materialize") -> Any:
        """Merge changes of single elements that wait for the next operation to read this object.

        Parameters
        ----------
        how : {"materialize", "complete"}
            As in python-graphblas; there is no difference here.

        Raises
        ------
        ValueError
            ``how`` is neither of the two.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_coo([0, 1], [5, 6]).wait().to_dict()
        {0: 5, 1: 6}
        """
        check_wait(how)
        _ = self._store  # the first read merges them
        return self


def check_shapes(within: str, a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise DimensionMismatch(f"{within}: {a.name} has shape {a.shape}, {b.name} has shape {b.shape}")


def _second_operand(x: object, y: Any, op: OperatorLike, method: str, is_infix: bool) -> Any:
    if is_infix and getattr(y, "_role", None) == "infix" and y._infix == ("&" if method == "ewise_mult" else "|"):
        return y
    return expect_type(x, y, kinds.COLLECTIONS, within=method, argname="other", op=op)


def ewise(x: Any, y: Any, op: Any, method: str, is_infix: bool = False) -> Any:
    """``ewise_add`` and ``ewise_mult`` for all combinations of vectors and matrices."""
    y = _second_operand(x, y, op, method, is_infix)
    if is_infix:
        op = typed_op_of_chain(op, x, y, "binary")
    else:
        op = get_typed_op(op, x.dtype, y.dtype, kind="binary")
    expect_op(x, op, ("BinaryOp", "Monoid"), within=method, argname="op")
    if is_infix:
        x, y = (op(z).new() if z._role == "infix" else z for z in (x, y))
    check_same_backend(x, y, method)
    ir_op = ops.EWISE_ADD if method == "ewise_add" else ops.EWISE_MULT
    return _ewise_expression(x, y, method, ir_op, [x, y], op=op)


def ewise_union(x: Any, y: Any, op: Any, left_default: Operand, right_default: Operand, is_infix: bool = False) -> Any:
    y = _second_operand(x, y, op, "ewise_union", is_infix)
    if is_infix:
        defaults = {"left_default": left_default, "right_default": right_default}
        x, y = (op(z, **defaults).new() if z._role == "infix" else z for z in (x, y))
    op, left, right = union_operator(x, y, op, left_default, right_default)
    check_same_backend(x, y, "ewise_union")
    shown = "{0.name}.{method_name}({2.name}, {op}, {1._expr_name}, {3._expr_name})"
    return _ewise_expression(x, y, "ewise_union", ops.EWISE_UNION, [x, left, y, right], op=op, expr_repr=shown)


def _ewise_expression(x: Any, y: Any, method: str, ir_op: Op, args: list, **kwargs: object) -> Any:
    if x.ndim == y.ndim:
        if x.shape != y.shape:
            raise DimensionMismatch(f"{method}: {x.name} has shape {x.shape}, {y.name} has shape {y.shape}")
        return x._expression(method, ir_op, args, **kwargs)
    if x.ndim == 1:
        if y._nrows != x._size:
            raise DimensionMismatch(
                f"Dimensions not compatible for broadcasting Vector from the left to columns of Matrix in {method}.  "
                f"Matrix.nrows (={y._nrows}) must equal Vector.size (={x._size})."
            )
        return y._expression(method, ir_op, args, **kwargs)
    if x._ncols != y._size:
        raise DimensionMismatch(
            f"Dimensions not compatible for broadcasting Vector from the right to rows of Matrix in {method}.  "
            f"Matrix.ncols (={x._ncols}) must equal Vector.size (={y._size})."
        )
    return x._expression(method, ir_op, args, **kwargs)


__all__ = ["Scalar", "Tensor", "check_shapes", "ewise", "typed_op_of_chain"]
