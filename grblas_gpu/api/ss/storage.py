"""The common part of ``v.ss`` and ``A.ss``: the storage of an object, import and export."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, partialmethod
from io import BytesIO
from typing import Any

import numpy as np

from ...backends.registry import using
from ...dtypes import _dtype_to_string, _string_to_dtype, lookup_dtype
from ...exceptions import DomainMismatch, EmptyObject, InvalidObject
from ...foundation.memory import reports_memory
from ...foundation.types import DTypeLike, Parts, Tensor, Value
from ...ir.descriptor import descriptor_from_options
from ..base import as_scalar
from ..scalar import Scalar
from . import exporting, importing
from .settings import ObjectSettings

OF_THE_OBJECT = ("size", "nrows", "ncols", "dtype", "name")  # properties of the object that arrays are packed into


def _named(format: str | None, arrays: tuple, parts: dict[str, object]) -> Parts:
    """The parts of a format by name; some formats accept positional arrays."""
    places = {"full": ("values",), "coo": ("rows", "cols", "values")}
    names = next((names for begin, names in places.items() if format and format.startswith(begin)), ())
    if len(arrays) > len(names) or parts.keys() & set(names[: len(arrays)]):
        raise TypeError(f"{format or 'these'} arrays are given by name, each of them once")
    return dict(zip(names, arrays, strict=False)) | parts


def _check_compression(name: str | None) -> int:
    """The highest level of a compression method; 0 if it has no levels."""
    levels = {None: 0, "none": 0, "default": 0, "lz4": 0, "lz4hc": 9, "zstd": 19}
    if name not in levels:
        raise ValueError(f"compression argument must be one of {', '.join(map(repr, levels))}; got {name!r}")
    return levels[name]


def value_for_all(parent: Tensor, value: object) -> Value:
    """The value that was passed to ``build_scalar``."""
    found = None if value is None else as_scalar(parent, value, "ss.build_scalar", "value").value
    if found is None:
        raise EmptyObject("build_scalar: there is no value")
    return found


def _without_options(parts: dict[str, object], known: set[str]) -> Parts:
    """The parts of a format; other keywords must be options."""
    descriptor_from_options({name: value for name, value in parts.items() if name not in known})
    return {name: value for name, value in parts.items() if name in known}


class Storage:
    """The storage of a Vector or a Matrix."""

    __slots__ = ("_parent",)
    _parts: dict[str, str]
    _guess: Callable[[Parts], str]
    _make: Callable[..., Tensor]
    format: Any  # the storage format
    _serialized: tuple[str, ...]  # the formats of serialized bytes

    def __init_subclass__(cls) -> None:
        """``import_csr``, ``pack_csr`` and so on: one of each for a format, and for any format."""
        for format in (None, *cls._parts):
            setattr(cls, f"import_{format or 'any'}", staticmethod(partial(cls._import, format)))
            setattr(cls, f"pack_{format or 'any'}", partialmethod(cls._pack, format))

    def __init__(self, parent: Tensor) -> None:
        self._parent = parent

    @property
    def config(self) -> ObjectSettings:
        """SuiteSparse's settings of this object."""
        return ObjectSettings(self._parent)

    @property
    def nbytes(self) -> int:
        """The memory of the entries, in bytes."""
        return self._parent.__sizeof__() - object.__sizeof__(self._parent)

    @property
    def nbytes_on_host(self) -> int:
        """The bytes of ``nbytes`` that kernels of a device read from the memory of the host."""
        return self._parent._engine.nbytes_on_host(self._parent._store)

    @property
    def is_iso(self) -> bool:
        """Whether all entries have one value.

        >>> from grblas_gpu import Vector
        >>> Vector.from_scalar(7, 3).ss.is_iso, Vector.from_dense([1, 2]).ss.is_iso
        (True, False)
        """
        return exporting.is_iso(self._parent)

    @property
    def iso_value(self) -> Scalar:
        """The value of all entries, if they are iso."""
        if not self.is_iso:
            raise ValueError(f"{type(self._parent).__name__} is not iso-valued")
        return Scalar.from_value(next(self.itervalues()), dtype=self._parent.dtype, name="")

    def _columns(self, seek: int, *which: int) -> list[list]:
        """Some arrays of ``to_coo`` from entry ``seek`` on; -1 is the last one. Dense formats count positions."""
        parts = self._parent.to_coo()
        if self.format.startswith(("bitmap", "full")):
            shape = self._parent.shape
            places = np.ravel_multi_index([part.astype(np.int64) for part in parts[:-1]], shape)
            start = int(np.searchsorted(places, seek + np.prod(shape, dtype=np.int64) if seek < 0 else seek))
        else:
            start = max(0, seek + len(parts[0])) if seek < 0 else seek
        return [parts[i][start:].tolist() for i in which]

    def itervalues(self, seek: int = 0) -> Iterator[Value]:
        """The values, in order; ``seek`` skips entries, or bitmap positions; a negative one counts from the end."""
        yield from self._columns(seek, -1)[0]

    def iteritems(self, seek: int = 0) -> Iterator[tuple]:
        """Indices and value of every entry.

        >>> from grblas_gpu import Vector
        >>> list(Vector.from_coo([1, 3], [5, 6]).ss.iteritems())
        [(1, 5), (3, 6)]
        """
        yield from zip(*self._columns(seek, *range(self._parent.ndim + 1)), strict=True)

    def head(self, n: int = 10, dtype: DTypeLike | None = None, *, sort: bool = False) -> tuple:
        """``to_coo`` of the first entries, from longer and longer parts of the object."""
        x, length = self._parent, max(n, 1)
        while length < x.shape[0] and n < x.nvals:
            part = (x[:length] if x.ndim == 1 else x[:length, :]).new(name="")
            if part.nvals >= n:
                x = part
                break
            length *= 16
        return tuple(part[:n] for part in x.to_coo(dtype, sort=sort))

    def unpack(self, format: str | None = None, *, sort: bool = False, raw: bool = False, **opts: Any) -> dict:
        """``export``, then clear the object."""
        parts = self.export(format, sort=sort, raw=raw, **opts)
        self._parent.clear()
        return parts

    @reports_memory
    def export(
        self,
        format: str | None = None,
        *,
        sort: bool = False,
        give_ownership: bool = False,
        raw: bool = False,
        **opts: object,
    ) -> Parts:
        """The arrays of a format, as NumPy arrays in a dictionary; ``import_any(**arrays)`` reads them.

        >>> from grblas_gpu import Vector
        >>> v = Vector.from_coo([1, 3], [5, 6])
        >>> Vector.ss.import_any(**v.ss.export("bitmap")).isequal(v)
        True
        """
        descriptor_from_options(opts)
        parts = self._export(format, sort, raw)
        if give_ownership:
            self._parent.clear()
        return parts

    def _export(self, format: str | None, sort: bool, raw: bool) -> Parts:
        raise TypeError("of a Vector or a Matrix")

    @classmethod
    def _given(cls, format: str | None, parts: Parts, is_pack: bool) -> tuple[str, Parts]:
        names = {name.strip("[]") for part in cls._parts.values() for name in part.split()}
        parts = _without_options(parts, names | importing.CLAIMS | {"values", "is_iso", "dtype", "name", "format"})
        claimed = parts.get("format")
        if format is None:
            if "values" not in parts:
                raise TypeError("values are missing")
            format = cls._guess(parts) if claimed is None else claimed.lower()
            parts = {name: part for name, part in parts.items() if part is not None and name != "format"}
        if is_pack:
            parts = {name: part for name, part in parts.items() if name not in OF_THE_OBJECT}
        return format, importing.checked_parts(format, cls._parts, dict(parts), is_pack)

    @classmethod
    def _import(cls, format: str | None, /, *arrays: object, **parts: object) -> Tensor:
        format, given = cls._given(format, _named(format, arrays, parts), is_pack=False)
        return cls._make(format, given, None, importing.type_of(given), given.get("name"))

    def _pack(self, format: str | None, /, *arrays: object, **parts: object) -> Tensor:
        parent = self._parent
        format, given = self._given(format, _named(format, arrays, parts), is_pack=True)
        shape = parent._size if parent.ndim == 1 else parent.shape
        with using(parent.backend):
            parent << type(self)._make(format, given, shape, parent.dtype, None)
        return parent

    def serialize(self, compression: str | None = "default", level: int | None = None, **opts: object) -> np.ndarray:
        """The object as bytes of an .npz archive, which ``deserialize`` reads. The format is not SuiteSparse's.

        >>> from grblas_gpu import Vector
        >>> v = Vector.from_coo([1, 3], [5, 6])
        >>> Vector.ss.deserialize(v.ss.serialize()).isequal(v)
        True
        """
        descriptor_from_options(opts)
        highest = _check_compression(compression)
        if level is not None and not highest:
            raise TypeError(f"level argument is only for 'lz4hc' and 'zstd'; got {compression!r}")
        if level is not None and not 1 <= level <= highest:
            raise ValueError(f"level argument must lie between 1 and {highest}; got {level}")
        write = np.savez if compression in (None, "none") else np.savez_compressed
        file = BytesIO()
        write(file, dtype=_dtype_to_string(self._parent.dtype), **self._export(self._serialized_as(), True, True))
        return np.frombuffer(file.getbuffer(), np.uint8).copy()

    def _serialized_as(self) -> str:
        return self._serialized[0]

    @classmethod
    def deserialize(cls, data: Any, dtype: DTypeLike | None = None, *, name: str | None = None, **opts: object) -> Any:
        """The object from the bytes of ``serialize``; ``dtype`` must be its type."""
        from ...foundation.border import (  # here, because its import of zipfile is slow and rarely needed
            border,
            check_members,
        )

        descriptor_from_options(opts)
        content = np.asarray(data).tobytes() if isinstance(data, np.ndarray) else bytes(data)
        if content[:2] != b"PK":
            raise InvalidObject(
                "ss.deserialize: these bytes are no .npz archive, which ss.serialize writes here. SuiteSparse's "
                "serialized blobs are a format of the C library: read them there, and write Matrix Market or .npz"
            )
        file = BytesIO(content)
        with border("ss.deserialize", InvalidObject, what="these bytes are none that serialize has made: "):
            check_members(file, "")
            file.seek(0)
            with np.load(file) as archive:
                parts = {key: archive[key] for key in archive.files}
            found = _string_to_dtype(str(parts.pop("dtype")))
        if dtype is not None and lookup_dtype(dtype) != found:
            raise DomainMismatch(f"the values are {found}, not {lookup_dtype(dtype)}")
        format = str(parts.pop("format", ""))
        if format not in cls._serialized:
            raise InvalidObject(f"this is not a {cls.__name__.removesuffix('Storage')}")
        with border("ss.deserialize", InvalidObject, what="these bytes are none that serialize has made: "):
            known = {key: part if part.ndim else part.item() for key, part in parts.items()}
            return cls._import(format, **known, dtype=found, name=name)
