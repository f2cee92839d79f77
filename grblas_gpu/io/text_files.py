"""Text files that may be compressed, given by name or opened already."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import IO, Any

import numpy as np

from ..foundation.border import border, check_memory, length_of
from ..foundation.suggestions import needed, type_text
from ..foundation.types import PathLike, Source
from .replacing import replacing


def _open_zstandard(path: PathLike, mode: str) -> IO[bytes] | _ZstandardFile:
    zstandard = needed("zstandard", "a .zst file", "'grblas_gpu[files]'")
    return _ZstandardFile(zstandard, path) if mode == "rb" else zstandard.open(path, mode)


class _ZstandardFile:
    """A compressed file, open for reading. (The reader of the package does not notice that a file is cut off.)"""

    def __init__(self, zstandard: ModuleType, path: PathLike) -> None:
        self._file = open(path, "rb")  # noqa: SIM115
        self._make = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._make()

    def __enter__(self) -> _ZstandardFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        while True:
            rest = self._frame.unused_data
            piece = rest or self._file.read(size)
            if not piece:
                if not self._frame.eof:
                    raise EOFError("compressed file ended before the end of its last frame")
                return b""
            if self._frame.eof:
                self._frame = self._make()
            found = self._frame.decompress(piece)
            if found:
                return found


_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": _open_zstandard}
PIECE = 2**20  # bytes
BLOCK = 2**23  # bytes
LONGEST_LINE = 2**20
CACHED = 2**17  # bytes
Block = tuple[int, bytes, int]  # the number of the first line, lines, and how many they are


@contextlib.contextmanager
def opened(target: Source, mode: str) -> Iterator[Any]:
    """The file of that name, opened with ``mode`` ("rt", "wb", ...) by its compression; an open file stays as it is."""
    if not isinstance(target, (str, os.PathLike)):
        yield target
        return
    opener = _OPENERS.get(os.path.splitext(os.fspath(target))[1], open)
    with replacing(target) if "w" in mode else contextlib.nullcontext(target) as path, opener(path, mode) as file:
        yield file


def text_of(source: Source) -> str:
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


def bytes_of(path: PathLike) -> bytes:
    """The decompressed bytes of a file, with a bound on their expansion."""
    return b"".join(_within_bounds(path))


def _within_bounds(path: Source) -> Iterator[bytes]:
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
        # `read` would lose the data before the damage
        read = file.read if file is source else getattr(file, "read1", file.read)
        while True:
            with border(name_of(source), what=f"line {line}: "):
                piece = read(PIECE)
                piece = piece.encode() if isinstance(piece, str) else piece
            if not piece:
                return
            line += lines_in(piece) if file is source or is_compressed(source) else 0  # only these are decoded
            yield piece


def whole_lines(pieces: Iterable[bytes], name: str, line: int = 1) -> Iterator[Block]:
    """Blocks of some megabytes that end with a line, with the number of the first line and how many they are.

    >>> list(whole_lines([b"a\\nb", b"c"], "x.txt"))
    [(1, b'a\\nbc\\n', 2)]
    """
    begun: list[bytes] = []
    length = unfinished = 0
    for piece in pieces:
        begun.append(piece)
        length += len(piece)
        end = piece.rfind(b"\n") + 1
        unfinished = len(piece) - end if end else unfinished + len(piece)
        if unfinished > LONGEST_LINE:
            line += sum(part.count(b"\n") for part in begun)
            raise ValueError(f"{name}: Line {line}: the line is longer than {LONGEST_LINE} characters")
        if length >= BLOCK and end:
            whole = b"".join([*begun[:-1], memoryview(piece)[:end]])
            begun, length = [piece[end:]], len(piece) - end
            count = lines_in(whole)
            yield line, whole, count
            line += count
    rest = b"".join(begun)
    if rest:
        rest += b"" if rest.endswith(b"\n") else b"\n"
        yield line, rest, lines_in(rest)


def lines_in(block: bytes) -> int:
    """The number of line ends; NumPy counts them seven times as fast as ``bytes.count``.

    >>> lines_in(b"a\\nb\\n")
    2
    """
    text = np.frombuffer(block, np.uint8)
    return sum(int(np.count_nonzero(text[at : at + CACHED] == ord("\n"))) for at in range(0, len(text), CACHED))


def lines_of(columns: Sequence[Sequence[object]], mark: str = " ") -> Iterator[str]:
    """The lines of a table. ``str`` of a Python float is the shortest text that reads back as the same number.

    >>> list(lines_of([["ann", "bob"], [0.5, 3]], "%"))
    ['ann%0.5\\n', 'bob%3\\n']
    """
    line = mark.replace("%", "%%").join(["%s"] * len(columns)) + "\n"
    return map(line.__mod__, zip(*columns, strict=True))


def is_compressed(target: object) -> bool:
    return isinstance(target, (str, os.PathLike)) and bool(compressed_suffix(target))


def compressed_suffix(path: PathLike) -> str:
    """The suffix of the compression, or nothing.

    >>> compressed_suffix("a.mtx.gz"), compressed_suffix("a.mtx")
    ('.gz', '')
    """
    suffix = os.path.splitext(os.fspath(path))[1]
    return suffix if suffix in _OPENERS else ""


def name_of(source: object) -> str:
    """The name of a file in messages."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"
