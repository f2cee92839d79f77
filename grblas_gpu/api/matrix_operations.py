"""The operations of a Matrix that work on ``A.T`` too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from .. import binary, monoid, semiring
from ..exceptions import DimensionMismatch
from ..foundation.memory import reports_memory
from ..ir import ops
from ..operators import get_typed_op
from . import kinds
from .binary_operations import pairwise_operator, product
from .conversions import integral
from .expressions import MatrixExpression, ScalarExpression, VectorExpression
from .tensor import Tensor

if TYPE_CHECKING:
    from ..foundation.types import DTypeLike, Operand, OperatorLike
    from ..operators.call_types import MatrixLike, OneIndex, ScalarLike, SeveralIndices, VectorLike
    from .expressions import MatrixIndexExpr, ScalarIndexExpr, VectorIndexExpr
    from .infix import MatrixEwiseAddExpr, MatrixEwiseMultExpr, MatrixMatMulExpr, VectorMatMulExpr


class MatrixOperations(Tensor):
    """The operations of a Matrix that work on ``A.T`` too."""

    __slots__ = ()
    ndim: Literal[2] = 2
    _expression_type = MatrixExpression
    if TYPE_CHECKING:

        def _signs(self, other: MatrixLike | VectorLike | ScalarLike, /) -> MatrixExpression: ...
        @overload
        def __matmul__(self, other: VectorLike) -> VectorMatMulExpr: ...
        @overload
        def __matmul__(self, other: MatrixLike) -> MatrixMatMulExpr: ...
        def __matmul__(self, other: object) -> VectorMatMulExpr | MatrixMatMulExpr: ...
        def __and__(self, other: VectorLike | MatrixLike) -> MatrixEwiseMultExpr: ...
        def __or__(self, other: VectorLike | MatrixLike) -> MatrixEwiseAddExpr: ...
        def apply(self, op: object, right: object = None, *, left: object = None) -> MatrixExpression: ...
        def select(self, op: object, thunk: object = None) -> MatrixExpression: ...
        def ewise_add(self, other: object, op: OperatorLike = ...) -> MatrixExpression: ...
        def ewise_mult(self, other: object, op: OperatorLike = ...) -> MatrixExpression: ...
        def ewise_union(
            self, other: object, op: OperatorLike, left_default: Operand, right_default: Operand
        ) -> MatrixExpression: ...
        @overload
        def __getitem__(self, keys: tuple[OneIndex, OneIndex]) -> ScalarIndexExpr: ...
        @overload
        def __getitem__(self, keys: tuple[OneIndex, SeveralIndices]) -> VectorIndexExpr: ...
        @overload
        def __getitem__(self, keys: tuple[SeveralIndices, OneIndex]) -> VectorIndexExpr: ...
        @overload
        def __getitem__(self, keys: tuple[SeveralIndices, SeveralIndices]) -> MatrixIndexExpr: ...
        def __getitem__(self, keys: object) -> ScalarIndexExpr | VectorIndexExpr | MatrixIndexExpr: ...

    @property
    def nrows(self) -> int:
        """The number of rows.

        >>> from grblas_gpu import Matrix
        >>> Matrix(int, 2, 3).nrows
        2
        """
        return self._shape[0]

    @property
    def ncols(self) -> int:
        """The number of columns.

        >>> from grblas_gpu import Matrix
        >>> Matrix(int, 2, 3).ncols
        3
        """
        return self._shape[1]

    _nrows, _ncols = nrows, ncols

    def _comparable_types(self) -> tuple[type, ...]:
        return kinds.MATRICES

    def __iter__(self) -> Iterator:
        rows, cols, _ = self.to_coo(values=False)
        return zip(rows.flat, cols.flat, strict=True)

    @reports_memory
    def get(self, row: int, col: int, default: object = None) -> Any:
        """The value at a position as a Python scalar, or ``default``.

        Parameters
        ----------
        row : int
            The row; negative ones count from the end.
        col : int
            The column; negative ones count from the end.
        default : any
            The result where there is no entry.

        Raises
        ------
        IndexError
            The position is outside of the Matrix.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 1], [1, 0], [5, 6])
        >>> A.get(0, 1), A.get(0, 0), A.get(0, 0, default=-1)
        (5, None, -1)
        """
        return self._value_at(
            (row, col),
            default,
            "Bad row, col arguments in Matrix.get(...).  "
            "Indices should get a single element, which will be extracted as a Python scalar.",
        )

    @reports_memory
    def to_edgelist(self, dtype: DTypeLike | None = None, *, values: bool = True, sort: bool = True) -> tuple[Any, Any]:
        """Positions as an array of (row, column) pairs, and values.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the returned values; by default their own.
        values : bool
            Whether to return values; None otherwise.
        sort : bool
            Whether indices must be in order.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> edges, values = Matrix.from_coo([0, 1], [1, 0], [5, 6]).to_edgelist()
        >>> edges.tolist(), values.tolist()
        ([[0, 1], [1, 0]], [5, 6])
        """
        rows, cols, vals = self.to_coo(dtype, values=values, sort=sort)
        return np.column_stack([rows, cols]), vals

    def mxv(self, other: object, op: OperatorLike = semiring.plus_times) -> VectorExpression:
        """Matrix times Vector.

        Parameters
        ----------
        other : Vector or expression
            The second factor.
        op : Semiring or str
            The operators that add and multiply, typed or untyped: ``semiring.min_plus``, or ``"min_plus"``.

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
        >>> from grblas_gpu import Matrix, Vector
        >>> A = Matrix.from_coo([0, 0], [1, 2], [10, 20], nrows=3, ncols=3)
        >>> A.mxv(Vector.from_coo([1, 2], [1, 2], size=3)).new().to_dict()
        {0: 50}
        """
        return product(self, other, op, "mxv")

    def mxm(self, other: object, op: OperatorLike = semiring.plus_times) -> MatrixExpression:
        """Matrix times Matrix.

        Parameters
        ----------
        other : Matrix or expression
            The second factor.
        op : Semiring or str
            The operators that add and multiply, typed or untyped: ``semiring.min_plus``, or ``"min_plus"``.

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
        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 1], [1, 0], [2, 3])
        >>> A.mxm(A).new().to_dicts()
        {0: {0: 6}, 1: {1: 6}}
        """
        return product(self, other, op, "mxm")

    def kronecker(self, other: Any, op: OperatorLike = binary.times) -> MatrixExpression:
        """The Kronecker product.

        Parameters
        ----------
        other : Matrix or expression
            The second factor.
        op : BinaryOp, Monoid or str
            The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.

        Raises
        ------
        TypeError
            An operand or the operator is of the wrong kind.
        InvalidObject
            The operands are on different backends.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> A, B = Matrix.from_coo([0, 1], [1, 0], [2, 3]), Matrix.from_dense([[1, 10]])
        >>> A.kronecker(B).new().to_dicts()
        {0: {2: 2, 3: 20}, 1: {0: 3, 1: 30}}
        """
        other = self._expect_type(other, kinds.MATRICES, within="kronecker", argname="other", op=op)
        typed = pairwise_operator(self, other, op, "kronecker")
        shape = (self.nrows * other.nrows, self.ncols * other.ncols)
        return MatrixExpression("kronecker", ops.KRONECKER, [self, other], shape, typed)

    def reduce_rowwise(self, op: OperatorLike = monoid.plus) -> VectorExpression:
        """The entries of each row combined.

        Parameters
        ----------
        op : Monoid, Aggregator or str
            The operator that combines values: ``monoid.plus``, ``agg.mean``, or ``"max"``.

        Raises
        ------
        TypeError
            An operand or the operator is of the wrong kind.
        ValueError
            No operator has the given name.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 0, 2], [0, 1, 1], [1, 2, 5]).reduce_rowwise().new().to_dict()
        {0: 3, 2: 5}
        """
        return self._line_reduction(op, "reduce_rowwise", ops.REDUCE_ROWWISE, self.nrows)

    def reduce_columnwise(self, op: OperatorLike = monoid.plus) -> VectorExpression:
        """The entries of each column combined.

        Parameters
        ----------
        op : Monoid, Aggregator or str
            The operator that combines values: ``monoid.plus``, ``agg.mean``, or ``"max"``.

        Raises
        ------
        TypeError
            An operand or the operator is of the wrong kind.
        ValueError
            No operator has the given name.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 0, 2], [0, 1, 1], [1, 2, 5]).reduce_columnwise().new().to_dict()
        {0: 1, 1: 7}
        """
        return self._line_reduction(op, "reduce_columnwise", ops.REDUCE_COLUMNWISE, self.ncols)

    def reduce_scalar(self, op: OperatorLike = monoid.plus, *, allow_empty: bool = True) -> ScalarExpression:
        """All entries combined with a monoid or aggregator.

        Parameters
        ----------
        op : Monoid, Aggregator or str
            The operator that combines values: ``monoid.plus``, ``agg.mean``, or ``"max"``.
        allow_empty : bool
            Whether a reduction of no entries returns an empty Scalar; otherwise it returns the identity.

        Raises
        ------
        TypeError
            An operand or the operator is of the wrong kind.
        ValueError
            No operator has the given name.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 0, 2], [0, 1, 1], [1, 2, 5])
        >>> A.reduce_scalar().new().value, A.reduce_scalar(monoid.max).new().value
        (8, 5)
        """
        return self._reduction(op, "reduce_scalar", allow_empty)

    def reposition(
        self, row_offset: int, column_offset: int, *, nrows: int | None = None, ncols: int | None = None
    ) -> MatrixExpression:
        """The entries moved by offsets; entries that leave the Matrix are dropped.

        Parameters
        ----------
        row_offset : int
            The number of rows that entries move down; up if negative.
        column_offset : int
            The number of columns that entries move to the right; to the left if negative.
        nrows : int, optional
            The number of rows of the result; the same by default.
        ncols : int, optional
            The number of columns of the result; the same by default.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_dense([[1, 2], [3, 4]])
        >>> A.reposition(1, 0).new().to_dicts()
        {1: {0: 1, 1: 2}}
        """
        return self._repositioned((int(row_offset), int(column_offset)), (nrows, ncols))

    def power(self, n: int, op: Any = semiring.plus_times) -> MatrixExpression:
        """The n-th power of a square Matrix.

        Parameters
        ----------
        n : int
            The exponent; 0 gives the identity.
        op : Semiring or str
            The operators that add and multiply, typed or untyped: ``semiring.min_plus``, or ``"min_plus"``.

        Raises
        ------
        DimensionMismatch
            The Matrix is not square.
        ValueError
            ``n`` is negative.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_dense([[1, 1], [1, 0]])
        >>> A.power(5).new().to_dense()
        array([[8, 5],
               [5, 3]])
        """
        if self.nrows != self.ncols:
            raise DimensionMismatch(f"power only works for square Matrix; shape is {self.shape}")
        exponent = integral(n)
        if exponent is None:
            raise TypeError(f"n must be a nonnegative integer; got bad type: {type(n)}")
        if exponent < 0:
            raise ValueError(f"n must be a nonnegative integer; got: {exponent}")
        op = get_typed_op(op, self.dtype, kind="semiring")
        self._expect_op(op, "Semiring", within="power", argname="op")
        if exponent == 0 and op.binaryop.monoid is None:
            raise ValueError(
                f"Binary operator of {op} semiring does not have a monoid with an identity. When n=0, the result is a "
                "diagonal matrix with values equal to the identity: the binaryop must be associated with a monoid."
            )
        return MatrixExpression(
            "power",
            ops.POWER,
            [self, exponent],
            self.shape,
            op,
            self.dtype,
            expr_repr=f"{{0.name}}.power({exponent}, op={op})",
        )
