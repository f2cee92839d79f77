"""Text files that may be compressed, given by name or opened already."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
from collections.abc import Iterator
from typing import Any

from ..border import border
from ..suggestions import type_text
from .bounds import check_memory, length_of
from .replacing import replacing

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
PIECE = 2**20  # bytes


@contextlib.contextmanager
def opened(target: Any, mode: str) -> Iterator[Any]:
    """The file of that name, opened with ``mode`` ("rt", "wb", ...) by its compression; an open file stays as it is."""
    if not isinstance(target, (str, os.PathLike)):
        yield target
        return
    opener = _OPENERS.get(os.path.splitext(os.fspath(target))[1], open)
    with replacing(target) if "w" in mode else contextlib.nullcontext(target) as path, opener(path, mode) as file:
        yield file


def text_of(source: Any) -> str:
    """The text of a file. Damaged data, or data that is not text, raises ValueError with the number of its line."""
    is_name = isinstance(source, (str, os.PathLike))
    whole = b"".join(_within_bounds(source) if is_name else pieces(source))
    try:
        text = whole.decode("utf-8-sig")  # spreadsheets begin with a byte order mark
    except UnicodeDecodeError as error:
        line = whole.count(b"\n", 0, error.start) + 1
        found = f"byte {whole[error.start]:#x}"
        raise ValueError(f"{name_of(source)}: line {line}: not text (UTF-8): {found}") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"{name_of(source)}: line {line}: not text: it has a NUL byte")
    return text.replace("\r\n", "\n").replace("\r", "\n") if is_name and "\r" in text else text


def _within_bounds(path: str | os.PathLike) -> Iterator[bytes]:
    """The pieces of a file, with a bound on the expansion of compressed files."""
    length, found = length_of(path), 0
    for piece in pieces(path):
        found += len(piece)
        check_memory(name_of(path), found, length)
        yield piece


def pieces(source: Any) -> Iterator[bytes]:
    """The decompressed bytes of a file; data that cannot be decompressed or decoded raises ValueError with its line."""
    line = 1
    with opened(source, "rb") as file:
        if not hasattr(file, "read"):
            raise TypeError(f"expected a file name or an open file; got {type_text(file)}")
        read = file.read if file is source else file.read1  # `read` would lose the data before the damage
        while True:
            with border(name_of(source), what=f"line {line}: "):
                piece = read(PIECE)
                piece = piece.encode() if isinstance(piece, str) else piece
            if not piece:
                return
            line += piece.count(b"\n")
            yield piece


def is_compressed(target: Any) -> bool:
    return isinstance(target, (str, os.PathLike)) and os.path.splitext(os.fspath(target))[1] in _OPENERS


def name_of(source: Any) -> str:
    """The name of a file in messages."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"
