"""Text files of graphs.

DIMACS: arcs ``a u v weight`` (.gr, .sp), edges ``e u v`` (.col), and pairs of PACE. METIS: the sizes, then a line for
each vertex with its neighbours, counted from 1, and perhaps weights. LDBC Graphalytics: vertices in ``name.v``, edges
in ``name.e``, facts in ``name.properties``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from ..api.matrix import Matrix
from ..dtypes import lookup_dtype
from ..foundation.border import border, check_memory, length_of, shown
from ..foundation.types import DTypeLike, OperatorLike, PathLike
from .duplicates import combining
from .graph import Graph, refuse_weights
from .label_codes import lookup
from .number_columns import Fields, columns, first_line, whole
from .text_files import bytes_of, compressed_suffix, lines_of, opened, pieces, text_of

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
    return _graph_of_lines(name, lines[1:], counts, edges, before, form[2] == "1", directed)


def _graph_of_lines(
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


PARTS = (".properties", ".v", ".e")


def read_ldbc(
    path: PathLike,
    *,
    directed: bool | None = None,
    weighted: bool | None = None,
    dtype: DTypeLike | None = None,
    duplicates: OperatorLike | None = None,
) -> Graph:
    """A Graph from the files of LDBC Graphalytics; labels are the integers in the vertex file, in its order.

    Parameters
    ----------
    path : str or path
        One of the files ``name.properties``, ``name.v`` and ``name.e``, or their common beginning ``name``. The vertex
        file and the edge file may be compressed (``name.v.gz``).
    directed : bool, optional
        Whether an edge leads one way; by default as the properties say, and True without them.
    weighted : bool, optional
        Whether to read the weights; by default if the first edge has one.
    dtype : dtype, optional
        The type of the weights; FP64 by default.
    duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
        How to combine the weights of an edge that is listed twice; an error by default.

    Raises
    ------
    ValueError
        If a line is malformed, a vertex is listed twice, or an edge has an end that is not listed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from grblas_gpu.io import read_ldbc
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "g.v").write_text("10\\n30\\n20\\n")
    ...     _ = Path(folder, "g.e").write_text("10 30 0.5\\n")
    ...     graph = read_ldbc(f"{folder}/g", directed=False)
    >>> graph.labels, graph.matrix.to_dicts()
    ([10, 30, 20], {0: {1: 0.5}, 1: {0: 0.5}})
    """
    start = _beginning(path)
    stated = _properties(Path(f"{start}.properties"))
    if directed is None:
        directed = stated.get("directed", "true") != "false"
    vertex_file, edge_file = _existing(start, ".v"), _existing(start, ".e")
    (labels,) = columns(pieces(vertex_file), os.fspath(vertex_file), Fields((0,)), "the number of a vertex")
    with border(os.fspath(vertex_file), what="vertex "):
        number_of = lookup(labels)
    fields = len(first_line(next(pieces(edge_file), b"")))
    weighted = fields > 2 if weighted is None else weighted
    layout = Fields((0, 1, 2) if weighted else (0, 1), real=weighted, more=not weighted)
    expected = "source target weight" if weighted else "source target"
    ends = columns(pieces(edge_file), os.fspath(edge_file), layout, expected)
    rows, cols = number_of(ends[0]), number_of(ends[1])
    for numbers, found in ((rows, ends[0]), (cols, ends[1])):
        if len(numbers) and int(numbers.min()) < 0:
            edge = int(np.argmin(numbers))
            raise ValueError(f"{edge_file}: edge {edge + 1}: {found[edge]} is not a vertex of {vertex_file}")
    weights = ends[2].astype(lookup_dtype(dtype or float).np_type, copy=False) if weighted else None
    with border(os.fspath(edge_file)):
        return Graph.from_numbered_edges(rows, cols, weights, labels, directed=directed, duplicates=duplicates)


def write_ldbc(path: PathLike, graph: Graph) -> None:
    """Write the vertices, the edges and the properties of a graph, whose labels must be integers."""
    start = _beginning(path)
    odd = next((label for label in graph.labels if type(label) is not int), None)
    if odd is not None:
        raise ValueError(f"{start}: labels of LDBC are integers; got {odd!r}")
    rows, cols, values = graph.edges()
    ends = [[graph.labels[i] for i in end.tolist()] for end in (rows, cols)]
    weighted = values.dtype != bool
    facts = {"vertex-file": f"{start.name}.v", "edge-file": f"{start.name}.e", "meta.vertices": len(graph)}
    facts |= {"meta.edges": len(rows), "directed": str(graph.directed).lower()}
    facts |= {"edge-properties.names": "weight", "edge-properties.types": "real"} if weighted else {}
    with opened(f"{start}.v", "wt") as file:
        file.writelines(f"{label}\n" for label in graph.labels)
    with opened(f"{start}.e", "wt") as file:
        file.writelines(lines_of([*ends, *([values.tolist()] if weighted else [])]))
    with opened(f"{start}.properties", "wt") as file:
        file.writelines(f"graph.{start.name}.{key} = {value}\n" for key, value in facts.items())


def properties_of(path: PathLike) -> dict[str, str]:
    """The properties of a graph, without the beginning ``graph.name.``; for example the source of each algorithm.

    >>> properties_of("absent")
    {}
    """
    return _properties(Path(f"{_beginning(path)}.properties"))


def _beginning(path: PathLike) -> Path:
    """The common beginning of the names of the files."""
    found = Path(os.fspath(path))
    if compressed_suffix(found):
        found = found.with_suffix("")
    return found.with_suffix("") if found.suffix in PARTS else found


def _existing(start: Path, suffix: str) -> Path:
    whole = start.with_name(start.name + suffix)
    others = (found for found in start.parent.glob(f"{whole.name}.*") if compressed_suffix(found))
    return whole if whole.exists() else next(others, whole)


def _properties(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    lines = (line.partition("=") for line in text_of(path).splitlines() if not line.lstrip().startswith("#"))
    return {key.strip().removeprefix(f"graph.{path.stem}."): value.strip() for key, mark, value in lines if mark}
