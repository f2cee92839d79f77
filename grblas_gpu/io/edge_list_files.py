"""Edge lists: a line for each edge with source, target and perhaps a weight; plain or compressed (.gz, .bz2, .xz)."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from ..api.base import ensure_type
from ..api.conversions import MAX_SIZE
from ..api.matrix import Matrix, TransposedMatrix
from ..dtypes import FP64, lookup_dtype
from ..foundation.border import check_memory, length_of, shown
from ..foundation.progress import elapsed
from ..foundation.types import DTypeLike, OperatorLike, Source
from .duplicates import both_directions, combining, refusal
from .edge_table import Layout, data_lines, layout_of
from .number_columns import LARGE, Fields, Malformed, columns
from .text_files import PIECE, lines_of, name_of, opened, text_of


def read_edgelist(
    source: Source,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    base: int = 0,
    directed: bool = True,
    dtype: DTypeLike | None = None,
    nrows: int | None = None,
    ncols: int | None = None,
    duplicates: OperatorLike | None = None,
    dup_op: OperatorLike | None = None,
    name: str | None = None,
) -> Matrix:
    """A Matrix from a text file with a line for each edge: source, target and perhaps a weight. Vertices are numbers.

    Empty lines and lines that start with # or % are skipped. For vertices that are not numbers, use
    ``Graph.read_edgelist``.

    Parameters
    ----------
    source : str, path or open file
        The file; compressed if its name ends in .gz, .bz2 or .xz.
    delimiter : str, optional
        The separator of fields. By default a comma or semicolon if the first line has one, else white space.
    header : bool, optional
        Whether the first line names the columns. By default it does if it has no numbers and the second line has.
    columns : sequence of two or three, optional
        The columns of source, target and weight, by name (of the header) or number (from 0). By default the first ones;
        if there are more than three, the columns with these names in the header.
    base : int
        The number of the first vertex: 1 for files that count from 1.
    directed : bool
        Whether an edge leads one way (the default); with False, it becomes an entry in both directions.
    dtype : dtype, optional
        The type of the values: by default FP64 for weights, and BOOL (all true) without weights.
    nrows, ncols : int, optional
        The shape; by default square, up to the largest vertex.
    duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
        How to combine the weights of an edge that is listed twice; an error by default.
    dup_op : operator, optional
        The older name of ``duplicates``.
    name : str, optional
        The name of the Matrix.

    Raises
    ------
    ValueError
        If a line is malformed; the message has its number.

    Examples
    --------
    >>> from io import StringIO
    >>> from grblas_gpu import io
    >>> io.read_edgelist(StringIO("# from to weight\\n0 1 2.5\\n2 1 0.5\\n")).to_dicts()
    {0: {1: 2.5}, 2: {1: 0.5}}
    >>> io.read_edgelist(StringIO("0 1\\n2\\n"))
    Traceback (most recent call last):
    ValueError: <StringIO>: line 2: expected 2 fields (source target), found 1: '2'
    """
    dup_op = combining(duplicates, dup_op)
    text = text_of(source)
    weight_type = FP64 if dtype is None else lookup_dtype(dtype)
    layout = layout_of(text, name_of(source), delimiter=delimiter, header=header, columns=columns)
    rows, cols, weights = parse_numbers(text, name_of(source), layout, base, weight_type.np_type)
    i, j, values = (rows, cols, weights) if directed else both_directions(rows, cols, weights)
    largest = int(max(rows.max(initial=-1), cols.max(initial=-1))) + 1
    if nrows is None:  # a size given by the caller is not limited
        check_memory(name_of(source), 8 * largest, max(len(text), length_of(source)))
    if nrows is None and ncols is None:
        nrows = ncols = largest
    nrows = int(rows.max(initial=-1)) + 1 if nrows is None else nrows
    ncols = int(cols.max(initial=-1)) + 1 if ncols is None else ncols
    if values is None:  # duplicates of unweighted edges count once without an operator
        values = np.array(True) if dup_op is None else np.broadcast_to(np.ones(1, bool), i.shape)
    try:
        return Matrix.from_coo(i, j, values, dtype, nrows=nrows, ncols=ncols, dup_op=dup_op, name=name)
    except ValueError as error:
        if weights is not None and dup_op is None:
            place = lambda k: f"line {line_of(text, layout, k)}"  # noqa: E731
            error = refusal(rows + base, cols + base, weights, int, place, directed=directed) or error
        raise ValueError(f"{name_of(source)}: {error}") from None


def write_edgelist(
    target: Source, matrix: Matrix, *, delimiter: str = " ", base: int = 0, values: bool | None = None
) -> None:
    """Write the entries of a Matrix, a line each: row, column and value (unless ``values`` is false).

    By default the values of a BOOL matrix are omitted if all are true.

    Parameters
    ----------
    target : str, path or open file
        The file to write; compressed if the name ends in .gz, .bz2 or .xz.
    matrix : Matrix
        The Matrix to write.
    delimiter : str, optional
        The separator of fields; selected by default.
    base : int
        The number of the first vertex.
    values : bool, optional
        Whether to write values; by default unless all are True.

    Examples
    --------
    >>> from io import StringIO
    >>> from grblas_gpu import Matrix, io
    >>> file = StringIO()
    >>> io.write_edgelist(file, Matrix.from_coo([0, 1], [1, 2], [5, 6]))
    >>> file.getvalue()
    '0 1 5\\n1 2 6\\n'
    """
    matrix = ensure_type(matrix, (Matrix, TransposedMatrix))
    rows, cols, weights = matrix.to_coo()
    if values is None:
        values = not (weights.dtype == bool and bool(weights.all()))
    columns = [(rows.astype(np.int64) + base).tolist(), (cols.astype(np.int64) + base).tolist()]
    if values:
        columns.append((weights.astype(np.int8) if weights.dtype == bool else weights).tolist())
    with opened(target, "wt") as file:
        file.writelines(lines_of(columns, delimiter))


def parse_numbers(
    text: str, name: str, layout: Layout, base: int, weight_type: np.dtype
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Sources and targets (from 0), and weights or None; a ValueError names the malformed line."""
    first = next((line for number, line in data_lines(text) if number != layout.header), None)
    if first is None:
        return np.empty(0, np.int64), np.empty(0, np.int64), None
    count = len(layout.columns or layout.fields(first))
    kind = weight_type.kind if count == 3 else "i"
    if len(text) >= LARGE and kind in "iuf" and len((layout.delimiter or " ").encode()) == 1:
        places = layout.columns or tuple(range(3 if count == 3 else 2))
        expected = Fields(places, kind == "f", layout.columns is not None, layout.delimiter)
        with contextlib.suppress(Malformed), elapsed(f"parsing {name}"):
            whole = text.encode()
            pieces = (whole[at : at + PIECE] for at in range(0, len(whole), PIECE))  # all cores parse
            rows, cols, *weights = columns(pieces, name, expected, "", layout.header)
            converted = [part.astype(weight_type, copy=False) for part in weights]
            exact = kind == "f" or all(map(np.array_equal, weights, converted))
            if exact and min(rows.min(), cols.min()) >= base:
                return rows - base, cols - base, converted[0] if converted else None
    ends: tuple[list[int], list[int]] = ([], [])
    fields: list[tuple[int, str]] = []
    with elapsed(f"parsing {name}"):
        for number, found in split_lines(text, name, layout):
            for end, field in zip(ends, found, strict=False):
                end.append(_checked_vertex(field.strip(), base, f"{name}: line {number}"))
            fields += [(number, field.strip()) for field in found[2:]]
    rows, cols = (np.array(end, np.int64) for end in ends)
    return rows, cols, parse_weights(fields, name, weight_type) if count == 3 else None


def line_of(text: str, layout: Layout, edge: int) -> int:
    """The line of an edge, by its number from 0."""
    lines = (number for number, _ in data_lines(text) if number != layout.header)
    return next(itertools.islice(lines, edge, None))


def split_lines(text: str, name: str, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """The number and the fields of every line: two or three fields, as many as in the first line."""
    count = 0
    for number, line in data_lines(text):
        if number == layout.header:
            continue
        fields = layout.fields(line)
        if layout.columns is not None:
            if len(fields) <= max(layout.columns):
                least = max(layout.columns) + 1
                raise ValueError(
                    f"{name}: line {number}: expected {least} fields or more, found {len(fields)}: {shown(line)}"
                )
            fields = [fields[column] for column in layout.columns]
        count = count or (3 if len(fields) == 3 else 2)
        if len(fields) != count:
            wanted = f"{count} fields ({'source target weight' if count == 3 else 'source target'})"
            more = "; columns= (--columns) says which of them" if len(fields) > 3 else ""
            raise ValueError(f"{name}: line {number}: expected {wanted}, found {len(fields)}: {shown(line)}{more}")
        yield number, fields


def parse_weights(fields: list[tuple[int, str]], name: str, dtype: np.dtype) -> np.ndarray:
    """Numbers of a type from text; a ValueError names the first line without a number."""
    try:
        return np.array([field for _, field in fields]).astype(dtype)
    except (OverflowError, ValueError):
        for number, field in fields:
            try:
                np.array([field]).astype(dtype)
            except (OverflowError, ValueError):
                raise ValueError(f"{name}: line {number}: weight {shown(field)} is not a {dtype.name}") from None
        raise


def _checked_vertex(field: str, base: int, where: str) -> int:
    try:
        vertex = int(field) - base if "_" not in field else None
    except ValueError:
        vertex = None
    if vertex is None:
        raise ValueError(
            f"{where}: vertex {shown(field)} is not an integer; Graph.read_edgelist (--labels) reads labels"
        )
    if not 0 <= vertex < MAX_SIZE:
        quote = "'"
        raise ValueError(f"{where}: vertex {shown(field).strip(quote)} is out of range: numbers start at {base}")
    return vertex
