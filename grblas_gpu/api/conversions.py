"""Arrays from the user, checked and converted to the stored types."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import binary
from ..backends.registry import current_engine
from ..backends.stores.storage import Array, natives
from ..dtypes import SUBARRAY, DataType, is_subarray, lookup_dtype
from ..exceptions import IndexOutOfBound, InvalidValue
from ..foundation.suggestions import conversion, type_text
from ..foundation.types import ArrayLike, DTypeLike, Engine, OperatorLike, Value
from . import kinds

MAX_SIZE = 2**60  # the largest index that the GraphBLAS specification promises
PLAIN = frozenset((bool, int, float, list, tuple, range))  # types other than arrays, for a fast check
INT32 = np.dtype(np.int32)
DLPACK_CUDA = (2, 13)  # the device types of DLPack for memory of a CUDA device, and for managed memory


def constructor_dtype(dtype: DTypeLike, kind: str) -> DataType:
    """Check the first argument of ``Matrix`` and ``Vector``; the error for values names the right call.

    >>> constructor_dtype([[1, 2], [3, 4]], "Matrix")
    Traceback (most recent call last):
    ValueError: Matrix: the first argument is a dtype, such as float; got list; use Matrix.from_dense(values)
    """
    if isinstance(dtype, (type, str, np.dtype)):
        return lookup_dtype(dtype)
    if not hasattr(dtype, "shape"):  # otherwise NumPy would take the dtype of the values
        try:
            return lookup_dtype(dtype)
        except ValueError:
            pass
    copy = "x.dup()" if isinstance(dtype, kinds.COLLECTIONS) else ""
    way_out = f"use {copy or conversion(dtype, kind) or f'{kind}(float, ...)'}"
    raise ValueError(f"{kind}: the first argument is a dtype, such as float; got {type_text(dtype)}; {way_out}")


def is_device_array(x: object) -> bool:
    """Whether this is an array in the memory of a CUDA device, of CuPy or any other library."""
    if isinstance(x, kinds.COLLECTIONS):  # an operand, although full ones offer DLPack
        return False
    if hasattr(x, "__cuda_array_interface__"):
        return True
    return hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) in DLPACK_CUDA


def given_array(x: object, engine: Engine | None = None) -> Array:
    """The array as given, or None for other objects (a list, a scalar).

    A CUDA array is shared without a copy if the engine (by default that of new objects) supports it.
    """
    if isinstance(x, np.ndarray):
        return np.asarray(x)
    if type(x) not in natives and (type(x) in PLAIN or not is_device_array(x)):
        return None
    return (current_engine() if engine is None else engine).share(x)


def index_array(
    array: ArrayLike,
    name: str,
    engine: Engine | None = None,
    copy: bool = True,
    signs: bool = True,
    narrow: bool = False,
) -> Array:
    """Integers as int64; anything else is a clear error. Device arrays are copied only if necessary.

    With ``signs=False`` a later step checks device arrays for negative numbers, and unsigned ones stay unchanged; with
    ``narrow`` int32 stays.
    """
    if type(array) is list and len(array) == 1 and type(array[0]) is int and 0 <= array[0] <= MAX_SIZE:
        return np.array(array, np.int64)  # one index, such as the source of a search: already checked
    array = checked_index(array, name, engine, signs)
    if not signs and array.dtype == np.uint64 and not isinstance(array, np.ndarray):
        return array
    on_host = isinstance(array, np.ndarray)
    dtype = INT32 if narrow and array.dtype == INT32 else np.int64
    return array.astype(dtype, copy=on_host and (copy or not array.flags.carray))  # kernels need plain arrays


def ints_to_numpy_buffer(
    array: ArrayLike, dtype: DTypeLike, *, name: str = "array", copy: bool = False, **layout: object
) -> Array:
    """Integers as an array of this type: the name that programs import from ``graphblas.core.utils``."""
    return checked_index(array, name).astype(dtype, copy=copy)


def checked_index(array: Any, name: str, engine: Engine | None = None, signs: bool = True) -> Array:
    """Non-negative integers of any type; with ``signs=False`` a later step checks the signs of device arrays."""
    given = given_array(array, engine)
    if given is None:
        # NumPy converts a list as python-graphblas expects: it truncates floats and refuses negative numbers.
        listed = array if hasattr(array, "__len__") else list(array)
        try:
            array = np.array(listed, np.uint64)
        except OverflowError:
            number = _outside(listed)
            bound = "not be negative" if number < 0 else "stay below 2**60"
            raise OverflowError(f"{name} must {bound}; got {number}") from None
    elif given.dtype.kind not in "iub" and given.size:
        raise ValueError(f"{name} must be integers, not {given.dtype.name}")
    else:
        array = given
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; got {array.ndim} dimensions")
    if array.size and (signs or isinstance(array, np.ndarray)):
        check_signs(array, name)
        if array.dtype.kind == "u" and _highest(array) > MAX_SIZE:
            raise InvalidValue(f"{name} must stay below 2**60; got {_highest(array)}")
    return array


def check_signs(index: Array, name: str) -> None:
    if index.size and index.dtype.kind == "i" and (lowest := int(index.min())) < 0:
        raise OverflowError(f"{name} must not be negative; got {lowest}")


def check_bounds(index: Array, size: int, name: str) -> None:
    if index.size and (highest := _highest(index)) >= size:
        raise IndexOutOfBound(f"{name}: {highest} is out of range for size {size}")


def _outside(listed: object) -> int:
    """The first number that cannot be an index."""
    return next(number for number in np.ravel(np.array(listed, object)) if not 0 <= number <= MAX_SIZE)


def _highest(array: Array) -> int:
    """The largest number of an array; an array of one element needs no reduction, which is slow."""
    return int(array[0] if len(array) == 1 else array.max())


def values_to_array(
    values: ArrayLike | Value, dtype: DTypeLike | None = None, engine: Engine | None = None, ndim: int = 1
) -> tuple[Array, DataType]:
    """Values (a scalar or an array) in their own or the requested type.

    Python numbers that do not fit the type are an error; array elements wrap around, as in NumPy. In an array of more
    than ``ndim`` dimensions, the values are sub-arrays.
    """
    given = given_array(values, engine)
    if dtype is None:
        array = np.asarray(values) if given is None else given
        if array.dtype.hasobject:
            raise ValueError("object dtype for values is not allowed")
        if given is None:
            if array.dtype == INT32:
                array = array.astype(np.int64)
            if array.size == 0 and array.ndim == 1:
                array = array.astype(np.float64)
        if array.ndim > ndim and isinstance(array, np.ndarray):
            found = lookup_dtype(np.dtype((array.dtype, array.shape[ndim:])))
            return stored_subarrays(array, found.np_type), found
        return array, lookup_dtype(array.dtype)
    found = lookup_dtype(dtype)
    if found.subarray is not None:
        return stored_subarrays(values, found.np_type, ndim), found
    array = np.array(values, found.np_type) if given is None else given
    if array.dtype != found.np_type:
        array = array.astype(found.np_type)  # wraps around, as NumPy does
    return array, found


def dense_values(
    values: ArrayLike | Value, dtype: DTypeLike | None, kind: str, ndim: int
) -> tuple[np.ndarray, DataType]:
    """The array of ``from_dense``, and the type of its values."""
    array, found = values_to_array(values, dtype, ndim=ndim)
    if array.ndim == 0:
        raise TypeError(
            "values must be an array or list, not a scalar. "
            f"To create a dense {kind} from a scalar, use `{kind}.from_scalar`."
        )
    if array.ndim < ndim:
        raise ValueError(f"A {ndim}d array or scalar is required to create a dense {kind}")
    if array.ndim > ndim:
        raise ValueError(f"values array must be {ndim}d to create dense {kind} with dtype {found}")
    return array, found


def one_value(value: Array, index: Array, dup_op: OperatorLike | None) -> tuple[Array, OperatorLike]:
    """One value for each index, and the operator that makes one entry of equal indices."""
    if dup_op is not None:
        raise ValueError(
            "dup_op must be None if values is a scalar so that all values can be identical.  "
            "Duplicate indices will be ignored."
        )
    return np.broadcast_to(value, index.shape), binary.any


def size_of(index: Array, what: str, size: str) -> int:
    """The smallest size with room for these indices."""
    if index.size == 0:
        raise ValueError(f"No {what} provided. Unable to infer {size}.")
    return int(index.max()) + 1


def stored_subarrays(values: Array, np_type: np.dtype, ndim: int = 1) -> np.ndarray:
    """Sub-arrays as records: the last dimensions belong to a value; a single number fills a whole value.

    >>> np_type = lookup_dtype("INT64[2]").np_type
    >>> stored_subarrays([[1, 2], [3, 4], [5, 6]], np_type).shape, stored_subarrays(7, np_type)[SUBARRAY]
    ((3,), array([7, 7]))
    """
    if getattr(values, "dtype", None) == np_type:
        return values if is_device_array(values) else np.asarray(values)
    value = np_type[SUBARRAY]
    base, shape = value.base, value.shape
    array = np.asarray(values).astype(base) if isinstance(values, np.ndarray) else np.array(values, base)
    if array.ndim and array.shape[-len(shape) :] != shape:
        raise ValueError(
            f"a >{ndim}d array is needed for values that are arrays of shape {shape}; got one of shape {array.shape}"
        )
    found = np.empty(array.shape[: max(0, array.ndim - len(shape))], np_type)
    found[SUBARRAY] = array
    return found


def shown_values(values: Array) -> np.ndarray:
    """Stored values for the user: sub-arrays become further dimensions."""
    return values[SUBARRAY].copy() if is_subarray(values.dtype) else values


def own_values(values: Array, dtype: np.dtype, copy: bool = True) -> Array:
    """Values of a new object: NumPy arrays are copied, device arrays of the requested type are shared.

    Without ``copy`` NumPy arrays are shared too, unless they are read-only: an engine may change them in place.
    """
    if isinstance(values, np.ndarray):
        if copy or not values.flags.writeable:
            return np.array(values, dtype)
        return np.ascontiguousarray(values, dtype)  # kernels need contiguous arrays
    return values.astype(dtype, copy=False)


def check_size(value: Any, name: str) -> int:
    """Check a dimension: a non-negative integer of at most the largest index."""
    if type(value) is kinds.Scalar:
        value = value.value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        size = value.__index__()
    except AttributeError:
        raise TypeError(f"{name} must be an integer; got {type(value)}") from None
    if size < 0:
        raise OverflowError(f"{name} must not be negative; got {size}")
    if size > MAX_SIZE:
        if size >= 2**64:
            raise OverflowError(f"{name} = {size} does not fit into 64 bits")
        raise InvalidValue(f"{name} = {size} is more than 2**60, the largest size an index can reach")
    return size


def output_values(values: np.ndarray, dtype: DTypeLike | None, own: DataType) -> np.ndarray:
    """Values for the user: a writable array of the requested type."""
    if dtype is not None:
        wanted = lookup_dtype(dtype)
        if wanted != own:
            return shown_values(values).astype(wanted.np_type)
    return shown_values(np.array(values))


def integral(value: Any) -> int | None:
    """The value as an integer, or None if it is none."""
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        return int(value) if isinstance(value, float) and value.is_integer() else None


def row_order(order: str) -> bool:
    """True for row-wise, False for column-wise; accepts all usual names."""
    name = order.lower()
    if name in {"c", "row", "rows", "rowwise"}:
        return True
    if name in {"f", "col", "cols", "column", "columns", "colwise", "columnwise"}:
        return False
    raise ValueError(
        f'Bad value for order: {order!r}.  Expected "rowwise", "columnwise", "rows", "columns", "C", or "F"'
    )
