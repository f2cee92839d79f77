"""Text files that may be compressed, given by name or opened already."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import zlib
from collections.abc import Iterator
from typing import Any

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
    whole = b"".join(_within_bounds(source)) if is_name else source.read()
    if isinstance(whole, bytes):
        try:
            text = whole.decode("utf-8-sig")  # spreadsheets begin with a byte order mark
        except UnicodeDecodeError as error:
            line = whole.count(b"\n", 0, error.start) + 1
            found = f"byte {whole[error.start]:#x}"
            raise ValueError(f"{name_of(source)}: line {line}: not text (UTF-8): {found}") from None
    else:
        text = whole.removeprefix("\ufeff")
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


def pieces(path: str | os.PathLike) -> Iterator[bytes]:
    """The decompressed bytes of a file; data that cannot be decompressed raises ValueError with a line number."""
    line = 1
    with opened(path, "rb") as file:
        while True:
            try:
                piece = file.read1(PIECE)  # `read` would lose the data before the damage
            except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise  # an error of the system, not of the decompressor
                raise ValueError(f"{name_of(path)}: line {line}: {error}") from None
            if not piece:
                return
            line += piece.count(b"\n")
            yield piece


def is_compressed(target: Any) -> bool:
    return isinstance(target, (str, os.PathLike)) and bool(compressed_suffix(target))


def compressed_suffix(path: str | os.PathLike) -> str:
    """The suffix of the compression, or nothing.

    >>> compressed_suffix("a.mtx.gz"), compressed_suffix("a.mtx")
    ('.gz', '')
    """
    suffix = os.path.splitext(os.fspath(path))[1]
    return suffix if suffix in _OPENERS else ""


def name_of(source: Any) -> str:
    """The name of a file in messages."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"
