"""Construction of a Vector: from coordinates, pairs, dictionaries, dense arrays, one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np

from .. import select
from ..backends.registry import current_engine
from ..backends.stores.formats import choose_format
from ..backends.stores.storage import Array, VectorStore
from ..dtypes import BOOL, FP64, INT64, DataType, lookup_dtype
from ..exceptions import InvalidValue
from ..foundation.memory import raise_out_of_memory, reports_memory
from ..foundation.types import ArrayLike, DTypeLike, Elementwise, MaybeDType, OperatorLike, Value
from ..ir import recording
from . import kinds
from .base import as_scalar, duplicate_operator, duplicates_error
from .collection import Collection
from .conversions import (
    MAX_SIZE,
    check_bounds,
    dense_values,
    index_array,
    one_value,
    own_values,
    size_of,
    values_to_array,
)
from .scalar import Scalar

NUMBERS = {bool: BOOL, int: INT64, float: FP64}  # Python's types


Made = TypeVar("Made", bound="VectorConstruction")


class VectorConstruction(Collection):
    """The ``Vector.from_...`` methods."""

    __slots__ = ()

    @classmethod
    def from_coo(
        cls,
        indices: ArrayLike,
        values: ArrayLike | Value = 1.0,
        dtype: DTypeLike | None = None,
        *,
        size: int | None = None,
        dup_op: OperatorLike | None = None,
        name: str | None = None,
    ) -> Self:
        """A Vector from indices and values (or one value for all of them).

        Parameters
        ----------
        indices : array_like of int
            The position of every entry, from 0.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dtype : dtype, optional
            The type of the values, in any spelling: ``"FP64"``, ``float``, ``gb.INT8``, NumPy's; by default
            their own.
        size : int, optional
            The size; by default one more than the largest index.
        dup_op : BinaryOp, optional
            The operator that combines duplicates; without it, duplicates raise a ValueError.
        name : str, optional
            The name that messages and ``print`` show.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_coo([3, 1], [10, 20]).to_dict()
        {1: 20, 3: 10}
        """
        try:  # no decorator: it would take a sixth of the time for one entry
            if cls is kinds.Vector and dup_op is None and (dtype is None or type(dtype) is DataType):
                entry = _from_entry(cls, indices, values, dtype, size, name)
                if entry is not None:
                    return entry
            return cls._of_entries(indices, values, dtype, size, dup_op, name)
        except (MemoryError, ValueError) as error:
            raise_out_of_memory("Vector.from_coo", error)
            raise

    @classmethod
    def _of_entries(
        cls,
        indices: ArrayLike,
        values: ArrayLike | Value,
        dtype: DTypeLike | None,
        size: int | None,
        dup_op: OperatorLike | None,
        name: str | None,
    ) -> Self:
        index = index_array(indices, "indices", copy=False)
        array, dtype = values_to_array(values, dtype)
        new = cls(dtype, size_of(index, "indices", "size") if size is None else size, name=name)
        if array.ndim == 0:
            array, dup_op = one_value(array, index, dup_op)
        elif array.shape != index.shape:
            raise ValueError(f"`indices` and `values` lengths must match: {index.size} != {array.size}")
        (size,) = new.shape
        check_bounds(index, size, "indices")
        new._store = vector_entries(new, size, index, array, dup_op)
        return new

    @classmethod
    @reports_memory
    def from_pairs(
        cls,
        pairs: Any,
        dtype: DTypeLike | None = None,
        *,
        size: int | None = None,
        dup_op: OperatorLike | None = None,
        name: str | None = None,
    ) -> Self:
        """A Vector from (index, value) pairs.

        Parameters
        ----------
        pairs : iterable of tuples
            (index, value) pairs.
        dtype : dtype, optional
            The type of the values; by default their own.
        size : int, optional
            The size; by default one more than the largest index.
        dup_op : BinaryOp, optional
            The operator that combines duplicates; without it, duplicates raise a ValueError.
        name : str, optional
            The name that messages and ``print`` show.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_pairs([(3, 10), (1, 20)]).to_dict()
        {1: 20, 3: 10}
        """
        if isinstance(pairs, np.ndarray):
            raise TypeError("pairs as NumPy array is not supported; use `Vector.from_coo` instead")
        columns = list(zip(*pairs, strict=True))
        if columns and len(columns) != 2:
            raise ValueError(f"Each item in the pairs must have two elements (for index and value); got {len(columns)}")
        indices, values = columns or ((), ())
        return cls.from_coo(indices, values, dtype, size=size, dup_op=dup_op, name=name)

    @classmethod
    @reports_memory
    def from_dict(
        cls, d: dict, dtype: DTypeLike | None = None, *, size: int | None = None, name: str | None = None
    ) -> Self:
        """A Vector from a dictionary of index to value.

        Parameters
        ----------
        d : dict
            Values by index.
        dtype : dtype, optional
            The type of the values; by default their own.
        size : int, optional
            The size; by default one more than the largest index.
        name : str, optional
            The name that messages and ``print`` show.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_dict({3: 10, 1: 20}, size=5).to_coo()
        (array([1, 3], dtype=uint64), array([20, 10]))
        """
        if size is None and not d:
            size = 0
        values: list | np.ndarray = list(d.values())
        if dtype is not None and not lookup_dtype(dtype)._is_udt:
            values = np.fromiter(values, lookup_dtype(dtype).np_type)
        return cls.from_coo(np.fromiter(d.keys(), np.int64), values, dtype, size=size, name=name)

    @classmethod
    @reports_memory
    def from_scalar(
        cls, value: object, size: int, dtype: MaybeDType = None, *, name: str | None = None, **opts: object
    ) -> Self:
        """A Vector with the same value everywhere (stored once).

        Parameters
        ----------
        value : scalar
            The value of every entry, stored once.
        size : int
            The size.
        dtype : dtype, optional
            The type of the values; by default their own.
        name : str, optional
            The name that messages and ``print`` show.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_scalar(7, 3).to_dense()
        array([7, 7, 7])
        """
        value, dtype = full_value(cls, value, dtype)
        new = cls(dtype, size, name=name)
        new << value
        return new

    @classmethod
    @reports_memory
    def from_dense(
        cls,
        values: ArrayLike | Value,
        missing_value: Value | None = None,
        *,
        dtype: DTypeLike | None = None,
        copy: bool = True,
        name: str | None = None,
        **opts: object,
    ) -> Self:
        """A Vector with an entry for every element of an array, or for those that are not ``missing_value``.

        On backend "cuda", the Vector shares the memory of an array on the device (CuPy's, or any with
        ``__cuda_array_interface__`` or DLPack). With ``copy=False`` it shares that of a writable NumPy array of the
        stored type. Changes of a shared array change the Vector, and vice versa.

        Parameters
        ----------
        values : array_like
            An array of one dimension.
        missing_value : scalar, optional
            Positions with this value get no entry.
        dtype : dtype, optional
            The type of the values; by default their own.
        copy : bool
            Whether to copy a NumPy array that could be shared.
        name : str, optional
            The name that messages and ``print`` show.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_dense([4, 0, 6]).to_dict()
        {0: 4, 1: 0, 2: 6}
        >>> Vector.from_dense([4, 0, 6], missing_value=0).to_dict()
        {0: 4, 2: 6}
        """
        array, dtype = dense_values(values, dtype, "Vector", 1)
        new = cls(dtype, len(array), name=name)
        if len(array):
            new._store = new._engine.adopt(VectorStore(len(array), own_values(array, dtype.np_type, copy)))
        if missing_value is not None:
            new << new.select(select.valuene, missing_value)
        return new


def _from_entry(
    cls: type[Made], indices: object, values: object, dtype: DataType | None, size: object, name: str | None
) -> Made | None:
    """A Vector of one entry in Python numbers, the usual start of a search; None for other arguments.

    Not used while a loop is recorded: the recording must see the creation and the assignment.
    """
    if type(indices) is not list or type(values) is not list or len(indices) != 1 or len(values) != 1:
        return None
    index, value = indices[0], values[0]
    if type(index) is not int or type(size) is not int or not 0 <= index < size < MAX_SIZE or recording.active:
        return None
    engine = current_engine()
    if dtype is None:
        dtype = NUMBERS.get(type(value))
        if dtype is None or not -(2**63) <= value < 2**63:
            return None
    elif type(value) is not int or not 0 <= value < 128 or dtype.np_type.kind not in "iuf":
        return None  # the type may change this number
    new = object.__new__(cls)  # skips the empty store that this one would replace
    new._begin(engine, dtype, (size,), name)
    new._stored = engine.build_entry(size, index, value, dtype.np_type)
    return new


def vector_entries(v: Elementwise, size: int, index: Array, values: Array, dup_op: OperatorLike | None) -> VectorStore:
    typed = duplicate_operator(v, dup_op)
    try:
        store = v._engine.build_vector(size, index, values, typed)
    except InvalidValue as error:
        raise duplicates_error(error) from None
    if store.dtype != v.dtype.np_type:
        store = v._engine.cast(store, v.dtype.np_type)
    return choose_format(v._engine, store)


def full_value(cls: Callable[[], Elementwise], value: object, dtype: DTypeLike | None) -> tuple[Scalar, DataType]:
    """The value and type of ``from_scalar``."""
    if type(value) is Scalar:
        return value, value.dtype if dtype is None else lookup_dtype(dtype)
    try:
        found = Scalar.from_value(value, dtype, is_cscalar=None, name="")
    except TypeError:
        found = as_scalar(cls(), value, "from_scalar", "value")
    return found, found.dtype
