"""Binary graphs of other programs: GAPBS (``.sg``, ``.wsg``) and ECL (``.egr``). All are rows of 32-bit neighbours."""

from __future__ import annotations

import os

import numpy as np

from ..api.matrix import Matrix
from ..foundation.border import border
from ..foundation.types import PathLike
from .graph import Graph, refuse_weights
from .replacing import replacing
from .text_files import bytes_of

_MOST = 2**31 - 1


def read_gapbs(path: PathLike) -> Graph:
    """The graph of a ``.sg`` file, or with 32-bit weights of a ``.wsg`` file, as ``converter`` of GAPBS writes them."""
    name, data = os.fspath(path), bytes_of(path)
    weighted = ".wsg" in name[-8:]
    head = np.dtype([("directed", "?"), ("edges", "<i8"), ("nodes", "<i8")])
    if len(data) < head.itemsize:
        raise ValueError(f"{name}: byte {len(data)}: the file ends within its header of {head.itemsize} bytes")
    directed, edges, nodes = np.frombuffer(data, head, 1)[0].item()
    place = head.itemsize
    offsets, place = _part(name, data, place, "<i8", nodes + 1, "offsets of rows")
    found, place = _part(name, data, place, "<i4", edges * (1 + weighted), "neighbours")
    pairs = found.reshape(-1, 1 + weighted)
    return _graph(name, offsets, pairs[:, 0], pairs[:, 1] if weighted else None, directed)


def write_gapbs(path: PathLike, graph: Graph) -> None:
    """Write a ``.sg`` file, or a ``.wsg`` file with weights; a directed graph is written with its transpose."""
    name = os.fspath(path)
    weighted = name.endswith(".wsg")
    if not weighted:
        refuse_weights(graph, name, ".wsg")
    _check_size(name, graph)
    with replacing(path) as unfinished, open(unfinished, "wb") as file:
        file.write(bytes([graph.directed]) + np.array([graph.matrix.nvals, len(graph)], "<i8").tobytes())
        for each in (graph.matrix, graph.matrix.T.new())[: 1 + graph.directed]:
            indptr, cols, values = each.to_csr()
            pairs = np.stack([cols, _whole(name, values)], axis=1) if weighted else cols
            file.write(indptr.astype("<i8").tobytes() + pairs.astype("<i4").tobytes())


def read_ecl(path: PathLike) -> Graph:
    """The graph of an ``.egr`` file, undirected if it is symmetric; weights may follow the neighbours."""
    name, data = os.fspath(path), bytes_of(path)
    sizes, place = _part(name, data, 0, "<i4", 2, "sizes")
    nodes, edges = sizes.tolist()
    offsets, place = _part(name, data, place, "<i4", nodes + 1, "offsets of rows")
    found, place = _part(name, data, place, "<i4", edges, "neighbours")
    weights = _part(name, data, place, "<i4", edges, "weights")[0] if len(data) > place else None
    return _graph(name, offsets.astype(np.int64), found, weights, None)


def write_ecl(path: PathLike, graph: Graph) -> None:
    """Write an ``.egr`` file; values other than True are 32-bit weights."""
    name = os.fspath(path)
    _check_size(name, graph)
    indptr, cols, values = graph.matrix.to_csr()
    parts = [np.array([len(graph), len(cols)]), indptr, cols]
    parts += [] if values.dtype == bool else [_whole(name, values)]
    with replacing(path) as unfinished, open(unfinished, "wb") as file:
        file.writelines(part.astype("<i4").tobytes() for part in parts)


def _part(name: str, data: bytes, place: int, dtype: str, count: int, what: str) -> tuple[np.ndarray, int]:
    end = place + np.dtype(dtype).itemsize * count
    if count < 0 or end > len(data):
        raise ValueError(f"{name}: byte {place}: expected {count} {what}, but the file has {len(data)} bytes")
    return np.frombuffer(data, dtype, count, place), end


def _graph(
    name: str, offsets: np.ndarray, cols: np.ndarray, weights: np.ndarray | None, directed: bool | None
) -> Graph:
    n = len(offsets) - 1
    if offsets[0] != 0 or offsets[-1] != len(cols) or (np.diff(offsets) < 0).any():
        raise ValueError(f"{name}: the offsets of rows do not ascend from 0 to {len(cols)}")
    if len(cols) and not (cols.min() >= 0 and cols.max() < n):
        raise ValueError(f"{name}: a neighbour is not a vertex: they are 0 to {n - 1}")
    rows = np.repeat(np.arange(n), np.diff(offsets))
    with border(name):
        matrix = Matrix.from_coo(rows, cols.astype(np.int64), True if weights is None else weights, nrows=n, ncols=n)
        return Graph(matrix, directed=not matrix.is_symmetric() if directed is None else directed)


def _check_size(name: str, graph: Graph) -> None:
    if max(len(graph), graph.matrix.nvals) > _MOST:
        raise ValueError(f"{name}: the format stores 32-bit numbers; the graph has {graph.matrix.nvals} entries")


def _whole(name: str, values: np.ndarray) -> np.ndarray:
    if not ((values == np.floor(values)) & (values >= -_MOST - 1) & (values <= _MOST)).all():
        raise ValueError(f"{name}: the format stores weights as 32-bit integers; these are {values.dtype.name}")
    return values.astype(np.int64)
