"""Types of operands, indices and calls of operators, for type checkers.

What a call does is said by the layer above (see ``caller``).

>>> from grblas_gpu.operators import call_types
>>> call_types.SemiringCall.__name__
'SemiringCall'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, overload

if TYPE_CHECKING:
    import numpy as np

    from ..api.computed import ComputedMatrix, ComputedScalar, ComputedVector
    from ..api.expressions import MatrixExpression, ScalarExpression, VectorExpression
    from ..api.infix import MatrixMatMulExpr, ScalarMatMulExpr, VectorMatMulExpr
    from ..api.matrix import Matrix, TransposedMatrix
    from ..api.scalar import Scalar
    from ..api.vector import Vector

    VectorLike: TypeAlias = Vector | ComputedVector
    MatrixLike: TypeAlias = Matrix | TransposedMatrix | ComputedMatrix
    TensorLike: TypeAlias = VectorLike | MatrixLike
    ScalarLike: TypeAlias = Scalar | ComputedScalar | complex | np.generic | np.ndarray | tuple[object, ...]
    OneIndex: TypeAlias = int | np.integer | Scalar
    SeveralIndices: TypeAlias = slice | range | list[int] | np.ndarray | Vector


class UnaryCall(Protocol):
    """``unary.abs(v)``"""

    @overload
    def __call__(self, expr: VectorLike) -> VectorExpression: ...
    @overload
    def __call__(self, expr: MatrixLike) -> MatrixExpression: ...
    @overload
    def __call__(self, expr: ScalarLike) -> ScalarExpression: ...


class BinaryCall(Protocol):
    """``binary.plus(v & w)``, ``binary.plus(v, 1)``, ``binary.minus(v | w, left_default=0, right_default=0)``"""

    @overload
    def __call__(
        self, left: VectorLike, right: ScalarLike = ..., *, left_default: object = ..., right_default: object = ...
    ) -> VectorExpression: ...
    @overload
    def __call__(
        self, left: MatrixLike, right: ScalarLike = ..., *, left_default: object = ..., right_default: object = ...
    ) -> MatrixExpression: ...
    @overload
    def __call__(self, left: ScalarLike, right: VectorLike) -> VectorExpression: ...
    @overload
    def __call__(self, left: ScalarLike, right: MatrixLike) -> MatrixExpression: ...
    @overload
    def __call__(
        self, left: ScalarLike, right: ScalarLike = ..., *, left_default: object = ..., right_default: object = ...
    ) -> ScalarExpression: ...


class SemiringCall(Protocol):
    """``semiring.plus_times(A @ B)``"""

    @overload
    def __call__(self, expr: VectorMatMulExpr) -> VectorExpression: ...
    @overload
    def __call__(self, expr: MatrixMatMulExpr) -> MatrixExpression: ...
    @overload
    def __call__(self, expr: ScalarMatMulExpr) -> ScalarExpression: ...


class IndexUnaryCall(Protocol):
    """``indexunary.rowindex(A)``, ``select.valuegt(v, 3)``"""

    @overload
    def __call__(self, expr: VectorLike, thunk: ScalarLike | None = ...) -> VectorExpression: ...
    @overload
    def __call__(self, expr: MatrixLike, thunk: ScalarLike | None = ...) -> MatrixExpression: ...
    @overload
    def __call__(self, expr: ScalarLike, thunk: ScalarLike | None = ...) -> ScalarExpression: ...


class AggregatorCall(Protocol):
    """``agg.sum(v)``, ``agg.sum(A, rowwise=True)``"""

    @overload
    def __call__(self, expr: VectorLike) -> ScalarExpression: ...
    @overload
    def __call__(self, expr: MatrixLike, *, rowwise: bool = ..., columnwise: bool = ...) -> Any: ...
