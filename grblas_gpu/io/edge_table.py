"""The layout of an edge list: its delimiter, its header and its columns, as given or as detected.

>>> layout_of("from;to;km\\nann;bob;3\\n", "trips.csv", labels=True)
Layout(delimiter=';', header=1, columns=None)
>>> layout_of("id,src,dst\\n7,0,1\\n", "e.csv", columns=("src", "dst"))
Layout(delimiter=',', header=1, columns=(1, 2))
>>> layout_of("id,Source,Target,Type,Weight\\n7,0,1,road,2.5\\n", "e.csv")
Layout(delimiter=',', header=1, columns=(1, 2, 4))
"""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .text_files import PIECE

SEPARATORS = {".csv": ",", ".tsv": "\t"}
#: Names of columns in headers.
SOURCES = frozenset("source src from tail start u node1 vertex1 head_id source_id sourceid fromnodeid i row".split())
TARGETS = frozenset("target dst to head end v node2 vertex2 tail_id target_id targetid tonodeid j col column".split())
WEIGHTS = frozenset("weight w value cost distance length".split())


class Layout(NamedTuple):
    """The layout of the lines of an edge list."""

    delimiter: str | None = None  # None is white space
    header: int = 0  # the line of the header; 0 without a header
    columns: tuple[int, ...] | None = None  # of source, target and perhaps weight; None: the first two or three

    def fields(self, line: str) -> list[str]:
        """The fields between the delimiters of a line; quotation marks may enclose them."""
        if self.delimiter is not None and '"' in line:
            with contextlib.suppress(csv.Error):  # a carriage return, or a very long field: the line has no quotations
                return [field.strip() for field in next(csv.reader([line], delimiter=self.delimiter))]
        return line.split(self.delimiter)


def layout_of(
    text: str,
    name: str,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    labels: bool = False,
) -> Layout:
    """The layout of a file: as given; missing parts are detected from its name and its first two lines of data.

    With ``labels`` vertices are any text. The first line is a header if it has known names of columns, or if only the
    second line has numbers: for the weight with ``labels``, for the vertices without. Of more than three columns, those
    with known names for source, target and weight are used.
    """
    lines = [found for _, found in zip(range(2), data_lines(text), strict=False)]
    if not lines:
        return Layout(delimiter)
    if delimiter is None:
        delimiter = _delimiter(lines[0][1], name)
    split = Layout(delimiter)
    fields = [[field.strip() for field in split.fields(line)] for _, line in lines]
    if columns is None and header is not False:
        columns = known_columns(fields[0]) if len(fields[0]) > 3 else None
        header = header if columns is None else True
    if header is None:
        by_name = columns is not None and any(isinstance(column, str) for column in columns)
        header = by_name or _is_header(fields, labels)
    if columns is None:
        return Layout(delimiter, lines[0][0] if header else 0)
    numbers = tuple(_number(column, fields[0], bool(header), name) for column in columns)
    if len(numbers) not in (2, 3):
        raise ValueError(f"{name}: columns must name source, target and perhaps weight; got {len(numbers)} columns")
    return Layout(delimiter, lines[0][0] if header else 0, numbers)


def data_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are neither empty nor comments, with their numbers."""
    for number, line in enumerate(_lines(text), 1):
        line = line.partition("#")[0].strip()
        if line and line[0] != "%":
            yield number, line


def _lines(text: str) -> Iterator[str]:
    begin = 0
    while begin < len(text):  # a StringIO has four bytes for each character
        end = text.find("\n", begin + PIECE) + 1 or len(text)
        yield from io.StringIO(text[begin:end])
        begin = end


def _delimiter(line: str, name: str) -> str | None:
    """The delimiter of the first line: by the suffix of the file, or a comma or semicolon, otherwise white space."""
    named = next((mark for suffix, mark in SEPARATORS.items() if suffix in name[-8:].lower()), None)
    if named is not None and named in line:
        return named
    return next((mark for mark in (",", ";") if mark in line), None)


def _is_header(fields: list[list[str]], labels: bool) -> bool:
    first = [field.lower() for field in fields[0]]
    if len(first) >= 2 and first[0] in SOURCES and first[1] in TARGETS:
        return True
    if len(fields) < 2 or len(fields[0]) != len(fields[1]):
        return False
    if not labels:
        return not any(map(_is_integer, fields[0][:2])) and all(map(_is_integer, fields[1][:2]))
    return len(first) == 3 and not _is_number(fields[0][2]) and _is_number(fields[1][2])


def known_columns(names: list[str]) -> tuple[int, ...] | None:
    """The columns of source, target and perhaps weight, if their names are known ones.

    >>> known_columns(["id", "src", "dst", "weight"]), known_columns(["a", "b"])
    ((1, 2, 3), None)
    """
    lower = [name.lower() for name in names]
    places = [next((k for k, name in enumerate(lower) if name in known), None) for known in (SOURCES, TARGETS, WEIGHTS)]
    if places[0] is None or places[1] is None:
        return None
    return tuple(place for place in places if place is not None)


def _number(column: str | int, header: list[str], has_header: bool, name: str) -> int:
    """The number of a column, given by name or by number from 0."""
    if isinstance(column, str):
        if has_header and column in header:
            return header.index(column)
        there = f"there are {', '.join(header)}" if has_header else "there is no header"
        raise ValueError(f"{name}: no column {column!r}; {there}")
    if not 0 <= column < len(header):
        raise ValueError(f"{name}: no column {column}; columns are 0 to {len(header) - 1}")
    return column


def _is_integer(field: str) -> bool:
    return field.lstrip("+-").isdigit()


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
