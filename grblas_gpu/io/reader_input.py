"""What the compiled Matrix Market reader gets to see: never text at which it would leave its memory.

It looks for the end of a line without a bound, and fills an array without a look at its shape.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from typing import Any

from .text_files import PIECE, name_of, pieces

_NEWLINE = b"\n"

# The banner; comments and empty lines; the line with the sizes.
_HEADER = re.compile(rb"([^\n]*)\n(?:[^\S\n]*(?:%[^\n]*)?\n)*+([^\n]*)\n")


class ReaderInput:
    """A file of text, open for the reader: without NUL bytes, and with an end of its last line.

    The reader would lose an exception: the text ends there, and ``fault`` is the exception.

    >>> ReaderInput(io.StringIO("%%MatrixMarket")).read()
    b'%%MatrixMarket'
    """

    def __init__(self, source: Any) -> None:
        self.fault: Exception | None = None
        self._pieces = _checked(source)
        self._piece = io.BytesIO()

    def read(self, size: int = -1) -> bytes:
        data = self._piece.read(size)
        if not data:
            try:
                self._piece = io.BytesIO(next(self._pieces, b""))
            except Exception as error:
                self.fault = error
            data = self._piece.read(size)
        return data


def _checked(source: Any) -> Iterator[bytes]:
    name = name_of(source)
    text = _without_nul(pieces(source) if isinstance(source, (str, os.PathLike)) else _read(source), name)
    start = b""
    for piece in text:
        start += piece
        header = _HEADER.match(start)
        if header:
            if not _has_room(header, name) and (start[header.end() :] + b"".join(text)).strip():
                raise ValueError(f"{name}: Line {header[0].count(_NEWLINE) + 1}: Too many values in array")
            break
    yield start
    yield from text
    yield _NEWLINE


def _read(file: Any) -> Iterator[bytes]:
    if not hasattr(file, "read"):
        raise TypeError(f"expected the name of a file, or an open one; got {type(file).__name__}")
    while piece := file.read(PIECE):
        yield piece.encode() if isinstance(piece, str) else piece


def _without_nul(text: Iterator[bytes], name: str) -> Iterator[bytes]:
    line = 1
    for piece in text:
        place = piece.find(b"\0")
        if place >= 0:
            raise ValueError(f"{name}: Line {line + piece.count(_NEWLINE, 0, place)}: not text: a NUL byte")
        line += piece.count(_NEWLINE)
        yield piece


def _has_room(header: re.Match[bytes], name: str) -> bool:
    """Whether any value belongs into the matrix; a ValueError where the reader would fill what is no array."""
    words = header[1].lower().split() + [b""] * 5
    kind, form, symmetry = words[1], words[2], words[4]
    if form != b"array":
        return True
    line, sizes = header[0].count(_NEWLINE), header[2].split()
    if kind != b"matrix" or len(sizes) != 2 or not all(size.isdigit() for size in sizes):
        raise ValueError(f"{name}: Line {line}: expected the two sizes of a matrix")
    nrows, ncols = map(int, sizes)
    if symmetry != b"general" and nrows != ncols:
        raise ValueError(f"{name}: Line {line}: {symmetry.decode('ascii', 'replace')}, but {nrows} x {ncols}")
    return nrows > (symmetry == b"skew-symmetric")
