"""DIMACS files: arcs ``a u v weight`` (.gr, .sp), edges ``e u v`` (.col), and pairs of PACE."""

from __future__ import annotations

import os
import re

import numpy as np

from ..foundation.border import border, check_memory, length_of, shown
from ..foundation.types import OperatorLike, PathLike
from .duplicates import combining
from .graph import Graph, refuse_weights
from .number_columns import Fields, columns, whole
from .text_files import bytes_of, opened

_PROBLEM = re.compile(rb"^p[ \t]+(\w+)[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*$", re.MULTILINE)
_SKIPPED = re.compile(rb"^[cn](?=[ \t\r\n])", re.MULTILINE)  # comments, and values of vertices


def read_dimacs(path: PathLike, directed: bool | None = None, duplicates: OperatorLike | None = None) -> Graph:
    """The graph of a DIMACS file, with vertices from 1 on. Arcs are directed, edges are not.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".gr") as file:
    ...     _ = file.write(b"c a path\\np sp 3 2\\na 1 2 7\\na 2 3 9\\n")
    ...     file.flush()
    ...     read_dimacs(file.name).edges(data=True)
    [(1, 2, 7), (2, 3, 9)]
    """
    name, text = os.fspath(path), bytes_of(path)
    problem = _PROBLEM.search(text)
    if problem is None:
        raise ValueError(f"{name}: found no line 'p KIND VERTICES EDGES'")
    n, edges = int(problem[2]), int(problem[3])
    check_memory(name, 8 * n, length_of(path))
    body = b"\n" * text.count(b"\n", 0, problem.end()) + _SKIPPED.sub(b"%", text[problem.end() :])  # keeps line numbers
    kind = body.lstrip()[:1]
    weighted = kind == b"a"
    first = 0 if kind.isdigit() or not kind else 1
    if first and kind not in (b"a", b"e"):
        raise ValueError(f"{name}: expected lines 'a u v weight' or 'e u v', found {shown(body.lstrip()[:60])}")
    fields = Fields((first, first + 1, first + 2) if weighted else (first, first + 1), real=weighted)
    expected = f"{kind.decode() if first else ''} u v{' weight' if weighted else ''}".strip()
    found = columns([body], name, fields, expected)
    if len(found[0]) != edges:
        raise ValueError(f"{name}: {edges} edges announced, found {len(found[0])}")
    for end in found[:2]:
        if len(end) and not (end.min() >= 1 and end.max() <= n):
            wrong = int(end[np.argmax((end < 1) | (end > n))])
            raise ValueError(f"{name}: {wrong} is not a vertex: they are 1 to {n}")
    weights = whole(found[2]) if weighted else None
    directed = weighted if directed is None else directed
    rows, cols, labels, combined = found[0] - 1, found[1] - 1, range(1, n + 1), combining(duplicates)
    with border(name):
        return Graph._of_edges(rows, cols, weights, labels, directed, None, combined, lambda k: f"edge {k + 1}")


def write_dimacs(path: PathLike, graph: Graph) -> None:
    """Write a graph: arcs with weights in .gr and .sp, edges in .col."""
    name = os.fspath(path)
    arcs = ".col" not in name[-8:]
    if not arcs:
        refuse_weights(graph, name, ".gr")
    rows, cols, values = graph.matrix.to_coo() if arcs else graph.edges()
    values = values.astype(np.int64) if values.dtype == bool else values
    with opened(path, "wt") as file:
        file.write(f"p {'sp' if arcs else 'edge'} {len(graph)} {len(rows)}\n")
        ends = zip((rows + 1).tolist(), (cols + 1).tolist(), values.tolist(), strict=True)
        file.writelines(f"a {u} {v} {w}\n" if arcs else f"e {u} {v}\n" for u, v, w in ends)
