"""The input of the compiled Matrix Market reader: only text of the grammar, and no more entries than announced.

The reader does not limit its search for the end of a line, does not check shapes of arrays, and trusts the header.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
from collections.abc import Iterable, Iterator

import numpy as np

from ..api.conversions import MAX_SIZE
from ..foundation.border import check_memory, length_of, shown
from ..foundation.types import Source
from ..plan.storage_rules import matrix_form
from .duplicates import both_directions
from .matrix_market_syntax import grammar_of
from .number_columns import LARGE, Fields, Malformed, columns
from .text_files import is_compressed, name_of, pieces, whole_lines

_NEWLINE = b"\n"
_LONGEST_HEADER = 2**26
_FEW = 2**20  # entries that may be allocated before the file is known to contain them

# The banner; comments and empty lines; the line with the sizes.
_HEADER = re.compile(rb"([^\n]*)\n(?:[^\S\n]*(?:%[^\n]*)?\n)*+([^\n]*)\n")


class ReaderInput:
    """A text file, open for the reader: checked, and with a newline at its end.

    The reader would lose an exception. So the text ends at an error, and ``fault`` is the exception.

    >>> ReaderInput(io.StringIO("%%MatrixMarket")).read()
    b'%%MatrixMarket\\n'
    """

    def __init__(self, source: Source) -> None:
        self.fault: Exception | None = None
        self._pieces = _checked(source)
        self._piece = io.BytesIO()

    def read(self, size: int = -1) -> bytes:
        data = self._piece.read(size)
        if not data and self.fault is None:
            try:
                self._piece = io.BytesIO(next(self._pieces, b""))
            except Exception as error:
                self.fault = error
            data = self._piece.read(size)
        return data


def _checked(source: Source) -> Iterator[bytes]:
    name = name_of(source)
    text = _without_nul(pieces(source), name)
    start = b""
    for piece in itertools.chain(text, [_NEWLINE]):  # the last line may have no newline
        start += piece
        header = _HEADER.match(start)
        if header:
            break
        if len(start) > _LONGEST_HEADER:
            raise ValueError(f"{name}: found no line with sizes in the first {_LONGEST_HEADER} bytes")
    else:
        yield start
        return
    line = header[0].count(_NEWLINE)
    words = header[1].lower().split() + [b""] * 5
    length = length_of(source)
    known = 0 if is_compressed(source) else length
    announced = _announced(header, words, line, name, length)
    if announced > _FEW and not known:  # check that the text has all entries
        whole = b"".join(text)
        known, text = len(start) + len(whole), iter([whole])
    if known and 2 * announced > known + 2:  # an entry has at least two characters
        raise ValueError(f"{name}: Line {line}: {announced} entries announced, but the file has {known} bytes")
    yield _without_positions(header, words) if words[2] == b"array" and not announced else header[0]
    rest = itertools.chain([start[header.end() :]], text)
    grammar = grammar_of(words[2], words[3]) if words[1] == b"matrix" else None
    if not announced and words[2] == b"array":
        for number, each, _ in whole_lines(rest, name, line + 1):
            filled = next((at for at, found in enumerate(each.split(_NEWLINE)) if found.strip()), None)
            if filled is not None:
                raise ValueError(f"{name}: Line {number + filled}: Too many values in array")
    elif grammar is None:
        yield from rest
    else:
        for number, lines, _ in whole_lines(rest, name, line + 1):
            grammar.check(lines, number, name)
            yield lines
    yield _NEWLINE


def plain_entries(source: Source) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]] | None:
    """Rows, columns, values and shape of a large file of entries; None if the reader shall parse it, which knows all
    types and says what is wrong.
    """
    if not isinstance(source, (str, os.PathLike)) or length_of(source) < LARGE:
        return None
    name = name_of(source)
    text = pieces(source)
    with contextlib.suppress(ValueError):
        start = next(text, b"")
        header = _HEADER.match(start)
        words = header[1].lower().split() if header else []
        if (
            not header
            or words[:3] != [b"%%matrixmarket", b"matrix", b"coordinate"]
            or words[4:] not in ([b"general"], [b"symmetric"])
        ):
            return None
        known = {b"pattern": 2, b"integer": 3, b"real": 3}.get(words[3])
        entries = _announced(header, words, 0, name, length_of(source))
        if known is None or not entries:
            return None
        fields = Fields(tuple(range(known)), real=words[3] == b"real")
        rest = itertools.chain([start[header.end() :]], text)
        rows, cols, *values = columns(_without_comments(rest, name), name, fields, "")
        nrows, ncols = map(int, header[2].split()[:2])
        if len(rows) == entries and min(rows.min(), cols.min()) > 0 and rows.max() <= nrows and cols.max() <= ncols:
            rows -= 1
            cols -= 1
            given = values[0] if values else None
            if words[4] == b"symmetric":
                rows, cols, given = both_directions(rows, cols, given)
            return rows, cols, np.broadcast_to(1.0, len(rows)) if given is None else given, (nrows, ncols)
    return None


def _without_comments(text: Iterable[bytes], name: str) -> Iterator[bytes]:
    for piece in text:
        if b"%" in piece or b"#" in piece:
            raise Malformed(name)
        yield piece


def _without_positions(header: re.Match[bytes], words: list[bytes]) -> bytes:
    """The header of an array. An empty array gets the header of an empty list of entries: the reader divides by the
    number of rows, and a division by 0 may end the process."""
    sizes = header[2].split()
    readable = words[1] == b"matrix" and words[3] != b"pattern" and all(size.isdigit() for size in sizes)
    if not readable or all(size.strip(b"0") for size in sizes):
        return header[0]
    return b"%%MatrixMarket matrix coordinate " + b" ".join(words[3:5]) + b"\n" + header[2].strip() + b" 0\n"


def _without_nul(text: Iterator[bytes], name: str) -> Iterator[bytes]:
    line = 1
    for piece in text:
        place = piece.find(b"\0")
        if place >= 0:
            raise ValueError(f"{name}: Line {line + piece.count(_NEWLINE, 0, place)}: not text: it has a NUL byte")
        line += piece.count(_NEWLINE)
        yield piece


def _announced(header: re.Match[bytes], words: list[bytes], line: int, name: str, length: int) -> int:
    """The number of entries that the reader allocates; ValueError if the sizes are invalid."""
    _, kind, form, _, symmetry = words[:5]
    sizes = header[2].split()
    wanted = 2 if form == b"array" else 3
    if form not in (b"array", b"coordinate") or kind not in (b"matrix", b"vector"):
        return 0  # the reader refuses these itself
    if kind != b"matrix" or len(sizes) != wanted or not all(size.isdigit() for size in sizes):
        what = "two sizes of a matrix" if wanted == 2 else "sizes and the number of entries"
        raise ValueError(f"{name}: Line {line}: expected the {what}, found {shown(header[2])}")
    if any(len(size) > 20 or int(size) > MAX_SIZE for size in sizes):
        raise ValueError(f"{name}: Line {line}: sizes above 2**60 are not supported: {shown(header[2])}")
    nrows, ncols, entries = [*map(int, sizes), 0][:3]
    if symmetry != b"general" and nrows != ncols:
        raise ValueError(
            f"{name}: Line {line}: the matrix is {shown(symmetry)[1:-1]}, but not square: {nrows} x {ncols}"
        )
    if form == b"array" or matrix_form(entries, nrows, ncols, "sparse") != "hypersparse":
        check_memory(name, 8 * nrows, length)  # the row pointers
    if form == b"coordinate":
        return entries
    return nrows * ncols if symmetry == b"general" else nrows * (nrows - 1 + 2 * (symmetry != b"skew-symmetric")) // 2
