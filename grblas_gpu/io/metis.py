"""METIS files: the sizes, then a line for each vertex with its neighbours, counted from 1, and perhaps weights."""

from __future__ import annotations

import os
import re

import numpy as np

from ..api.matrix import Matrix
from ..foundation.border import border, check_memory, length_of, shown
from ..foundation.types import PathLike
from .graph import Graph
from .number_columns import whole
from .text_files import bytes_of, opened

_NOT_NUMBERS = re.compile(rb"[^0-9eE+\-. \t\r\n]")
_COMMENTS = re.compile(rb"^[ \t]*%[^\n]*$", re.MULTILINE)


def read_metis(path: PathLike, directed: bool | None = None) -> Graph:
    """The graph of a METIS file; it is directed if an edge is listed in one direction only. Vertex weights are skipped.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".graph") as file:
    ...     _ = file.write(b"% a path\\n3 2 001\\n2 7\\n1 7 3 9\\n2 9\\n")
    ...     file.flush()
    ...     read_metis(file.name).edges(data=True)
    [(1, 2, 7), (2, 3, 9)]
    """
    name, text = os.fspath(path), bytes_of(path)
    wrong = _NOT_NUMBERS.search(text if b"%" not in text else _COMMENTS.sub(b"", text))
    lines = [line for line in text.split(b"\n") if not line.lstrip().startswith(b"%")]
    if wrong:
        number = next(k for k, line in enumerate(text.split(b"\n"), 1) if wrong[0] in _COMMENTS.sub(b"", line))
        raise ValueError(f"{name}: line {number}: expected numbers, found {shown(wrong[0])}")
    while lines and not lines[0].strip():
        lines.pop(0)
    header = lines[0].split() if lines else []
    if not 2 <= len(header) <= 4 or not all(part.isdigit() for part in header):
        raise ValueError(f"{name}: expected the numbers of vertices and edges, found {shown(b' '.join(header))}")
    n, edges = int(header[0]), int(header[1])
    form = header[2].decode().zfill(3) if len(header) > 2 else "000"
    if len(form) > 3 or set(form) - {"0", "1"}:
        raise ValueError(f"{name}: unknown format {shown(form)} in the line of sizes")
    check_memory(name, 8 * n, length_of(path))
    before = int(form[0]) + (int(header[3]) if len(header) > 3 else 1) * int(form[1])
    while len(lines) > n + 1 and not lines[-1].strip():
        lines.pop()
    if len(lines) - 1 != n:
        raise ValueError(f"{name}: {n} vertices announced, found {len(lines) - 1} lines of neighbours")
    counts = np.fromiter((len(line.split()) for line in lines[1:]), np.int64, n)
    return _graph(name, lines[1:], counts, edges, before, form[2] == "1", directed)


def _graph(
    name: str, lines: list[bytes], counts: np.ndarray, edges: int, before: int, weighted: bool, directed: bool | None
) -> Graph:
    """``before`` numbers of each line, sizes and weights of vertices, come before the neighbours."""
    n, step = len(counts), 1 + weighted
    if (counts < before).any():
        before = 0  # some programs announce weights of vertices, and write none
    short = np.flatnonzero((counts < before) | ((counts - before) % step != 0))
    if len(short):
        raise ValueError(f"{name}: vertex {short[0] + 1}: the line has {counts[short[0]]} numbers")
    with border(name):
        numbers = np.array(b" ".join(lines).split(), np.float64)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    within = np.arange(len(numbers)) - np.repeat(starts, counts) - before
    neighbours = numbers[(within >= 0) & (within % step == 0)]
    rows = np.repeat(np.arange(n), (counts - before) // step)
    wrong = np.flatnonzero((neighbours < 1) | (neighbours > n) | (neighbours != np.floor(neighbours)))
    if len(wrong):
        found = f"vertex {rows[wrong[0]] + 1} has the neighbour {neighbours[wrong[0]]:g}"
        raise ValueError(f"{name}: {found}, but vertices are 1 to {n}")
    weights: np.ndarray | bool = whole(numbers[(within >= 0) & (within % step == 1)]) if weighted else True
    with border(name):
        matrix = Matrix.from_coo(rows, neighbours.astype(np.int64) - 1, weights, nrows=n, ncols=n)
    symmetric = matrix.is_symmetric()
    if directed is False and not symmetric:
        raise ValueError(f"{name}: the graph is not undirected: an edge is listed in one direction only")
    graph = Graph(matrix, directed=not symmetric if directed is None else directed)
    graph._stored_labels = range(1, n + 1)
    if edges not in (graph.number_of_edges(), matrix.nvals):
        raise ValueError(f"{name}: {edges} edges announced, found {graph.number_of_edges()}")
    return graph


def write_metis(path: PathLike, graph: Graph) -> None:
    """Write a graph; values other than True are weights."""
    matrix = graph.matrix
    indptr, cols, values = matrix.to_csr()
    weighted = values.dtype != bool
    parts = [(cols + 1).astype(str)] + ([values.astype(str)] if weighted else [])
    fields = [" ".join(part) for part in zip(*(part.tolist() for part in parts), strict=True)]
    bounds = indptr.tolist()
    with opened(path, "wt") as file:
        file.write(f"{matrix.nrows} {graph.number_of_edges()} {'001' if weighted else '000'}\n")
        file.writelines(" ".join(fields[a:b]) + "\n" for a, b in zip(bounds, bounds[1:], strict=False))
