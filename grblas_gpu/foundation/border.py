"""The border to files and bytes of other programs: validated arrays, or a ValueError with the name and the place.

Readers parse inside of ``border``. Formats are data: the fields of a header, and the arrays of each storage format.
Bounds limit the memory that a header may request, and the text of a file in messages.
"""

from __future__ import annotations

import errno
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import numpy as np

from ..config import config
from ..foundation.types import Source

_ALWAYS = 2**28  # bytes that any file may request
_RATIO = 200  # bytes of memory per byte of a file: repetitive structure compresses well
_SHOWN = 60  # characters
_LONGEST = 500  # characters of a message of another library


@contextmanager
def border(name: str, error: type[Exception] = ValueError, *, what: str = "", foreign: str = "") -> Iterator[None]:
    """Turn every exception of a parser into ``error``, with the name of the file and ``what``; exceptions other than
    ValueError also with ``foreign``.

    Errors of the operating system, lack of memory, missing packages and interrupts stay.

    >>> with border("a.grb", what="damaged: "):
    ...     int("x")
    Traceback (most recent call last):
    ValueError: a.grb: damaged: invalid literal for int() with base 10: 'x'
    """
    try:
        yield
    except (ImportError, MemoryError):
        raise
    except Exception as found:
        if isinstance(found, OSError) and found.errno not in (None, errno.EINVAL):  # EINVAL: a place before the file
            raise
        text = str(found.args[0]) if isinstance(found, KeyError) and found.args else str(found)
        said = text.removeprefix(f"{name}: ").removeprefix(what)[:_LONGEST] or type(found).__name__
        raise error(f"{name}: {what}{'' if isinstance(found, ValueError) else foreign}{said}") from None


def check_fields(fields: object, described: Mapping[str, type]) -> None:
    """Raise ValueError unless a header has all fields, each of its type.

    >>> check_fields({"name": 7}, {"name": str})
    Traceback (most recent call last):
    ValueError: name must be a str, not '7'
    """
    if type(fields) is not dict:
        raise ValueError(f"a header is a dictionary, not {shown(str(fields))}")
    for name, kind in described.items():
        if name not in fields:
            raise ValueError(f"the header has no {name}")
        if type(fields[name]) is not kind:
            raise ValueError(f"{name} must be a {kind.__name__}, not {shown(repr(fields[name]))}")


def check_arrays(arrays: Mapping[str, np.ndarray], formats: Mapping[str, str], kinds: Mapping[str, str]) -> str:
    """The storage format with these arrays; ValueError if there is none, or an array has another kind of type.

    ``formats`` has the names of the arrays of each format, ``kinds`` the kinds of types of some of them.

    >>> check_arrays({"values": np.zeros(2)}, {"full": "values", "bitmap": "present values"}, {"present": "b"})
    'full'
    """
    found = next((form for form, names in formats.items() if set(names.split()) == set(arrays)), None)
    if found is None:
        raise ValueError(f"no storage format has the arrays {shown(', '.join(sorted(arrays)))}")
    for name, array in arrays.items():
        if array.dtype.kind not in kinds.get(name, "biufc") or not array.dtype.isnative:
            raise ValueError(f"array {name} has dtype {array.dtype.str}")
        if array.dtype == bool and array.size and array.view(np.uint8).max() > 1:
            raise ValueError(f"array {name} has a byte that is neither true nor false")
    return found


def check_members(file: IO[bytes], name: str) -> None:
    """Raise ValueError unless every array of an .npz archive has its stated length, and all together are not far
    longer than the file."""
    with zipfile.ZipFile(file) as archive:
        check_memory(name, sum(member.file_size for member in archive.infolist()), length_of(file))
        for member in archive.infolist():
            with archive.open(member) as stream:
                version = np.lib.format.read_magic(stream)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, _, dtype = read(stream)
                if dtype.hasobject:
                    raise ValueError(f"{member.filename}: contains Python objects, which are never loaded")
                if stream.tell() + math.prod(shape) * dtype.itemsize != member.file_size:
                    raise ValueError(
                        f"{member.filename}: shape {shape} and dtype {dtype} do not fit its {member.file_size} bytes"
                    )


def shown(text: str | bytes) -> str:
    """A piece of a file as messages show it.

    >>> shown("0 1"), shown("9" * 100)
    ("'0 1'", "'999999999999999999999999999999999999999999999999999999999999'... (100 characters)")
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}... ({len(text)} characters)"


def check_memory(name: str, wanted: int, length: int) -> None:
    """Raise ValueError if a file of ``length`` bytes needs far more memory than ``config["read_limit"]`` allows."""
    limit = config["read_limit"]
    if wanted > (max(_ALWAYS, _RATIO * length) if limit is None else limit):
        raise ValueError(
            f"{name}: the file has {length} bytes, but its header asks for {wanted} bytes of memory; "
            f"to allow it: config.set(read_limit={wanted}), or --force on the command line"
        )


def length_of(source: Source) -> int:
    """The size of a file in bytes, given by name or open; 0 if it is unknown."""
    try:
        if isinstance(source, (str, os.PathLike)):
            return os.stat(source).st_size
        place = source.tell()
        source.seek(0, os.SEEK_END)
        length = source.tell()
        source.seek(place)
        return int(length)
    except Exception:  # a decompressor may fail in many ways; the reader then reports it
        return 0
