"""Resolve an index against a shape: integers, slices, lists, arrays, Vectors, Scalars, ``...``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.machine.memory_limits import check_entries
from ..backends.stores.storage import natives
from ..exceptions import IndexOutOfBound, InvalidObject
from ..foundation.memory import raise_out_of_memory
from ..foundation.types import AnyTensor, Array, ArrayLike, Engine
from ..ir import recording
from ..ir.recording import Number
from . import kinds
from .conversions import given_array
from .kinds import output_type
from .mask import Mask

LONG_SLICE = 2**24  # slices with more positions are not expanded


FEW = 64
_INTEGERS = {int}


class Axis:
    """One resolved axis: ``index`` is an int (``size`` None), None for everything, an int64 array, a range (for a long
    slice, which is never expanded), or a Vector. The array of a short slice is created at the first read; contiguous
    slices work without it.

    The values of a Vector are positions, in order. They are read when the operation runs, like the value of a Scalar
    that a loop changes.
    """

    __slots__ = ("size", "_index", "dimsize", "positions")
    given: Array | None = None  # an unchecked array

    def __init__(self, size: int | None, index: ArrayLike, dimsize: int, positions: range | None = None) -> None:
        self.positions = positions  # the positions of a slice
        self.size = size
        self._index = index
        self.dimsize = dimsize

    @property
    def index(self) -> Any:
        part = self.positions
        if self._index is None and part is not None:
            self._index = np.arange(part.start, part.stop, part.step, dtype=np.int64)
        return self._index

    @property
    def is_long(self) -> bool:
        """Whether this is a slice too long to be expanded."""
        return type(self._index) is range

    @property
    def window(self) -> range | None:
        """The positions of a contiguous slice."""
        part = self.positions
        return part if part is not None and part.step == 1 else None

    @property
    def _expr_name(self) -> str:
        if self.positions is not None:
            return _slice_text(self.positions, self.dimsize)
        if self.given is None and self.index is None:
            return ":"
        if self.size is None:
            return repr(self.index)
        if self.is_vector:
            return str(self.index.name)
        index = self.index if self.given is None else self.given
        if self.size < 6:
            return f"[{', '.join(map(str, index.tolist()))}]"
        return f"[{', '.join(map(str, index[:3].tolist()))}, ...]"

    @property
    def is_vector(self) -> bool:
        return type(self._index) is kinds.Vector

    @property
    def position(self) -> int:
        """The position of an axis with one position; a count or Scalar of a loop is read now."""
        index = self._index
        return index if type(index) is int else _wrap(int(self.index), self.dimsize)

    def on(self, engine: Engine) -> Array | None:
        """The index as an array of positions (one for an integer) in an engine's memory, or None for everything."""
        if self.size is None:
            return engine.array([self.position], np.int64)
        if self.positions is not None and type(self._index) is not np.ndarray:
            check_entries(len(self.positions))
            return engine.listed(self.positions)
        return None if self.index is None else engine.array(self.index)

    def as_key(self) -> object:
        if self.positions is not None:
            return _slice_of(self.positions, self.dimsize)
        return slice(None) if self.index is None else self.index


class GivenAxis(Axis):
    """Unchecked positions in the memory of an engine. They are checked when the operation runs, like those of a Vector:
    by the kernel that reads the entries, or when ``index`` is read."""

    __slots__ = ("given", "_engine")

    def __init__(self, given: Array, dimsize: int, engine: Engine) -> None:
        self.size, self._index, self.dimsize, self.positions = len(given), None, dimsize, None
        self.given, self._engine = given, engine

    @property
    def index(self) -> Any:
        if self._index is None:
            self._index = _checked(self.given, self.dimsize, self._engine)
        return self._index


class Indexes:
    """The resolved index of an object: one axis for a Vector, two for a Matrix."""

    __slots__ = ("obj", "axes", "shape", "__weakref__")
    shape: tuple[int, ...]

    def __init__(self, obj: object, keys: object) -> None:
        self.obj = obj
        try:
            self.axes = axes = self._axes(obj, keys)
        except (MemoryError, ValueError) as error:
            raise_out_of_memory("an index", error)
            raise
        if len(axes) == 1:
            self.shape = () if axes[0].size is None else (axes[0].size,)
        else:
            self.shape = tuple(axis.size for axis in axes if axis.size is not None)

    @staticmethod
    def _axes(obj: Any, keys: object) -> list[Axis]:
        if keys is Ellipsis:
            return [Axis(n, None, n) for n in obj.shape]
        if obj.ndim == 1:
            if type(keys) is tuple:
                raise TypeError(f"Index for {type(obj).__name__} cannot be a tuple")
            return [resolve_axis(keys, obj._size, 0, obj)]
        if type(keys) is not tuple or len(keys) != 2:
            forms = "A[i, j], a row A[i, :], a column A[:, j]"
            raise TypeError(f"Index for {type(obj).__name__} must be a 2-tuple: {forms}")
        return [
            resolve_axis(key, n, position, obj) for position, (key, n) in enumerate(zip(keys, obj.shape, strict=True))
        ]

    @property
    def vector(self) -> Any:
        """The Vector of positions that indexes another Vector, or None."""
        return self.axes[0].index if len(self.axes) == 1 and self.axes[0].is_vector else None

    @property
    def is_single_element(self) -> bool:
        return not self.shape

    @property
    def py_indices(self) -> object:
        """The index in Python's notation."""
        keys = tuple(axis.as_key() for axis in self.axes)
        return keys if len(keys) > 1 else keys[0]

    def __str__(self) -> str:
        return ", ".join(axis._expr_name for axis in self.axes)


def resolve_axis(key: Any, size: int, position: int, obj: AnyTensor) -> Axis:
    kind = type(key)
    if kind in natives and kind is not np.ndarray and _is_read_late(obj):  # an array of the engine needs no conversion
        return _resolve_array(key, size, obj._engine, True)
    if kind is Number:  # the count of a loop
        return Axis(None, key if key.symbolic else _wrap(int(key), size), size)
    if kind is int or isinstance(key, np.integer):
        return Axis(None, _wrap(int(key), size), size)
    if kind is slice:
        return _resolve_slice(key, size)
    if kind is tuple:
        raise TypeError(f"Index in position {position} cannot be a tuple; must use slice or list or int")
    if kind is not list:
        found = _resolve_object(key, size, obj)
        if isinstance(found, Axis):
            return found
        key = found
    if 0 < len(key) <= FEW and set(map(type, key)) == _INTEGERS:
        return Axis(len(key), _checked_few(key, size), size)
    return _resolve_array(np.array(key, np.int64) if len(key) == 0 else np.array(key), size)


def _resolve_object(key: Any, size: int, obj: AnyTensor) -> Axis | list:
    """Resolve a key that is no integer, slice or list: a Scalar becomes an integer; a Vector of integers and an array
    are lists of positions; other objects of this library are errors; any other key is converted to a list."""
    kind = output_type(key)
    if kind is kinds.Scalar:
        if key.dtype.np_type.kind not in "iu":
            raise TypeError(f"An integer is required for indexing.  Got: {key.dtype}")
        if recording.active and (recorder := recording.current()) is not None and recorder.changes(key):
            return Axis(None, key, size)
        return Axis(None, _wrap(int(key), size), size)
    if kind is kinds.Vector and key.dtype.np_type.kind in "iu":
        return _resolve_vector(key, size, obj)
    if kind in (kinds.Vector, kinds.Matrix) or isinstance(key, Mask):
        mask = key.name if isinstance(key, Mask) else f"{key.name}.S"
        raise TypeError(
            f"Invalid type for index: {type(key).__name__}.\nIf you want to apply a mask, perhaps do something like "
            f"`x.dup(mask={mask})`.\nIf you want to assign with a mask, perhaps do something like "
            f"`x(mask={mask}) << value`."
        )
    if kind is kinds.TransposedMatrix:
        raise TypeError("Invalid type for index: TransposedMatrix.")
    array = given_array(key, obj._engine)
    if array is None and hasattr(key, "__dlpack__"):  # a host array of another library
        array = np.from_dlpack(key)
    if array is not None:
        return _resolve_array(array, size, obj._engine, _is_read_late(obj))
    try:
        return list(key)
    except Exception:
        raise TypeError(
            f"Invalid type for index: {type(key)}; unable to convert to list.  "
            f"An index is an integer, a slice, or a list or array of integers; got {key!r}"
        ) from None


def _is_read_late(obj: AnyTensor) -> bool:
    """Whether device arrays that index this object are read when the operation runs."""
    return obj.ndim == 1 and obj._engine.checks_positions_late and not recording.active


def _resolve_vector(key: Any, size: int, obj: AnyTensor) -> Axis:
    if key._role != "object":  # an expression is computed here, if automatic computation is on
        key = key._get_value()
    if key._engine is not obj._engine:
        raise InvalidObject(f"index {key.name} and {obj.name} are on different backends; use .to({obj._engine.name!r})")
    return Axis(key._size, key, size)


def _wrap(index: int, size: int) -> int:
    if not -size <= index < size:
        raise IndexError(f"Index out of range: index={index}, size={size}")
    return index + size if index < 0 else index


def _resolve_slice(key: slice, size: int) -> Axis:
    start, stop, step = key.indices(size)
    if step == 1 and start == 0 and stop == size:
        return Axis(size, None, size)
    positions = range(start, stop, step)
    if len(positions) > LONG_SLICE:
        return Axis(len(positions), positions, size, positions)
    return Axis(len(positions), None, size, positions)


def _slice_of(positions: range, size: int) -> slice:
    """The shortest slice for these positions; an empty slice has the form that SuiteSparse uses, with start above stop.

    >>> _slice_of(range(1, 5, 2), 5), _slice_of(range(4, 2, -1), 5), _slice_of(range(2, 0), 5)
    (slice(1, None, 2), slice(None, -3, -1), slice(2, 1, None))
    """
    step = None if positions.step == 1 else positions.step
    if not positions:
        return slice(1, 1) if positions.step < 0 else slice(max(1, positions.start), 1, step)
    if positions.step > 0:
        return slice(positions.start or None, None if positions.stop == size else positions.stop, step)
    start = None if positions.start == size - 1 else positions.start
    return slice(start, None if positions.stop == -1 else positions.stop - size, step)


def _slice_text(positions: range, size: int) -> str:
    """The positions as a slice in its shortest notation.

    >>> _slice_text(range(0, 5, 2), 5), _slice_text(range(1, 3), 5), _slice_text(range(4, -1, -1), 5)
    ('::2', '1:3', '::-1')
    """
    first, end = (0, size) if positions.step > 0 else (size - 1, -1)
    start = "" if positions.start == first else str(positions.start)
    stop = "" if positions.stop == end else str(positions.stop)
    return f"{start}:{stop}" if positions.step == 1 else f"{start}:{stop}:{positions.step}"


def _checked_few(numbers: list[int], size: int) -> np.ndarray:
    """The checked positions of a short list: a loop in Python is faster than a call of NumPy."""
    low, high = min(numbers), max(numbers)
    _check_range(low, high, size)
    if low < 0:
        numbers = [number + size if number < 0 else number for number in numbers]
    return np.array(numbers, np.int64)


def _check_range(low: int, high: int, size: int) -> None:
    if low < -size:
        raise IndexError(f"Index out of range: index={low}, size={size}")
    if high >= size:
        raise IndexOutOfBound(f"Index out of range: index={high}, size={size}")


def _resolve_array(index: Array, size: int, engine: Any = None, later: bool = False) -> Axis:
    if index.ndim != 1:
        raise TypeError(f"Invalid number of dimensions for index: {index.ndim}")
    if index.dtype.kind not in "iu":
        raise TypeError(f"Invalid dtype for index: {index.dtype}")
    if later and type(index) is not np.ndarray:
        return GivenAxis(index, size, engine)
    return Axis(len(index), _checked(index, size, engine), size)


def _checked(index: Array, size: int, engine: Engine | None) -> Array:
    """A copy of the positions, checked, with negative ones counted from the end."""
    if type(index) is not np.ndarray and engine is not None:
        found = engine.checked_positions(index, size)
        if found is not None:
            return found
    index = index.astype(np.int64)
    if len(index):
        if len(index) <= FEW and type(index) is np.ndarray:
            return _checked_few(index.tolist(), size)
        low, high = int(index.min()), int(index.max())
        _check_range(low, high, size)
        if low < 0:
            index = np.where(index < 0, index + size, index)
    return index
