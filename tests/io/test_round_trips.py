"""Every format there and back with every type of values and odd labels, and by other readers."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from grblas_gpu import Graph, Matrix, Vector, io
from grblas_gpu.dtypes import lookup_dtype
from grblas_gpu.io.formats import FORMATS

pytest.importorskip("pyarrow")
pytest.importorskip("h5py")
pytest.importorskip("zarr")

ROWS, COLS = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4])
TYPES = "BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FP32 FP64 FC32 FC64".split()
LABELS: dict[str, Any] = {
    "numbers": range(5),
    "integers": [7, -3, 2**63 - 1, -(2**63), 5],
    "text": ["ünï \U0001d538", "", 'a "q"', "1", "b,c;\td"],
    "more text": ["with spaces", "None", "x" * 300, "<&>", "'"],
    "numbers as text": ["1", "02", "-0", "1.5", "x"],
}
#: The suffixes whose files have no values, and the labels that formats with labels refuse.
UNWEIGHTED = {".sg", ".col"}
REFUSED = {
    "LDBC": {"text", "more text", "numbers as text"},
    "Pajek": {"text", "more text"},
    ".csv": set(),
    ".tsv": set(),
    "edge list": {"text", "more text"},
}
ARROW = ("Parquet", "Feather")
FILES = [(name, suffix) for name, each in FORMATS.items() if "Graph" in each.stores for suffix in each.suffixes.split()]


def extreme(dtype: str) -> np.ndarray:
    """The limits of a type, and ordinary values."""
    kind = lookup_dtype(dtype).np_type
    if kind.kind == "b":
        return np.array([True, False, True, True])
    if kind.kind in "iu":
        return np.array([np.iinfo(kind).min, np.iinfo(kind).max, 0, 1], kind)
    if kind.kind == "f":
        return np.array([np.finfo(kind).max, np.finfo(kind).smallest_subnormal, 0.1, -1 / 3], kind)
    return np.array([1 + 2j, -0.5j, 0.1, 0], kind)


def refused(name: str, suffix: str, labels: str, dtype: str) -> bool:
    each = FORMATS[name]
    if not each.labels and labels != "numbers":
        return True
    if each.labels and labels in REFUSED.get(suffix, REFUSED.get(name, ())):
        return True
    if suffix in UNWEIGHTED:
        return True  # all types have values other than 1 here
    if dtype.startswith("FC"):
        return each.bits is not None or name in ARROW
    largest = max(map(abs, map(int, extreme(dtype)))) if "INT" in dtype else 0
    if each.bits == 31 and dtype.startswith("FP"):
        return True
    return each.bits is not None and (largest > 2**each.bits or (each.bits == 31 and dtype == "UINT32"))


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name, suffix", FILES)
def test_there_and_back(name: str, suffix: str, labels: str, tmp_path: Path) -> None:
    path = tmp_path / f"g{suffix}"
    for dtype in TYPES:
        values = extreme(dtype)
        graph = Graph.from_numbered_edges(ROWS, COLS, values, LABELS[labels])
        if refused(name, suffix, labels, dtype):
            with pytest.raises((ValueError, TypeError)):
                io.write(path, graph)
            continue
        io.write(path, graph)
        found = io.read(path)
        found = Graph(found) if isinstance(found, Matrix) else found
        first = 1 if name in ("METIS", "DIMACS") else 0  # they count from 1
        pairs = [(LABELS[labels][i] + first if first else LABELS[labels][i]) for i in range(5)]
        edges = {edge[:2]: edge[2] for edge in found.edges(data=True)}
        expected = dict(zip(zip(pairs, pairs[1:], strict=False), values, strict=True))
        ends = {frozenset(edge) for edge in edges} if not found.directed else set(edges)
        assert ends == ({frozenset(edge) for edge in expected} if not found.directed else set(expected)), dtype
        for edge, value in expected.items():
            assert values.dtype.type(edges[edge]) == value, (dtype, edge)
        if FORMATS[name].bits is None and name != "Matrix Market":
            assert found.matrix.dtype.name == dtype


@pytest.mark.parametrize("suffix", [".h5", ".zarr"])
@pytest.mark.parametrize("dtype", TYPES)
def test_vectors(suffix: str, dtype: str, tmp_path: Path) -> None:
    v = Vector.from_coo(COLS, extreme(dtype), size=9)
    io.write(tmp_path / f"v{suffix}", v)
    assert io.read(tmp_path / f"v{suffix}").isequal(v, check_dtype=True)


def parquet(path: Path) -> set:
    import pyarrow.parquet

    return {tuple(row.values()) for row in pyarrow.parquet.read_table(path).to_pylist()}


def feather(path: Path) -> set:
    import pyarrow.feather

    return {tuple(row.values()) for row in pyarrow.feather.read_table(path).to_pylist()}


def hdf5(path: Path) -> set:
    import h5py

    with h5py.File(path) as file:
        parts = (file["values"][:], file["indices_1"][:], file["pointers_to_1"][:])
    return of_sparse(scipy.sparse.csr_array(parts, (5, 5)))


def of_sparse(S: Any) -> set:
    coo = S.tocoo()
    return set(zip(*(part.tolist() for part in (*coo.coords, coo.data)), strict=True))


def table(path: Path) -> set:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {(u, v, float(w)) for u, v, w in rows[1:]}


def of_networkx(G: nx.Graph) -> set:
    return {(u, v, float(data["weight"])) for u, v, data in nx.DiGraph(G).edges(data=True)}


READERS: dict[str, tuple[Callable[[Path], set], str]] = {
    ".mtx": (lambda path: of_sparse(scipy.io.mmread(path)), "numbers"),
    ".npz": (lambda path: of_sparse(scipy.sparse.load_npz(path)), "numbers"),
    ".h5": (hdf5, "numbers"),
    ".parquet": (parquet, "text"),
    ".feather": (feather, "text"),
    ".csv": (table, "text"),
    ".txt": (lambda path: of_networkx(nx.read_weighted_edgelist(path, create_using=nx.DiGraph)), "numbers as text"),
    ".gml": (lambda path: of_networkx(nx.read_gml(path)), "text"),
    ".graphml": (lambda path: of_networkx(nx.read_graphml(path)), "text"),
    ".net": (lambda path: of_networkx(nx.read_pajek(path)), "numbers as text"),
}


@pytest.mark.parametrize("suffix", READERS)
def test_other_readers(suffix: str, tmp_path: Path) -> None:
    read, kind = READERS[suffix]
    labels, weights = LABELS[kind], [2.5, -1.0, 0.1, 1e300]
    graph = Graph.from_numbered_edges(ROWS, COLS, np.array(weights), labels)
    io.write(tmp_path / f"g{suffix}", graph)
    expected = {(labels[k], labels[k + 1], w) for k, w in enumerate(weights)}
    assert read(tmp_path / f"g{suffix}") == expected


@pytest.mark.parametrize("form", ["coo", "csr", "dok"])
def test_sparse_arrays_of_one_dimension(form: str) -> None:
    S = scipy.sparse.coo_array(([2.5, -1.0, 4.0], ([3, 0, 6],)), shape=(9,)).asformat(form)
    v = io.from_scipy_sparse(S)
    assert v.size == 9 and v.to_dict() == {0: -1.0, 3: 2.5, 6: 4.0}
    assert (io.to_scipy_sparse(v).toarray().ravel() == S.toarray()).all()
