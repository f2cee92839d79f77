"""Vector: a sparse vector."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .. import binary, monoid, semiring
from ..backends.interpreter.changes import merged_store
from ..backends.registry import current_engine
from ..backends.stores.formats import choose_format
from ..backends.stores.storage import VectorStore
from ..dtypes import FP64, DataType, lookup_dtype
from ..exceptions import DimensionMismatch, OutputNotEmpty
from ..foundation.atomic_updates import notice_thread
from ..foundation.memory import reports_memory
from ..ir import ops, recording
from ..ir.descriptor import descriptor_from_options
from ..ir.node import Node
from ..operators import get_semiring, get_typed_op
from . import kinds
from .arithmetic import ArithmeticInPlace
from .base import BaseType, check_same_backend
from .binsparse import Interchange
from .changes import delete_elements, update_elements
from .conversions import (
    check_bounds,
    check_size,
    constructor_dtype,
    index_array,
    output_values,
    shown_values,
    values_to_array,
)
from .dense_arrays import dense_fill
from .execution import submit
from .expressions import MatrixExpression, ScalarExpression, VectorExpression, VectorIndexExpr
from .infix import VectorInfix
from .kinds import stands_for
from .mask import StructuralMask, ValueMask
from .scalar import Scalar
from .tables import Tabular
from .tensor import Tensor, typed_op_of_chain
from .updates import Updater
from .vector_construction import VectorConstruction, vector_entries

if TYPE_CHECKING:
    from ..foundation.types import ArrayLike, DTypeLike, Engine, OperatorLike, Value
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


class Vector(VectorConstruction, Tensor, ArithmeticInPlace, BaseType, Interchange, Tabular):
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

    __slots__ = ("_changes", "_settings", "_size", "_store")
    ndim = 1
    _name_counter = itertools.count()
    ss = kinds.StorageOf("VectorStorage")
    if not TYPE_CHECKING:  # type checkers would accept every attribute
        __getattr__ = merged_store

    def __init__(self, dtype: Any = FP64, size: int = 0, *, name: str | None = None) -> None:
        self.dtype = dtype if type(dtype) is DataType else constructor_dtype(dtype, "Vector")
        self._size = size if type(size) is int and 0 <= size < 2**60 else check_size(size, "size")
        self.name = f"v_{next(Vector._name_counter)}" if name is None else name
        self._engine = current_engine()
        self._store = self._engine.empty_vector(self._size, self.dtype.np_type)
        if recording.active and (recorder := recording.current()) is not None:
            recorder.new(self)

    # ---- properties -----------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """The number of positions.

        >>> Vector.from_coo([0, 2], [5, 6], size=10).size
        10
        """
        return self._size

    @property
    def shape(self) -> tuple[int]:
        """The size as a tuple, as NumPy gives it.

        >>> Vector(int, 10).shape
        (10,)
        """
        return (self._size,)

    @property
    def nvals(self) -> int:
        """The number of entries.

        >>> Vector.from_coo([0, 2], [5, 6], size=10).nvals
        2
        """
        if recording.active and (recorder := recording.current()) is not None:
            recorder.read("the number of entries", self)
        return self._store.nvals

    _nvals = nvals

    @property
    def S(self) -> StructuralMask:
        """The mask that is true where there is an entry.

        >>> v = Vector.from_coo([0, 2], [0, 6], size=3)
        >>> w = Vector(int, 3)
        >>> w(v.S) << 1
        >>> w.to_dict()
        {0: 1, 2: 1}
        """
        return StructuralMask(self)

    @property
    def V(self) -> ValueMask:
        """The mask that is true where there is an entry with a true value.

        >>> v = Vector.from_coo([0, 2], [0, 6], size=3)
        >>> w = Vector(int, 3)
        >>> w(v.V) << 1
        >>> w.to_dict()
        {2: 1}
        """
        return ValueMask(self)

    def __repr__(self) -> str:
        from .formatting import format_vector

        return format_vector(self)

    def __iter__(self) -> Iterator:
        return self.to_coo(values=False)[0].flat

    def __sizeof__(self) -> int:
        recording.read("the size in memory", self)
        arrays = (self._store.values, self._store.indices, self._store.present)
        return object.__sizeof__(self) + sum(0 if a is None else a.nbytes for a in arrays)

    def __reduce__(self) -> Any:
        indices, values = self.to_coo()
        return _rebuild, (indices, values, self.dtype, self._size, self.name)

    @staticmethod
    def _deserialize(pieces: Any, name: str) -> Vector:
        """Pickles of python-graphblas call this, with exported arrays or with coordinates."""
        return Vector.ss.import_any(name=name, **pieces) if isinstance(pieces, dict) else _rebuild(*(*pieces, name))

    # ---- in and out -----------------------------------------------------------------------------------------

    @reports_memory
    def build(
        self, indices: Any, values: Any, *, dup_op: Any = None, clear: bool = False, size: int | None = None
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
        if size is not None:
            size = check_size(size, "size")
        check_bounds(index, self._size if size is None else size, "indices")
        if not clear and self.nvals and index.size:
            raise OutputNotEmpty(f"build: {self.name} already has entries; use clear=True to replace them")
        built = vector_entries(self, self._size if size is None else size, index, array, dup_op)
        if not (clear or index.size):
            built = self._store if size is None else self._engine.resize_vector(self._store, size)
        size = self._size if size is None else size
        self._store, self._size = built, size

    @reports_memory
    def update(  # type: ignore[override]
        self, expr: Any, values: Any = None, *, dup_op: OperatorLike | None = None, **opts: object
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
        if values is None:
            super().update(expr, **opts)
        else:
            update_elements(self, (expr,), values, dup_op)

    @reports_memory
    def delete(self, indices: Any) -> None:
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
        self, dtype: Any = None, *, indices: bool = True, values: bool = True, sort: bool = True
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

    def _columns(self) -> dict[str, Any]:
        indices, values = self.to_coo()
        return {"index": indices, "value": values}

    @reports_memory
    def to_dense(self, fill_value: object = None, dtype: Any = None, **opts: object) -> np.ndarray:
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
        fill, dtype = dense_fill(self, fill_value, dtype, self.nvals == self._size)
        return shown_values(self._engine.to_dense(self._store, fill, dtype.np_type))

    def device_arrays(self) -> dict[str, Any]:
        """The stored arrays themselves, not copies: CuPy arrays on backend "cuda", NumPy arrays on others.

        All Vectors have ``values``. A sparse Vector has ``indices``, perhaps unsorted; a denser one has ``present``, a
        flag for each position. A single value may represent all entries. Do not change the arrays.

        >>> Vector.from_coo([3, 1], [10, 20], size=1000).device_arrays()
        {'indices': array([1, 3]), 'values': array([20, 10])}
        """
        recording.read("the entries", self)
        store = self._store
        arrays = {"indices": store.indices, "present": store.present, "values": store.values}
        return {name: array for name, array in arrays.items() if array is not None}

    @reports_memory
    def dup(
        self, dtype: Any = None, *, clear: bool = False, mask: Any = None, name: str | None = None, **opts: Any
    ) -> Vector:
        """A copy, optionally with another type, or with only the entries where a mask is open.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the copy; by default the same.
        clear : bool
            Whether to return an empty object of the same shape.
        mask : Mask, optional
            The positions to write: ``m.S``, ``m.V``, ``~m.S`` or ``~m.V``.
        name : str, optional
            The name that messages and ``print`` show.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        ValueError
            No type has the given name.
        DimensionMismatch
            The mask has another size.

        Examples
        --------
        >>> v = Vector.from_coo([0, 1], [0, 7])
        >>> v.dup(float).to_dict(), v.dup(mask=v.V).to_dict()
        ({0: 0.0, 1: 7.0}, {1: 7})
        """
        descriptor_from_options(opts)
        engine, found = self._engine, self.dtype if dtype is None else lookup_dtype(dtype)
        if not clear and mask is None and (not recording.active or recording.current() is None):
            notice_thread()
            store = engine.copy(self._store)
            return Vector._of(engine, found, store if found is self.dtype else engine.cast(store, found.np_type), name)
        new = Vector(found, self._size, name=name)
        new._engine = engine
        if not clear:
            new(mask=mask, **opts) << self
        return new

    @reports_memory
    def diag(self, k: int = 0, *, name: str | None = None) -> Any:
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
        store = self._engine.diagonal_matrix(self._store, _integer(k))
        return kinds.Matrix._from_store(self._engine, self.dtype, store, name)

    def clear(self) -> None:
        """Remove all entries.

        >>> v = Vector.from_coo([0, 2], [5, 6])
        >>> v.clear()
        >>> v.nvals, v.size
        (0, 3)
        """
        submit(Node(ops.CLEAR, self))

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
        self._store, self._size = store, size  # no call between the two, so no interrupt

    @reports_memory
    def get(self, index: int, default: Any = None) -> Any:
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
        expr = self[index]
        if not expr._is_scalar:
            raise ValueError(
                "Bad index in Vector.get(...).  A single index should be given, and the result will be a Python scalar."
            )
        value = expr.new().value
        return default if value is None else value

    if TYPE_CHECKING:

        def _signs(self, other: VectorLike | ScalarLike, /) -> VectorExpression: ...
        @overload  # type: ignore[override]
        def __matmul__(self, other: VectorLike) -> ScalarMatMulExpr: ...
        @overload
        def __matmul__(self, other: MatrixLike) -> VectorMatMulExpr: ...
        def __matmul__(self, other: object) -> Any: ...
        @overload
        def __and__(self, other: VectorLike) -> VectorEwiseMultExpr: ...
        @overload
        def __and__(self, other: MatrixLike) -> MatrixEwiseMultExpr: ...
        def __and__(self, other: Any) -> Any: ...
        @overload
        def __or__(self, other: VectorLike) -> VectorEwiseAddExpr: ...
        @overload
        def __or__(self, other: MatrixLike) -> MatrixEwiseAddExpr: ...
        def __or__(self, other: Any) -> Any: ...
        def apply(self, op: object, right: object = None, *, left: object = None) -> VectorExpression: ...
        def select(self, op: object, thunk: object = None) -> VectorExpression: ...

    @overload
    def __getitem__(self, keys: OneIndex) -> ScalarIndexExpr: ...
    @overload
    def __getitem__(self, keys: SeveralIndices) -> VectorIndexExpr: ...
    def __getitem__(self, keys: object) -> Any:
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

    def __setitem__(self, keys: object, expr: object, **opts: object) -> None:
        Updater(self, desc=descriptor_from_options(opts))[keys] = expr

    def __delitem__(self, keys: object, **opts: object) -> None:
        del Updater(self, desc=descriptor_from_options(opts))[keys]

    def _comparable_types(self) -> Any:
        return Vector

    def _as_matrix(self, *, name: str | None = None) -> Any:
        recording.read("the entries", self)
        return kinds.Matrix._from_store(self._engine, self.dtype, self._engine.as_matrix(self._store, False), name)

    @classmethod
    def _from_store(
        cls, engine: Engine, dtype: DTypeLike | None, store: VectorStore, name: str | None = None
    ) -> Vector:
        return cls._of(engine, dtype, choose_format(engine, store), name)

    @classmethod
    def _of(cls, engine: object, dtype: DTypeLike | None, store: VectorStore, name: str | None) -> Vector:
        """A Vector with this store; no empty store is created first."""
        new = object.__new__(cls)
        new.dtype = dtype
        new._size = store.size
        new.name = f"v_{next(Vector._name_counter)}" if name is None else name
        new._engine = engine
        new._store = store
        if recording.active and (recorder := recording.current()) is not None:
            recorder.new(new)
        return new

    @classmethod
    def _unwritten(cls, engine: Engine, dtype: DTypeLike, size: int, name: str | None) -> Vector:
        """A Vector for the result of an expression: it has no store until the result exists."""
        new = object.__new__(cls)
        new.dtype = dtype if type(dtype) is DataType else lookup_dtype(dtype)
        new._size = size if type(size) is int and 0 <= size < 2**60 else check_size(size, "size")
        new.name = f"v_{next(Vector._name_counter)}" if name is None else name
        new._engine = engine
        return new

    # ---- operations -----------------------------------------------------------------------------------------

    def vxm(self, other: Any, op: Any = semiring.plus_times) -> VectorExpression:
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
        return self._vxm(other, op)

    def _vxm(self, other: object, op: OperatorLike = semiring.plus_times, is_infix: bool = False) -> VectorExpression:
        x, y, op = product_operands(self, other, kinds.MATRICES, op, "vxm", is_infix)
        if x._size != y._nrows:
            raise DimensionMismatch(f"vxm: {x.name} has size {x._size}, {y.name} has shape {y.shape}")
        return VectorExpression("vxm", ops.VXM, [x, y], op=op, size=y._ncols)

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
        return self._inner(other, op)

    def _inner(self, other: object, op: OperatorLike = semiring.plus_times, is_infix: bool = False) -> ScalarExpression:
        x, y, op = product_operands(self, other, (Vector,), op, "inner", is_infix)
        if x._size != y._size:
            raise DimensionMismatch(f"inner: {x.name} has size {x._size}, {y.name} has size {y._size}")
        return ScalarExpression("inner", ops.INNER, [x, y], op=op)

    def outer(self, other: Any, op: Any = binary.times) -> MatrixExpression:
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
        op = get_typed_op(op, self.dtype, other.dtype, kind="binary")
        self._expect_op(op, ("BinaryOp", "Monoid"), within="outer", argname="op")
        op = op.binaryop if op.opclass == "Monoid" else op
        get_semiring(monoid.any, op)  # raises an error unless any.op is a semiring, like the outer product
        check_same_backend(self, other, "outer")
        return MatrixExpression("outer", ops.OUTER, [self, other], op=op, nrows=self._size, ncols=other._size)

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
        op = reduction_operator(self, op, "reduce", allow_empty)
        return ScalarExpression(
            "reduce",
            ops.REDUCE if allow_empty else ops.REDUCE_OR_IDENTITY,
            [self],
            op=op,
            is_cscalar=not allow_empty,
        )

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
        size = self._size if size is None else int(size)
        offset = int(offset)
        return VectorExpression(
            "reposition",
            ops.REPOSITION,
            [self, (offset,), (size,)],
            size=size,
            dtype=self.dtype,
            expr_repr=f"{{0.name}}.reposition({offset})",
        )


def _rebuild(indices: ArrayLike, values: ArrayLike | Value, dtype: DTypeLike, size: int, name: str) -> Vector:
    return Vector.from_coo(indices, values, dtype, size=size, name=name)


def _integer(k: Any) -> int:
    return int(k.value) if type(k) is Scalar else int(k)


def reduction_operator(self: Any, op: Any, within: str, allow_empty: bool) -> Any:
    """The typed monoid or aggregator of a reduction to a Scalar; only a monoid has a result without entries."""
    op = get_typed_op(op, self.dtype, kind="binary|aggregator")
    if op.opclass == "Monoid":
        return op
    if op.opclass == "BinaryOp" and op.monoid is not None:
        return op.monoid
    self._expect_op(op, ("Monoid", "Aggregator"), within=within, argname="op")
    if op.opclass == "Aggregator" and not allow_empty:
        if op.parent.monoid is None:
            raise ValueError("allow_empty=False not allowed when using Aggregators")
        return op.parent.monoid[op.type]
    return op


def product_operands(x: Any, y: Any, types: tuple, op: Any, method: str, is_infix: bool) -> tuple[Any, Any, Any]:
    """Operands and typed semiring of a product; in ``op(A @ B @ C)`` the inner products are computed first."""
    if type(y) in types and x._role != "infix" and x._engine is y._engine:  # the common case: no conversion, no errors
        typed = get_typed_op(op, x.dtype, y.dtype, kind="semiring")
        if typed.opclass == "Semiring":
            return x, y, typed
    is_chain = is_infix and (x._role == "infix" or getattr(y, "_role", None) == "infix")
    if type(y) not in types and not (is_chain and y._role == "infix" and y._infix == "@" and y._output_type in types):
        y = x._expect_type(y, types, within=method, argname="other", op=op)
    if is_chain:
        op = typed_op_of_chain(op, x, y, "semiring")
    else:
        op = get_typed_op(op, x.dtype, y.dtype, kind="semiring")
    if op.opclass != "Semiring":
        x._expect_op(op, "Semiring", within=method, argname="op")
    if is_chain:
        x, y = (op(z).new() if z._role == "infix" else z for z in (x, y))
    if x._engine is not y._engine:
        check_same_backend(x, y, method)
    return x, y, op


kinds.Vector = Vector
stands_for(Vector, Vector, VectorExpression, VectorIndexExpr, VectorInfix)
