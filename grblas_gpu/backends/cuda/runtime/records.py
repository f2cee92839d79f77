"""Arrays of records in device memory, which CuPy does not have: rows of words, with the methods that definitions use.

A record is laid out as its C++ struct (:mod:`.structs`). This module only moves records, as words; operators, which are
kernels, read their fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import cupy
import numpy as np

from ....foundation.types import Array, ArrayLike, Function, Value
from ...stores.counting import some_of_rows
from . import host_memory
from .structs import on_device

_WORDS: tuple[np.dtype, ...] = tuple(np.dtype(word) for word in (np.uint64, np.uint32, np.uint16, np.uint8))


def to_device(values: ArrayLike, dtype: np.dtype | type | None = None) -> Any:
    """As ``cupy.asarray``, for values that may be records."""
    if isinstance(values, RecordArray):
        return values if dtype is None else values.astype(dtype)
    if dtype is None:
        dtype = getattr(values, "dtype", None)
    if dtype is None or np.dtype(dtype).kind != "V":
        if isinstance(values, np.ndarray) and values.dtype == dtype and host_memory.is_much(values.nbytes):
            return host_memory.device_copy(values)
        return cupy.asarray(values, dtype)
    return RecordArray.from_host(np.asarray(values, dtype))


def to_host(array: Array) -> np.ndarray:
    """As ``cupy.asnumpy``, for values that may be records."""
    if isinstance(array, RecordArray):
        return array.get()  # synchronizes
    if type(array) is cupy.ndarray and array.flags.c_contiguous and host_memory.is_on_host(array):
        return host_memory.numpy_copy(array)  # synchronizes
    return cupy.asnumpy(array)  # synchronizes


def copied(array: Array) -> Array:
    """As ``array.copy()``, by the copy engine: CuPy compiles a kernel for each type."""
    if type(array) is not cupy.ndarray or not array.flags.c_contiguous or host_memory.is_on_host(array):
        return array.copy()
    copy = cupy.empty(array.shape, array.dtype)
    if array.size:
        copy.data.copy_from_device_async(array.data, array.nbytes)
    return copy


def filled(count: int, value: Value | None, dtype: np.dtype) -> Array:
    """As ``cupy.full``, by copies that double what is there, for the same reason."""
    array, known = cupy.empty(count, dtype), 1
    array[:1].set(np.full(min(1, count), value, dtype))
    while known < count:
        more = min(known, count - known)
        array[known:].data.copy_from_device_async(array.data, more * dtype.itemsize)
        known += more
    return array


def empty(count: int, dtype: np.dtype) -> Array:
    """As ``cupy.empty``, for values that may be records."""
    return _filled(cupy.empty, (count,), dtype) if dtype.kind == "V" else cupy.empty(count, dtype)


class RecordArray:
    """Records by rows of words: of an array of any shape, the last axis of ``words`` is inside of a record."""

    __slots__ = ("dtype", "words")

    def __init__(self, words: Array, dtype: np.dtype) -> None:
        self.words = words
        self.dtype = dtype

    @classmethod
    def from_host(cls, values: np.ndarray) -> RecordArray:
        laid_out = np.zeros(values.shape, on_device(values.dtype))  # padding between fields is 0
        for name in values.dtype.names or ():
            laid_out[name] = values[name]
        word, per_record = _words_of(values.dtype)
        bits = np.frombuffer(laid_out.tobytes(), word).reshape(*values.shape, per_record)
        return cls(cupy.asarray(bits), values.dtype)

    def get(self) -> np.ndarray:
        """The records on the host, as they are laid out there."""
        bits = np.ascontiguousarray(cupy.asnumpy(self.words))  # synchronizes
        laid_out = np.frombuffer(bits.tobytes(), on_device(self.dtype)).reshape(self.shape)
        result = np.empty(self.shape, self.dtype)
        for name in self.dtype.names or ():
            result[name] = laid_out[name]
        return result

    # ---- properties of an array -----------------------------------------------------------------------------------

    shape = property(lambda self: self.words.shape[:-1])
    ndim = property(lambda self: self.words.ndim - 1)
    strides = property(lambda self: self.words.strides[:-1])
    flags = property(lambda self: self.words.flags)
    data = property(lambda self: self.words.data)
    nbytes = property(lambda self: self.words.nbytes)
    itemsize = property(lambda self: self.dtype.itemsize)
    __cuda_array_interface__ = property(lambda self: self.words.__cuda_array_interface__)
    T = property(lambda self: self._like(self.words.swapaxes(0, 1)))

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.words.shape[0]

    def __repr__(self) -> str:
        return f"RecordArray({self.get()})"

    # ---- indexing -------------------------------------------------------------------------------------------------

    def _like(self, words: Array) -> RecordArray:
        return RecordArray(words, self.dtype)

    def __getitem__(self, index: object) -> RecordArray:
        return self._like(self.words[_places(index)])

    def __setitem__(self, index: object, value: object) -> None:
        self.words[_places(index)] = to_device(value, self.dtype).words

    def copy(self) -> RecordArray:
        return self._like(self.words.copy())

    def astype(self, dtype: np.dtype | type, copy: bool = True) -> RecordArray:
        """The same fields, by another name or at other offsets on the host: the layout on the device is the same."""
        if on_device(np.dtype(dtype)) != on_device(self.dtype):
            raise TypeError(f"records of the type {self.dtype} are not {dtype}")
        return RecordArray(self.words.copy() if copy else self.words, np.dtype(dtype))

    def reshape(self, *shape: int) -> RecordArray:
        return self._like(self.words.reshape(*shape, self.words.shape[-1]))

    def __eq__(self, other: object) -> Any:
        """Bitwise equality, which decides whether values are iso."""
        differ = self.words != to_device(other, self.dtype).words
        *shape, width = differ.shape
        return ~some_of_rows(differ.reshape(-1), math.prod(shape), width).reshape(shape)

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    def __array_function__(
        self, function: Function, types: object, args: Iterable[object], kwargs: Mapping[str, object]
    ) -> object:
        try:
            return _FUNCTIONS[function](self, *args, **kwargs)
        except KeyError:
            raise TypeError(f"numpy.{function.__name__} has no meaning for records on a device") from None


def _words_of(dtype: np.dtype) -> tuple[np.dtype, int]:
    """The widest word that a record is a whole number of, and how many it is."""
    size = on_device(dtype).itemsize
    word = next(word for word in _WORDS if size % word.itemsize == 0)
    return word, size // word.itemsize


def _places(index: Any) -> Any:
    """An index of records as one of rows of words."""
    if isinstance(index, tuple):
        return (*index, slice(None))
    if getattr(index, "dtype", None) == bool:
        return np.flatnonzero(index)  # CuPy sets by flags where all axes have them
    return index


def _filled(make: Function, shape: int | tuple[int, ...], dtype: np.dtype) -> RecordArray:
    word, per_record = _words_of(dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return RecordArray(make((*shape, per_record), word), dtype)


def _made(make: Function) -> Function:
    """``np.zeros(..., like=records)``: of records, or of numbers where these are."""

    def call(like: RecordArray, shape: int | tuple[int, ...], dtype: np.dtype | type = float) -> Array:
        dtype = np.dtype(dtype)
        return _filled(make, shape, dtype) if dtype.kind == "V" else make(shape, dtype)

    return call


def _concatenate(like: RecordArray, arrays: Iterable[RecordArray]) -> RecordArray:
    return like._like(np.concatenate([to_device(array, like.dtype).words for array in arrays]))


def _broadcast_to(like: RecordArray, array: RecordArray, shape: tuple[int, ...]) -> RecordArray:
    return array._like(np.broadcast_to(array.words, (*shape, array.words.shape[-1])))


def _may_share_memory(like: RecordArray, x: Array, y: Array) -> bool:
    if not (isinstance(x, RecordArray) and isinstance(y, RecordArray)):
        return False
    return bool(np.may_share_memory(x.words, y.words))


def _arange(like: RecordArray, *args: object, **kwargs: object) -> Array:
    return cupy.arange(*args, **kwargs)


def _asarray(like: RecordArray, values: ArrayLike, dtype: np.dtype | None = None) -> Array:
    return to_device(values, dtype)


def _tile(like: RecordArray, array: RecordArray, copies: int) -> RecordArray:
    return array._like(np.tile(array.words, (copies, 1)))


_FUNCTIONS: dict[object, Callable[..., object]] = {
    np.zeros: _made(cupy.zeros),
    np.empty: _made(cupy.empty),
    np.arange: _arange,
    np.asarray: _asarray,
    np.concatenate: _concatenate,
    np.broadcast_to: _broadcast_to,
    np.may_share_memory: _may_share_memory,
    np.tile: _tile,
}
