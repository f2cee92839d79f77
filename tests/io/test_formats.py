"""Every format there and back, beside independent readers, on samples of other programs, and with damaged files."""

import gzip
import json
import random
import re
import shutil
import struct
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from grblas_gpu import Graph, Matrix, Vector, io
from grblas_gpu.io.formats import FORMATS, SUFFIXES, format_of

SAMPLES = Path(__file__).parents[1] / "data" / "formats"
GRAPHS = [name for name, each in FORMATS.items() if "Graph" in each.stores]
pytest.importorskip("pyarrow")
pytest.importorskip("h5py")
pytest.importorskip("zarr")


def suffixes(name: str) -> list[str]:
    return FORMATS[name].suffixes.split()


def some_graph(directed: bool, weighted: bool, labels: list | None = None) -> Graph:
    G = nx.gnm_random_graph(12, 30, seed=4, directed=directed)
    G.remove_nodes_from([node for node, degree in dict(G.degree()).items() if not degree])
    G = nx.convert_node_labels_to_integers(G)
    edges = [(u, v, (3 * u + 5 * v) % 17 + 1) if weighted else (u, v) for u, v in G.edges]
    if labels is not None:
        edges = [(labels[u], labels[v], *rest) for u, v, *rest in edges]
    return Graph.from_edges(edges, nodes=range(len(G)) if labels is None else labels[: len(G)], directed=directed)


def as_set(graph: Graph) -> set:
    """The edges, in an order of their own if they are not directed."""
    ends = tuple if graph.directed else frozenset
    return {(ends((u, v)), w) for u, v, w in graph.edges(data=True)}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_there_and_back(name: str, directed: bool, weighted: bool, tmp_path: Path) -> None:
    graph = some_graph(directed, weighted)
    for suffix in suffixes(name):
        if suffix in (".sg", ".col") and weighted:
            continue
        weighted_anyway = suffix in (".wsg", ".gr", ".sp", ".dimacs")
        path = tmp_path / f"g{suffix}"
        io.write(path, graph)
        assert format_of(path) == name
        options = {"directed": directed} if "directed" in FORMATS[name].options.split() else {}
        if name == "DIMACS" and suffix != ".col":
            options = {}
        found = io.read(path, **options)
        if isinstance(found, Matrix):
            assert found.isequal(graph.matrix)
            continue
        numbers = {label: k for k, label in enumerate(sorted(found.labels, key=int))}
        if name == "DIMACS" and suffix != ".col" and not directed:  # arcs in both directions
            found = Graph(found.matrix, found.labels, directed=False)
        renamed = Graph(found.matrix, [numbers[label] for label in found.labels], directed=found.directed)
        expected = as_set(graph)
        if not weighted and (weighted_anyway or name in ("GML", "GraphML", "Pajek")):
            expected = {(ends, 1) for ends, _ in expected}
        assert renamed.directed == directed and as_set(renamed) == expected, suffix


@pytest.mark.parametrize("pack", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.compressed and name not in ("LDBC",)])
def test_compressed(name: str, pack: str, tmp_path: Path) -> None:
    if pack == ".zst":
        pytest.importorskip("zstandard")
    if name in ("GAPBS", "ECL"):
        plain = tmp_path / f"g{suffixes(name)[0]}"
        io.write(plain, some_graph(False, False))
        path = tmp_path / f"{plain.name}.gz"
        path.write_bytes(gzip.compress(plain.read_bytes()))
    else:
        path = tmp_path / f"g{suffixes(name)[0]}{pack}"
        io.write(path, some_graph(False, False))
    found = io.read(path)
    entries = (found if isinstance(found, Matrix) else found.matrix).nvals
    assert entries == (30 if name == "edge list" else 60)
    damaged = path.read_bytes()[:-9]
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=path.name):
        io.read(path)


def test_binsparse_protocol() -> None:
    A = Matrix.from_coo([0, 1, 2], [1, 0, 2], [1.5, 2.5, 3.5], nrows=4, ncols=3)
    described, arrays = A.__binsparse_descriptor__()["binsparse"], A.__binsparse__()
    assert (described["version"], described["format"], described["shape"]) == ("0.1", "CSR", [4, 3])
    parts = (arrays["values"], arrays["indices_1"], arrays["pointers_to_1"])
    assert (scipy.sparse.csr_array(parts, (4, 3)).toarray() == A.to_dense(0)).all()
    v = Vector.from_coo([1, 3], [True, False], size=5)
    assert io.from_binsparse(A).isequal(A, check_dtype=True) and io.from_binsparse(v).isequal(v, check_dtype=True)
    with pytest.raises(TypeError, match="got numpy ndarray"):
        io.from_binsparse(np.eye(2))


def test_binsparse_files_are_those_of_the_specification(tmp_path: Path) -> None:
    """Files written by hand, in every predefined format."""
    import h5py

    S = scipy.sparse.random(5, 7, 0.4, random_state=1, format="csr")
    C, coo = S.tocsc(), S.tocoo()
    byc = C.tocoo()
    filled = np.flatnonzero(np.diff(S.indptr))
    forms = {
        "CSR": {"pointers_to_1": S.indptr, "indices_1": S.indices, "values": S.data},
        "CSC": {"pointers_to_1": C.indptr, "indices_1": C.indices, "values": C.data},
        "COO": {"indices_0": coo.row, "indices_1": coo.col, "values": coo.data},
        "COOC": {"indices_0": byc.col, "indices_1": byc.row, "values": byc.data},
        "DCSR": {"indices_0": filled, "pointers_to_1": np.unique(S.indptr), "indices_1": S.indices, "values": S.data},
        "DMATR": {"values": S.toarray().ravel()},
        "DMATC": {"values": S.toarray().T.ravel()},
    }
    for form, arrays in forms.items():
        path = tmp_path / f"{form}.h5"
        types = {name: array.dtype.name for name, array in arrays.items()}
        described = {"version": "0.1", "format": form, "shape": [5, 7], "number_of_stored_values": S.nnz}
        with h5py.File(path, "w") as file:
            file.attrs["binsparse"] = json.dumps({"binsparse": described | {"data_types": types}})
            for name, array in arrays.items():
                file[name] = array
        assert (io.read(path).to_dense(0.0) == S.toarray()).all(), form
    half = scipy.sparse.tril(scipy.sparse.random(4, 4, 0.6, random_state=2)).tocsr()
    with h5py.File(tmp_path / "half.h5", "w") as file:
        types = {"pointers_to_1": "int32", "indices_1": "int32", "values": "float64"}
        described = {"version": "0.1", "format": "CSR", "shape": [4, 4], "structure": "symmetric_lower"}
        file.attrs["binsparse"] = json.dumps({"binsparse": described | {"data_types": types}})
        file["pointers_to_1"], file["indices_1"], file["values"] = half.indptr, half.indices, half.data
    whole = half.toarray() + np.tril(half.toarray(), -1).T
    assert (io.read(tmp_path / "half.h5").to_dense(0.0) == whole).all()


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*")), ids=lambda path: path.name)
def test_samples_of_other_programs(path: Path) -> None:
    nodes, edges, directed = json.loads((SAMPLES.parent / "formats.json").read_text())[path.name]
    graph = io.read(path, **({"duplicates": "min"} if path.name == "4.gr" else {}))
    assert (len(graph), graph.number_of_edges(), graph.directed) == (nodes, edges, directed)


def test_binary_layouts(tmp_path: Path) -> None:
    """Bytes as the other programs write them."""
    (tmp_path / "a.sg").write_bytes(struct.pack("<?qq4q2i4q2i", True, 2, 3, 0, 2, 2, 2, 1, 2, 0, 0, 1, 2, 0, 0))
    assert io.read(tmp_path / "a.sg").edges(data=False) == [(0, 1), (0, 2)]
    (tmp_path / "a.wsg").write_bytes(struct.pack("<?qq3q4i", False, 2, 2, 0, 1, 2, 1, 7, 0, 7))
    assert io.read(tmp_path / "a.wsg").edges(data=True) == [(0, 1, 7)]
    (tmp_path / "a.egr").write_bytes(struct.pack("<2i3i2i2i", 2, 2, 0, 1, 2, 1, 0, 5, 6))
    assert io.read(tmp_path / "a.egr").edges(data=True) == [(0, 1, 5), (1, 0, 6)]


def test_snap_and_konect_say_whether_edges_are_directed(tmp_path: Path) -> None:
    (tmp_path / "roads.txt").write_text("# Undirected graph: roads.txt\n# FromNodeId\tToNodeId\n10\t20\n20\t30\n")
    graph = io.read(tmp_path / "roads.txt")
    assert not graph.directed and graph.edges(data=False) == [(10, 20), (20, 30)]
    (tmp_path / "out.a").write_text("% sym weighted\n% 2 3 3\n1 2 5 1234567\n2 3 6 1234568\n")
    graph = io.read(tmp_path / "out.a")
    assert not graph.directed and graph.edges(data=True) == [(1, 2, 5), (2, 3, 6)]
    (tmp_path / "out.b").write_text("% bip unweighted\n1 1\n")
    with pytest.raises(ValueError, match=r"out\.b: a bipartite graph"):
        io.read(tmp_path / "out.b")


def test_labels_are_integers_or_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("source,target\n30,10\n10,x\n")
    assert io.read(tmp_path / "a.csv").edges(data=False) == [("30", "10"), ("10", "x")]
    (tmp_path / "b.csv").write_text("id,src,dst,weight\n1,30,10,2.5\n2,10,30,1e3\n")
    assert io.read(tmp_path / "b.csv").edges(data=True) == [(10, 30, 1000.0), (30, 10, 2.5)]
    assert io.read(tmp_path / "b.csv", columns=("dst", "id")).edges(data=False) == [(10, 1), (30, 2)]
    (tmp_path / "c.txt").write_text("1 2 5\n2 3 6\n1 2 7\n")
    with pytest.raises(ValueError, match=r"c\.txt: Duplicate edge from 1 to 2: 5.0 \(line 1\) and 7.0 \(line 3\)"):
        io.read(tmp_path / "c.txt")
    assert io.read(tmp_path / "c.txt", duplicates="sum").edges(data=True)[0] == (1, 2, 12)


def test_refusals(tmp_path: Path) -> None:
    graph = Graph.from_edges([("ann", "bob")])
    for suffix in (".mtx", ".graph", ".gr", ".sg", ".egr", ".h5", ".npz"):
        with pytest.raises(ValueError, match="no place for labels"):
            io.write(tmp_path / f"g{suffix}", graph)
    with pytest.raises(ValueError, match=r"unknown suffix '\.xlsx'"):
        io.write(tmp_path / "g.xlsx", graph)
    with pytest.raises(TypeError, match="METIS stores Graph; got Vector"):
        io.write(tmp_path / "g.graph", Vector(int, 3))
    with pytest.raises(ValueError, match="did you mean METIS"):
        io.read(tmp_path / "g", "METI")
    with pytest.raises(ValueError, match="nodes without edges"):
        io.write(tmp_path / "g.txt", Graph(Matrix(bool, 3, 3)))
    (tmp_path / "g.graph").write_text("2 1\n2\n1\n")
    with pytest.raises(TypeError, match="METIS has no option 'dtype'"):
        io.read(tmp_path / "g.graph", dtype=float)
    with pytest.raises(FileNotFoundError):
        io.read(tmp_path / "absent.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.graph"]


MALFORMED = {
    "a.graph": [
        "",
        "x",
        "2",
        "3 1\n2\n",
        "2 1\n3\n1\n",
        "2 1 001\n2\n1\n",
        "1 0\n\n1\n2\n",
        "2 1\n2.5\n1\n",
        "999999999999 1\n",
    ],
    "a.gr": [
        "p sp 3 1\na 1 2\n",
        "p sp 3 2\na 1 2 3\n",
        "p sp 3 1\na 1 4 3\n",
        "p sp 3 1\nz 1 2\n",
        "p sp x 1\na 1 2 3\n",
    ],
    "a.gml": ["graph [", "x"],
    "a.graphml": ["<graphml><graph>", "<graphml/>x"],
    "a.net": ["*Vertices x\n", "*Vertices 2\n1\n*Edges\n1 9 x\n"],
    "a.sg": ["", "x" * 16, "x" * 40],
    "a.egr": ["", "x" * 7, "x" * 40],
    "a.h5": ["", "x" * 40, "\x89HDF\r\n\x1a\n" + "x" * 90],
    "a.parquet": ["", "PAR1", "PAR1xxxxPAR1"],
    "a.feather": ["", "ARROW1"],
    "a.csv": ["1,2\n3\n", "a,b,x\nc,d,y\n"],
}


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name, other", [("g.sg", ".wsg"), ("g.col", ".gr"), ("g.col.gz", ".gr")])
def test_formats_without_weights_refuse_them(name: str, other: str, directed: bool, tmp_path: Path) -> None:
    graph = some_graph(directed, True)
    for dtype in ("INT32", "FP64"):
        weighted = Graph(graph.matrix.dup(dtype), directed=directed)
        with pytest.raises(ValueError, match=rf"{re.escape(name)}: .*no weights.* {dtype}; write {other}, or"):
            io.write(tmp_path / name, weighted)
    with pytest.raises(ValueError, match="no weights"):
        io.write(tmp_path / name, Graph.from_edges([(0, 1, True), (1, 2, False)]))
    assert not (tmp_path / name).exists()
    for ones in (graph.matrix.pattern(), graph.matrix.pattern().dup("FP32")):
        io.write(tmp_path / name, Graph(ones, directed=directed))
        found = io.read(tmp_path / name, **({"directed": directed} if "col" in name else {}))
        first = found.labels[0]
        expected = {(u + first, v + first) for u, v in graph.edges(data=False)}
        assert {(u, v) for u, v in found.edges(data=False)} == expected and found.matrix.dtype == bool


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_named(name: str, tmp_path: Path) -> None:
    for text in MALFORMED[name]:
        (tmp_path / name).write_bytes(text.encode("latin-1"))
        with pytest.raises(ValueError, match=name.replace(".", r"\.")):
            io.read(tmp_path / name)


@pytest.mark.parametrize(
    "name", [name for name in GRAPHS if name not in ("LDBC", "grb", "NPZ", "Matrix Market", "binsparse, Zarr")]
)
def test_damaged_files_raise_value_errors(name: str, tmp_path: Path) -> None:
    """Bytes that change at random: a reader returns an object or raises ValueError with the name of the file."""
    chance = random.Random(name)
    for suffix in suffixes(name)[:2]:
        path = tmp_path / f"g{suffix}"
        io.write(path, some_graph(False, suffix not in (".sg", ".col")))
        whole = path.read_bytes()
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(chance.randint(1, 4)):
                place = chance.randrange(len(data))
                data[place : place + chance.randint(0, 2)] = bytes(
                    chance.choices(b'0 9-x\n.\xff\0,"', k=chance.randint(0, 2))
                )
                data = data or bytearray(b"x")
            path.write_bytes(data)
            try:
                io.read(path, name)
            except ValueError as error:
                assert path.name in str(error)


def test_files_of_networkx(tmp_path: Path) -> None:
    """Its writers and our readers, and the other way round."""
    G = nx.les_miserables_graph()
    nx.write_gml(G, tmp_path / "g.gml")
    nx.write_graphml(G, tmp_path / "g.graphml")
    nx.write_pajek(G, tmp_path / "g.net")
    for name in ("g.gml", "g.graphml", "g.net"):
        assert as_set(io.read(tmp_path / name)) == as_set(Graph.from_networkx(G))


def test_an_older_group_of_zarr_is_replaced(tmp_path: Path) -> None:
    for size in (3, 5):
        io.write(tmp_path / "a.zarr", Matrix.from_coo([0], [1], [2], nrows=size, ncols=size))
        assert io.read(tmp_path / "a.zarr").nrows == size
    shutil.rmtree(tmp_path / "a.zarr" / "values")
    with pytest.raises(ValueError, match=r"a\.zarr: not a binsparse"):
        io.read(tmp_path / "a.zarr")


def test_the_table_is_complete() -> None:
    assert set(io.formats()) == set(FORMATS) and len(SUFFIXES) == sum(len(suffixes(name)) for name in FORMATS)
