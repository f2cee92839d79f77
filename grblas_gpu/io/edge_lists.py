"""Edge lists as Graphs: integers are labels as fast as they can be parsed, other labels are text.

The comments of SNAP ("# Undirected graph") and KONECT ("% sym") say whether edges are directed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..dtypes import lookup_dtype
from ..foundation.border import border
from ..foundation.types import DTypeLike, OperatorLike, PathLike
from .duplicates import combining
from .edge_list_files import line_of
from .edge_table import data_lines, layout_of
from .graph import Graph
from .label_codes import number_integers
from .number_columns import Fields, Malformed, parsed_blocks
from .text_files import lines_of, opened, pieces, text_of

_UNDIRECTED = re.compile(rb"\A(?:[ \t]*#[^\n]*\n)*?[ \t]*#[^\n]*\bundirected graph\b|\A%[ \t]*sym\b", re.IGNORECASE)
_KONECT = re.compile(rb"\A%[ \t]*(sym|asym|bip)[ \t]+(\w+)")


def read_edges(
    path: PathLike,
    *,
    columns: Sequence[str | int] | None = None,
    directed: bool | None = None,
    dtype: DTypeLike | None = None,
    duplicates: OperatorLike | None = None,
) -> Graph:
    """The Graph of an edge list: text, tables with commas or tabs, SNAP and KONECT files."""
    name = os.fspath(path)
    parts = pieces(path)
    head = next(parts, b"")
    konect = _KONECT.match(head)
    if konect and konect[1] == b"bip":
        raise ValueError(f"{name}: a bipartite graph of KONECT is a Matrix: io.read_edgelist(path, base=1)")
    if directed is None:
        directed = not _UNDIRECTED.match(head)
    if konect and columns is None and konect[2] in (b"unweighted", b"positive"):
        columns = (0, 1)
    elif konect and columns is None:
        columns = (0, 1, 2)
    first = head.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    layout = layout_of(first[: first.rfind("\n") + 1] or first, name, columns=columns)
    line = next((layout.fields(line) for number, line in data_lines(first) if number != layout.header), [])
    places = layout.columns or tuple(range(3 if len(line) == 3 else 2))
    given: dict[str, Any] = {"directed": directed, "duplicates": duplicates}
    if max(places) < len(line) and all(line[k].strip().lstrip("+-").isdigit() for k in places[:2]):
        fields = Fields(places, len(places) == 3, layout.columns is not None, layout.delimiter)
        try:
            return _of_integers(
                path, chain([head.removeprefix(b"\xef\xbb\xbf")], parts), layout, fields, dtype, **given
            )
        except Malformed:
            pass  # a later label is text, or the line is malformed: the other reader knows
    return Graph.read_edgelist(path, columns=columns, dtype=dtype or float, **given)


def _of_integers(
    path: PathLike, parts: Any, layout: Any, fields: Fields, dtype: DTypeLike | None, directed: bool, duplicates: Any
) -> Graph:
    name = os.fspath(path)
    weights: list[np.ndarray] = []
    number_type = lookup_dtype(dtype or float).np_type

    def ends() -> Iterator[list[np.ndarray]]:
        for source, target, *more in parsed_blocks(parts, name, fields, "source target", skip=layout.header):
            weights.extend(each.astype(number_type, copy=False) for each in more)
            yield [source, target]

    labels, (rows, cols) = number_integers(ends())
    given = np.concatenate(weights) if weights else None
    combined = combining(duplicates)
    with border(name):
        place = lambda k: f"line {line_of(text_of(path), layout, k)}"  # noqa: E731
        return Graph._of_edges(rows, cols, given, labels, directed, None, combined, place)


def write_edges(path: PathLike, graph: Graph) -> None:
    """Write a line for each edge, with labels: with commas in .csv, tabs in .tsv, else spaces."""
    name = os.fspath(path)
    mark = next((mark for suffix, mark in {".csv": ",", ".tsv": "\t"}.items() if suffix in name[-8:]), " ")
    rows, cols, values = graph.edges()
    labels = [_text(label, mark, name) for label in graph.labels]
    weighted = values.dtype != bool
    kept = (values.tolist(),) if weighted else ()
    isolated = np.setdiff1d(np.arange(len(graph)), np.concatenate([rows, cols]))
    if len(isolated):
        raise ValueError(f"{name}: an edge list has no place for nodes without edges, such as {labels[isolated[0]]!r}")
    with opened(path, "wt") as file:
        if mark == ",":
            file.write("source,target,weight\n" if weighted else "source,target\n")
        ends = [list(map(labels.__getitem__, end.tolist())) for end in (rows, cols)]
        file.writelines(lines_of([*ends, *kept], mark))


def _text(label: object, mark: str, name: str) -> str:
    text = str(label)
    if mark == " ":
        if not text or any(c.isspace() or c in '#%,;"' for c in text):
            raise ValueError(f"{name}: the label {label!r} has spaces or marks; write a .csv file")
        return text
    if text.startswith(("%", "#")) or any(c in text for c in "\n\r#") or text != text.strip():
        raise ValueError(f"{name}: the label {label!r} cannot be read again from an edge list; write .parquet or .grb")
    return '"' + text.replace('"', '""') + '"' if mark in text or '"' in text or not text else text
