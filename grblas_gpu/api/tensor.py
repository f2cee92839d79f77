"""The common part of Vector, Matrix and ``A.T``: comparison, indexing, reduction."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from .. import binary, monoid
from ..backends.interpreter.run import execute as execute_node
from ..foundation.memory import reports_memory
from ..foundation.types import DTypeLike, Matrix, OperatorLike, Vector
from ..ir import ops
from ..ir.node import node_of
from ..ir.ops import Op
from ..operators import get_typed_op, same_fields
from . import kinds
from .elementwise import Elementwise
from .expressions import (
    MatrixExpression,
    MatrixIndexExpr,
    ScalarExpression,
    ScalarIndexExpr,
    VectorExpression,
    VectorIndexExpr,
)
from .indexing import Indexes
from .infix import ProductSigns
from .scalar import check_wait


class Tensor(Elementwise, ProductSigns):
    """Operations of Vector, Matrix and TransposedMatrix; each returns a delayed expression."""

    __slots__ = ()
    _shape: tuple[int, ...]
    _store: Any
    nvals: Any
    to_coo: Any
    if TYPE_CHECKING:

        @property
        def shape(self) -> tuple[int, ...]: ...
    else:  # attrgetter is faster than a function
        shape = property(attrgetter("_shape"), doc="The dimensions as a tuple, as NumPy gives them.")

    # ---- apply and select -----------------------------------------------------------------------------------

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
        if not self._may_be_equal(other, check_dtype) or not same_fields(self.dtype, other.dtype):
            return False
        op = binary.eq[self.dtype] if check_dtype else get_typed_op(binary.eq, self.dtype, other.dtype, kind="binary")
        return self._all_match(other, op)

    @reports_memory
    def isclose(
        self, other: object, *, rel_tol: float = 1e-7, abs_tol: float = 0.0, check_dtype: bool = False, **opts: object
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

    def _comparable_types(self) -> type | tuple[type, ...]:
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

    def _value_at(self, keys: object, default: object, refusal: str) -> object:
        """The value at a position as a Python scalar, or the default."""
        expr = self[keys]
        if not expr._is_scalar:
            raise ValueError(refusal)
        value = expr.new().value
        return default if value is None else value

    def _extracted(self, indexes: Indexes, dtype: DTypeLike | None, name: str | None) -> Vector | Matrix:
        """A new Vector or Matrix of these entries, without checks, outside of recorded loops."""
        shape = indexes.shape
        kind = kinds.Vector if len(shape) == 1 else kinds.Matrix
        output = kind._unwritten(self._engine, self.dtype if dtype is None else dtype, shape, name)
        execute_node(node_of((ops.EXTRACT, output, None, (self, indexes), None, None, False, None, 0)))
        return output

    def _extraction(self, indexes: Indexes) -> VectorExpression | MatrixExpression:
        ir_op, index, shown = ops.EXTRACT, indexes, "{0.name}[{1}]"
        if indexes.vector is not None:
            ir_op, index, shown = ops.GATHER, indexes.vector, "{0.name}[{1.name}]"
        kind = VectorExpression if len(indexes.shape) == 1 else MatrixExpression
        return kind("__getitem__", ir_op, [self, index], indexes.shape, dtype=self.dtype, expr_repr=shown)

    def _reduction(self, op: OperatorLike, within: str, allow_empty: bool) -> ScalarExpression:
        """All entries combined with a monoid or aggregator; only a monoid has a result without entries."""
        typed = _of_monoid(get_typed_op(op, self.dtype, kind="binary|aggregator"))
        if typed.opclass != "Monoid":  # the common case: no call
            self._expect_op(typed, ("Monoid", "Aggregator"), within=within, argname="op")
            if self.ndim == 2 and typed.name in {"argmin", "argmax", "first_index", "last_index"}:
                raise ValueError(f"Aggregator {typed.name} may not be used with Matrix.reduce_scalar.")
            if not allow_empty:
                if typed.parent.monoid is None:
                    raise ValueError("allow_empty=False not allowed when using Aggregators")
                typed = typed.parent.monoid[typed.type]
        ir_op = ops.REDUCE if allow_empty else ops.REDUCE_OR_IDENTITY
        return ScalarExpression(within, ir_op, [self], op=typed)

    def _line_reduction(self, op: OperatorLike, within: str, ir_op: Op, size: int) -> VectorExpression:
        typed = _of_monoid(get_typed_op(op, self.dtype, kind="binary|aggregator"))
        self._expect_op(typed, ("BinaryOp", "Monoid", "Aggregator"), within=within, argname="op")
        return VectorExpression(within, ir_op, [self], (size,), typed)

    def _repositioned(self, offsets: tuple[int, ...], sizes: tuple[int | None, ...]) -> Any:
        """The entries moved by offsets, in a shape that is by default that of this object."""
        shape = tuple(own if n is None else int(n) for n, own in zip(sizes, self.shape, strict=True))
        shown = f"{{0.name}}.reposition({', '.join(map(str, offsets))})"
        return self._expression_type(
            "reposition", ops.REPOSITION, [self, offsets, shape], shape, dtype=self.dtype, expr_repr=shown
        )

    def wait(self, how: str = "materialize") -> Self:
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


def _of_monoid(op: Any) -> Any:
    """The monoid of a typed BinaryOp that has one; other operators unchanged."""
    return op.monoid if op.opclass == "BinaryOp" and op.monoid is not None else op
