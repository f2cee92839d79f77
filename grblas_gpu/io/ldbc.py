"""Graphs of LDBC Graphalytics: vertices in ``name.v``, edges in ``name.e``, facts in ``name.properties``."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ..dtypes import lookup_dtype
from ..foundation.border import border
from ..foundation.types import DTypeLike, OperatorLike, PathLike
from .graph import Graph
from .label_codes import lookup
from .number_columns import Fields, columns, first_line
from .text_files import compressed_suffix, lines_of, opened, pieces, text_of

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
