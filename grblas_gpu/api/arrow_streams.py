"""Columns of tables from any library that gives Arrow streams (``__arrow_c_stream__``), without pyarrow and copies.

The structures are those of the Arrow C data interface and C stream interface.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any, NamedTuple

import numpy as np

from ..foundation.suggestions import did_you_mean, type_text

#: Types of numbers by their Arrow formats.
NUMBERS = dict(zip("cCsSiIlLefg", "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split(), strict=True))
OFFSETS = {"u": np.int32, "U": np.int64, "z": np.int32, "Z": np.int64}
VIEWS = ("vu", "vz")


class Schema(ctypes.Structure):
    """``ArrowSchema``."""


class Array(ctypes.Structure):
    """``ArrowArray``. The last NumPy array of its memory releases it."""

    parent: Array | None = None

    def within(self, pointer: Any) -> Array:
        """A child, or the dictionary."""
        part: Array = pointer.contents
        part.parent = self
        return part

    def __del__(self) -> None:
        if self.parent is None and self.release:
            self.release(self)


class Stream(ctypes.Structure):
    """``ArrowArrayStream``."""


_ends = {kind: CFUNCTYPE(None, POINTER(kind)) for kind in (Schema, Array, Stream)}


def _fields(names: str, *types: object) -> list[tuple[str, Any]]:
    return list(zip(names.split(), types, strict=True))


Schema._fields_ = [
    *_fields("format name metadata flags n_children", c_char_p, c_char_p, c_void_p, c_int64, c_int64),
    *_fields("children dictionary", POINTER(POINTER(Schema)), POINTER(Schema)),
    *_fields("release private_data", _ends[Schema], c_void_p),
]
Array._fields_ = [
    *_fields("length null_count offset n_buffers n_children", *[c_int64] * 5),
    *_fields("buffers children dictionary", POINTER(c_void_p), POINTER(POINTER(Array)), POINTER(Array)),
    *_fields("release private_data", _ends[Array], c_void_p),
]
Stream._fields_ = [
    *_fields("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    *_fields("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    *_fields("get_last_error release", CFUNCTYPE(c_char_p, POINTER(Stream)), _ends[Stream]),
    ("private_data", c_void_p),
]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class Text(NamedTuple):
    """Strings in one buffer: string k is ``data[starts[k]:starts[k + 1]]``."""

    starts: np.ndarray
    data: np.ndarray


class Codes(NamedTuple):
    """A dictionary-encoded column: its distinct values, and the number of the value of each row."""

    values: np.ndarray | Text
    numbers: np.ndarray


Column = np.ndarray | Text | Codes


class Table:
    """The batches of a stream. The columns share the memory of the producer as long as they live."""

    def __init__(self, source: object, caller: str) -> None:
        self._caller = caller
        if not hasattr(source, "__arrow_c_stream__"):
            said = "expected a table with __arrow_c_stream__ (of pyarrow, Polars, pandas 3, DuckDB, ...)"
            raise TypeError(f"{caller}: {said}; got {type_text(source)}")
        self._capsule = source.__arrow_c_stream__()
        self._stream = Stream.from_address(_pointer(self._capsule, b"arrow_array_stream"))
        self._schema = Schema()
        self._check(self._stream.get_schema(self._stream, self._schema))
        if self._schema.format != b"+s":
            self.close()
            raise TypeError(f"{caller}: expected a table with columns; got Arrow type {self._schema.format.decode()!r}")
        fields = [self._schema.children[k].contents for k in range(self._schema.n_children)]
        self._fields = fields
        self.names = [(field.name or b"").decode() for field in fields]

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        for part in (self._schema, self._stream):
            if part.release:
                part.release(part)

    def place(self, column: str | int) -> int:
        """The number of a column, given by name or number."""
        if isinstance(column, int) and 0 <= column < len(self.names):
            return column
        if isinstance(column, int) or column not in self.names:
            hint = did_you_mean(str(column), self.names)
            raise KeyError(f"{self._caller}: the table has no column {column!r}; it has {self.names}{hint}")
        return self.names.index(column)

    def batches(self, columns: Sequence[str | int]) -> Iterator[list[Column]]:
        """The wanted columns, batch by batch; missing values are an error."""
        places = [self.place(column) for column in columns]
        row = 0
        while True:
            batch = Array()
            self._check(self._stream.get_next(self._stream, batch))
            if not batch.release:
                return
            length = batch.length
            if length:
                found = [
                    self._column(self._fields[k], batch.within(batch.children[k]), batch.offset, length, k, row)
                    for k in places
                ]
                del batch
                yield found
                del found
            row += length

    def _check(self, status: int) -> None:
        if status:
            said = self._stream.get_last_error(self._stream)
            self.close()
            raise ValueError(f"{self._caller}: {said.decode(errors='replace') if said else f'error {status}'}")

    def _column(self, field: Schema, array: Array, offset: int, length: int, place: int, row: int) -> Column:
        offset += array.offset
        self._refuse_missing(array, offset, length, place, row)
        kind = field.format.decode()
        if field.dictionary:
            numbers = _numbers(array, kind, offset, length)
            inner, values = field.dictionary.contents, array.within(array.dictionary)
            used = np.unique(numbers)  # the rest of a dictionary are no nodes
            whole = self._column(inner, values, 0, values.length, place, 0)
            renumbered = np.zeros(values.length, np.int64)
            renumbered[used] = np.arange(len(used))
            return Codes(_chosen(whole, used), renumbered[numbers])
        if kind in OFFSETS:
            starts = _buffer(array, 1, OFFSETS[kind], offset + length + 1)[offset:].astype(np.int64, copy=False)
            return Text(starts, _buffer(array, 2, np.uint8, int(starts[-1])))
        if kind in VIEWS:
            return _text_of_views(array, offset, length)
        if kind == "b":
            bits = np.unpackbits(_buffer(array, 1, np.uint8, -(-(offset + length) // 8)), bitorder="little")
            return bits[offset : offset + length].astype(bool)
        if kind not in NUMBERS:
            said = f"column {self.names[place]!r} has the Arrow type {kind!r}; expected numbers or text"
            raise TypeError(f"{self._caller}: {said}")
        return _numbers(array, kind, offset, length)

    def _refuse_missing(self, array: Array, offset: int, length: int, place: int, row: int) -> None:
        if not array.null_count or not array.n_buffers or not array.buffers[0]:
            return
        bits = np.unpackbits(_buffer(array, 0, np.uint8, -(-(offset + length) // 8)), bitorder="little")
        there = bits[offset : offset + length]
        if not there.all():
            at = row + int(np.argmin(there))
            raise ValueError(f"{self._caller}: row {at} has no value in the column {self.names[place]!r}")


def _buffer(array: Array, number: int, dtype: Any, count: int) -> np.ndarray:
    """The first elements of a buffer."""
    dtype = np.dtype(dtype)
    address = array.buffers[number]
    if not count or not address:
        return np.empty(0, dtype)
    raw = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    raw.array = array
    return np.frombuffer(raw, dtype)


def _numbers(array: Array, kind: str, offset: int, length: int) -> np.ndarray:
    return _buffer(array, 1, NUMBERS[kind], offset + length)[offset:]


def _chosen(values: np.ndarray | Text | Codes, used: np.ndarray) -> Any:
    """Some values of a dictionary."""
    if not isinstance(values, Text):
        return values[used]
    lengths = np.diff(values.starts)[used]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    parts = [values.data[values.starts[k] : values.starts[k + 1]] for k in used.tolist()]
    return Text(starts, np.concatenate([np.empty(0, np.uint8), *parts]))


def _text_of_views(array: Array, offset: int, length: int) -> Text:
    """Strings that are stored as views of 16 bytes, which hold up to 12 bytes or refer to one of several buffers."""
    views = _buffer(array, 1, np.uint8, 16 * (offset + length)).reshape(-1, 16)[offset:]
    words = views.view(np.int32)
    lengths = words[:, 0].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    data = np.empty(int(starts[-1]), np.uint8)
    short = lengths <= 12
    _scatter(data, starts[:-1][short], lengths[short], views[:, 4:].reshape(-1), np.flatnonzero(short) * 12)
    others = int(array.n_buffers) - 3
    sizes = _buffer(array, others + 2, np.int64, max(others, 0))
    for number in range(others):
        here = ~short & (words[:, 2] == number)
        held = _buffer(array, 2 + number, np.uint8, int(sizes[number]))
        _scatter(data, starts[:-1][here], lengths[here], held, words[here, 3].astype(np.int64))
    return Text(starts, data)


def _scatter(out: np.ndarray, to: np.ndarray, lengths: np.ndarray, data: np.ndarray, start: np.ndarray) -> None:
    """Copy a piece of ``data`` for each string."""
    total = int(lengths.sum())
    within = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    out[np.repeat(to, lengths) + within] = data[np.repeat(start, lengths) + within]
