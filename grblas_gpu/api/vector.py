"""Vector: a sparse vector."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np

from .. import binary, monoid, semiring
from ..backends.stores.formats import choose_format
from ..dtypes import FP64, DataType
from ..exceptions import OutputNotEmpty
from ..foundation.memory import reports_memory
from ..foundation.types import ArrayLike, Matrix, Store, Value
from ..ir import ops, recording
from ..operators import get_semiring
from . import kinds
from .binary_operations import pairwise_operator, product
from .changes import delete_elements
from .computed import ComputedVector
from .conversions import check_bounds, check_size, index_array, output_values, shown_values, values_to_array
from .dense_arrays import dense_fill
from .expressions import MatrixExpression, ScalarExpression, VectorExpression, VectorIndexExpr
from .kinds import stands_for
from .scalar import whole_number
from .sizes import numbers_of
from .vector_construction import VectorConstruction, vector_entries

if TYPE_CHECKING:
    from ..foundation.types import DTypeLike, Engine, OperatorLike
    from ..operators.call_types import MatrixLike, OneIndex, ScalarLike, SeveralIndices, VectorLike
    from .expressions import ScalarIndexExpr
    from .infix import (
        MatrixEwiseAddExpr,
        MatrixEwiseMultExpr,
        ScalarMatMulExpr,
        VectorEwiseAddExpr,
        VectorEwiseMultExpr,
        VectorMatMulExpr,
    )


class Vector(VectorConstruction):
    """A vector with entries at some of its positions; a new one has none.

    Parameters
    ----------
    dtype : dtype
        The type of the values, in any spelling: ``"FP64"``, ``float``, ``gb.INT8``, NumPy's.
    size : int
        The number of positions, up to 2**60.
    name : str, optional
        The name that messages and ``print`` show.

    Raises
    ------
    ValueError
        No type has the given name.
    OverflowError
        The size is negative.

    Examples
    --------
    >>> from grblas_gpu import Vector
    >>> v = Vector.from_coo([0, 2], [1.5, 2.5], size=4)
    >>> v.nvals, v.size, v.dtype
    (2, 4, FP64)
    """

    __slots__ = ()
    ndim: Literal[1] = 1
    _expression_type = VectorExpression
    _prefix, _sizes, _name_counter = "v", ("size",), itertools.count()
    ss = kinds.StorageOf("VectorStorage")

    def __init__(self, dtype: DTypeLike = FP64, size: int = 0, *, name: str | None = None) -> None:
        self._begin_empty(dtype, (size,), name)
        if recording.active and (recorder := recording.current()) is not None:
            self._store = self._engine.empty_vector(*numbers_of(self._shape), self.dtype.np_type)
            recorder.new(self)
        else:
            self._store = self._engine.empty_vector(*self._shape, self.dtype.np_type)

    # ---- properties -----------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The number of positions.

        >>> Vector.from_coo([0, 2], [5, 6], size=10).size
        10
        """
        return self._shape[0]

    _size = size

    def __iter__(self) -> Iterator:
        return self.to_coo(values=False)[0].flat

    # ---- in and out -----------------------------------------------------------------------------------------

    @reports_memory
    def build(
        self,
        indices: ArrayLike,
        values: ArrayLike | Value,
        *,
        dup_op: OperatorLike | None = None,
        clear: bool = False,
        size: int | None = None,
    ) -> None:
        """Fill an empty Vector with entries.

        Parameters
        ----------
        indices : array_like of int
            The position of every entry, from 0.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dup_op : BinaryOp, optional
            The operator that combines duplicates; without it, duplicates raise a ValueError.
        clear : bool
            Whether to remove existing entries first; otherwise existing entries raise OutputNotEmpty.
        size : int, optional
            A new size.

        Raises
        ------
        OutputNotEmpty
            The object has entries, and ``clear`` is not set.
        IndexOutOfBound
            An index is out of range.
        ValueError
            An index occurs twice without ``dup_op``, or lengths differ.

        Examples
        --------
        >>> v = Vector(int, 4)
        >>> v.build([0, 2, 2], [5, 6, 7], dup_op=binary.plus)
        >>> v.to_dict()
        {0: 5, 2: 13}
        """
        recording.refuse(f"build of {self.name}")
        index = index_array(indices, "indices", self._engine)
        array, _ = values_to_array(values, self.dtype, self._engine)
        if array.shape != index.shape:
            raise ValueError(f"`indices` and `values` lengths must match: {index.size} != {array.size}")
        size = self.size if size is None else check_size(size, "size")
        check_bounds(index, size, "indices")
        if not clear and self.nvals and index.size:
            raise OutputNotEmpty(f"build: {self.name} already has entries; use clear=True to replace them")
        built = vector_entries(self, size, index, array, dup_op)
        if not (clear or index.size):
            built = self._store if size == self.size else self._engine.resize_vector(self._store, size)
        self._store, self._shape = built, (size,)

    @reports_memory
    def update(  # type: ignore[override]
        self,
        expr: object,
        values: ArrayLike | Value | None = None,
        *,
        dup_op: OperatorLike | None = None,
        **opts: object,
    ) -> None:
        """Set many elements, at the cost of the changes: ``v.update(indices, values)``. Others stay.

        As with ``v[i] = x``, the changes wait until an operation reads the Vector. With one argument,
        ``v.update(expr)`` is ``v << expr``.

        Parameters
        ----------
        expr : array_like of int
            The positions; or an expression, as the only argument.
        values : array_like or scalar
            The new values, or one for all.
        dup_op : BinaryOp, optional
            The operator that combines values given for one position; without it, duplicates raise a ValueError.
        **opts : keywords
            With an expression: fields of a :class:`~grblas_gpu.Descriptor`.

        Raises
        ------
        DimensionMismatch
            An expression, given as in python-graphblas, has another shape.
        IndexOutOfBound
            An index is out of range.
        ValueError
            An index occurs twice without ``dup_op``, or lengths differ.

        Examples
        --------
        >>> v = Vector.from_coo([0, 2], [5, 6])
        >>> v.update([1, 2, 2], [1, 2, 3], dup_op=binary.plus)
        >>> v.to_dict()
        {0: 5, 1: 1, 2: 5}
        """
        self._update_or_set((expr,), values, dup_op, opts)

    @reports_memory
    def delete(self, indices: ArrayLike) -> None:
        """Remove many elements, at the cost of the changes; positions without an element may be among them.

        Parameters
        ----------
        indices : array_like of int
            The positions.

        Raises
        ------
        IndexOutOfBound
            An index is out of range.

        Examples
        --------
        >>> v = Vector.from_coo([0, 2], [5, 6])
        >>> v.delete([2, 1])
        >>> v.to_dict()
        {0: 5}
        """
        delete_elements(self, (indices,))

    @reports_memory
    def to_coo(
        self, dtype: DTypeLike | None = None, *, indices: bool = True, values: bool = True, sort: bool = True
    ) -> tuple[Any, Any]:
        """Indices and values as NumPy arrays.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the returned values; by default their own.
        indices : bool
            Whether to return indices; None otherwise.
        values : bool
            Whether to return values; None otherwise.
        sort : bool
            Whether indices must be in order.

        Examples
        --------
        >>> Vector.from_coo([0, 2], [5, 6]).to_coo()
        (array([0, 2], dtype=uint64), array([5, 6]))
        """
        recording.read("the entries", self)
        index, _, array = self._engine.tuples(self._store)
        return (
            index.astype(np.uint64) if indices else None,
            output_values(array, dtype, self.dtype) if values else None,
        )

    @reports_memory
    def to_dict(self) -> dict[int, Any]:
        """A dictionary of index to value.

        >>> Vector.from_coo([0, 2], [1.5, 2.5], size=4).to_dict()
        {0: 1.5, 2: 2.5}
        """
        indices, values = self.to_coo()
        return dict(zip(indices.tolist(), values.tolist(), strict=True))

    def top(self, k: int = 10, *, largest: bool = True) -> dict[int, Any]:
        """The k highest values by index, highest first; equal ones in the order of their indices.

        Parameters
        ----------
        k : int
            The number of values.
        largest : bool
            With False, the lowest values, lowest first.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_coo([0, 2, 5], [1.5, 7.5, 2.5], size=6).top(2)
        {2: 7.5, 5: 2.5}
        """
        if k < 0:
            raise ValueError(f"top: k must not be negative; got {k}")
        indices, values = self.to_coo()
        order = np.argsort(values, kind="stable")
        if largest:  # equal values in the order of their indices
            order = len(values) - 1 - np.argsort(values[::-1], kind="stable")[::-1]
        return dict(zip(indices[order[:k]].tolist(), values[order[:k]].tolist(), strict=True))

    def _columns(self) -> dict[str, np.ndarray]:
        indices, values = self.to_coo()
        return {"index": indices, "value": values}

    @reports_memory
    def to_dense(self, fill_value: object = None, dtype: DTypeLike | None = None, **opts: object) -> np.ndarray:
        """A NumPy array, with ``fill_value`` where there is no entry.

        Parameters
        ----------
        fill_value : scalar, optional
            The value of positions without an entry; required unless every position has one.
        dtype : dtype, optional
            The type of the returned values; by default their own.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        TypeError
            A position has no entry, and there is no ``fill_value``.

        Examples
        --------
        >>> Vector.from_coo([0, 2], [5, 6], size=4).to_dense(fill_value=-1)
        array([ 5, -1,  6, -1])
        """
        fill, found = dense_fill(self, fill_value, dtype, self.nvals == self._size)
        return shown_values(self._engine.to_dense(self._store, fill, found.np_type))

    @reports_memory
    def diag(self, k: int = 0, *, name: str | None = None) -> Matrix:
        """A square Matrix with this Vector on its k-th diagonal.

        Parameters
        ----------
        k : int
            The number of the diagonal: 0 is the main diagonal, positive numbers are above it.
        name : str, optional
            The name that messages and ``print`` show.

        Examples
        --------
        >>> Vector.from_coo([0, 1], [5, 6]).diag(1).to_dicts()
        {0: {1: 5}, 1: {2: 6}}
        """
        recording.read("the entries", self)
        store = self._engine.diagonal_matrix(self._store, whole_number(k))
        return kinds.Matrix._from_store(self._engine, self.dtype, store, name)

    @reports_memory
    def resize(self, size: int) -> None:
        """Change the size and drop entries beyond it.

        Parameters
        ----------
        size : int
            The size; entries beyond are dropped.

        Raises
        ------
        OverflowError
            A size is negative.

        Examples
        --------
        >>> v = Vector.from_coo([0, 2], [5, 6])
        >>> v.resize(2)
        >>> v.to_dict()
        {0: 5}
        """
        size = check_size(size, "size")
        recording.refuse(f"resize of {self.name}")
        store = choose_format(self._engine, self._engine.resize_vector(self._store, size))
        self._store, self._shape = store, (size,)  # no call in between, so no interrupt

    @reports_memory
    def get(self, index: int, default: object = None) -> Any:
        """The value at an index as a Python scalar, or ``default``.

        Parameters
        ----------
        index : int
            The index; negative ones count from the end.
        default : any
            The result where there is no entry.

        Raises
        ------
        IndexError
            The index is outside of the Vector.

        Examples
        --------
        >>> v = Vector.from_coo([0, 2], [5, 6])
        >>> v.get(2), v.get(1), v.get(1, default=-1)
        (6, None, -1)
        """
        return self._value_at(
            index,
            default,
            "Bad index in Vector.get(...).  A single index should be given, and the result will be a Python scalar.",
        )

    if TYPE_CHECKING:

        def _signs(self, other: VectorLike | ScalarLike, /) -> VectorExpression: ...
        @overload
        def __matmul__(self, other: VectorLike) -> ScalarMatMulExpr: ...
        @overload
        def __matmul__(self, other: MatrixLike) -> VectorMatMulExpr: ...
        def __matmul__(self, other: object) -> ScalarMatMulExpr | VectorMatMulExpr: ...
        @overload
        def __and__(self, other: VectorLike) -> VectorEwiseMultExpr: ...
        @overload
        def __and__(self, other: MatrixLike) -> MatrixEwiseMultExpr: ...
        def __and__(self, other: object) -> VectorEwiseMultExpr | MatrixEwiseMultExpr: ...
        @overload
        def __or__(self, other: VectorLike) -> VectorEwiseAddExpr: ...
        @overload
        def __or__(self, other: MatrixLike) -> MatrixEwiseAddExpr: ...
        def __or__(self, other: object) -> VectorEwiseAddExpr | MatrixEwiseAddExpr: ...
        def apply(self, op: object, right: object = None, *, left: object = None) -> VectorExpression: ...
        def select(self, op: object, thunk: object = None) -> VectorExpression: ...

    @overload
    def __getitem__(self, keys: OneIndex) -> ScalarIndexExpr: ...
    @overload
    def __getitem__(self, keys: SeveralIndices) -> VectorIndexExpr: ...
    def __getitem__(self, keys: object) -> ScalarIndexExpr | VectorIndexExpr:
        """The entries at some positions, or one element: an expression.

        An index is an integer, a slice, a list, an array (NumPy, CuPy, or with DLPack) or a Vector of integers. Reading
        by a list is a gather, without entries where the index has none. Assigning by one is a scatter; an accumulator
        combines values for the same position. A Vector or device array is read, and its positions are checked, when
        the expression is computed; other indices are checked when it is created.

        >>> v, index = Vector.from_dense([5, 6, 7]), Vector.from_dense([2, 0, 2])
        >>> v[index].new().to_dict()
        {0: 7, 1: 5, 2: 7}
        >>> v(binary.plus)[index] << 1
        >>> v.to_dict()
        {0: 6, 1: 6, 2: 9}
        """
        return super().__getitem__(keys)

    def _comparable_types(self) -> type | tuple[type, ...]:
        return Vector

    def _as_matrix(self, *, name: str | None = None) -> Matrix:
        recording.read("the entries", self)
        return kinds.Matrix._from_store(self._engine, self.dtype, self._engine.as_matrix(self._store, False), name)

    @classmethod
    def _from_store(cls, engine: Engine, dtype: DataType, store: Store, name: str | None = None) -> Self:
        return cls._of(engine, dtype, choose_format(engine, store), name)

    # ---- operations -----------------------------------------------------------------------------------------

    def vxm(self, other: object, op: OperatorLike = semiring.plus_times) -> VectorExpression:
        """Vector times Matrix.

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
        >>> A = Matrix.from_coo([0, 0], [1, 2], [10, 20], nrows=3, ncols=3)
        >>> Vector.from_coo([0], [2], size=3).vxm(A).new().to_dict()
        {1: 20, 2: 40}
        """
        return product(self, other, op, "vxm")

    def inner(self, other: object, op: OperatorLike = semiring.plus_times) -> ScalarExpression:
        """The inner product with another Vector.

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

        Examples
        --------
        >>> Vector.from_coo([0, 1], [2, 3]).inner(Vector.from_coo([0, 1], [5, 7])).new().value
        31
        """
        return product(self, other, op, "inner")

    def outer(self, other: Any, op: OperatorLike = binary.times) -> MatrixExpression:
        """All products of an entry with an entry of another Vector.

        Parameters
        ----------
        other : Vector or expression
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
        >>> u, v = Vector.from_coo([0, 1], [2, 3]), Vector.from_coo([1], [10])
        >>> u.outer(v).new().to_dicts()
        {0: {1: 20}, 1: {1: 30}}
        """
        other = self._expect_type(other, Vector, within="outer", argname="other", op=op)
        typed = pairwise_operator(self, other, op, "outer")
        typed = typed.binaryop if typed.opclass == "Monoid" else typed
        get_semiring(monoid.any, typed)  # raises an error unless any.op is a semiring, like the outer product
        return MatrixExpression("outer", ops.OUTER, [self, other], self.shape + other.shape, typed)

    def reduce(self, op: OperatorLike = monoid.plus, *, allow_empty: bool = True) -> ScalarExpression:
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
        >>> Vector.from_coo([0, 1], [2, 3]).reduce().new().value
        5
        """
        return self._reduction(op, "reduce", allow_empty)

    def reposition(self, offset: int, *, size: int | None = None) -> VectorExpression:
        """The entries moved by an offset; entries that leave the Vector are dropped.

        Parameters
        ----------
        offset : int
            The number of positions that entries move up; down if negative.
        size : int, optional
            The size of the result; the same by default.

        Examples
        --------
        >>> v = Vector.from_coo([0, 2], [5, 6])
        >>> v.reposition(1).new().to_dict(), v.reposition(1, size=4).new().to_dict()
        ({1: 5}, {1: 5, 3: 6})
        """
        return self._repositioned((int(offset),), (size,))


kinds.Vector = Vector
stands_for(Vector, Vector, ComputedVector)
