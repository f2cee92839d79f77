"""Conversions from and to other libraries, and files; what is malformed gives an error that says where."""

import gzip
import io as streams
import json
import os
import re
import tarfile
import tracemalloc
import zlib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sparse
from exchanged import Exchanged

import grblas_gpu as gb
from grblas_gpu import Graph, Matrix, Scalar, Vector, binary, generators, io, semiring
from grblas_gpu.exceptions import DimensionMismatch, InvalidValue

DTYPES = ["BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "FP32", "FP64", "FC64"]
FORMATS = ["bsr", "csr", "csc", "coo", "lil", "dia", "dok"]


@pytest.fixture
def A(backend: str) -> Matrix:
    """Not symmetric, with an empty row, an empty column, a loop and a stored zero."""
    return Matrix.from_coo([0, 0, 1, 3, 3], [1, 3, 1, 0, 4], [5.0, 0.0, 7.5, -2.0, 1e300], nrows=4, ncols=6)


class TestSciPy:
    @pytest.mark.parametrize("format", FORMATS)
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_there_and_back(self, backend: str, format: str, dtype: str) -> None:
        B = Matrix.from_coo([0, 0, 2], [1, 2, 0], [1, 3, 1], dtype, nrows=3, ncols=4)
        there = io.to_scipy_sparse(B, format)
        assert there.format == format
        assert there.shape == (3, 4)
        np.testing.assert_array_equal(there.toarray(), B.to_dense(0))
        assert io.from_scipy_sparse(there).isequal(B, check_dtype=True)

    @pytest.mark.parametrize("format", ["csr", "csc", "coo"])
    def test_stored_zeros_stay(self, A: Matrix, format: str) -> None:
        assert io.from_scipy_sparse(io.to_scipy_sparse(A, format)).isequal(A, check_dtype=True)
        assert io.from_scipy_sparse(io.to_scipy_sparse(A.T, format)).isequal(A.T.new(), check_dtype=True)
        assert io.from_scipy_sparse(sparse.csr_matrix(A.to_dense(0))).nvals == 4

    @pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array])
    def test_unsorted_and_repeated(self, backend: str, make) -> None:
        unsorted = make(([1, 2, 3], [2, 0, 1], [0, 2, 3, 3]), shape=(3, 3))
        assert io.from_scipy_sparse(unsorted).isequal(Matrix.from_dense(unsorted.toarray(), missing_value=0))
        repeated = make(([1, 2, 3], [1, 1, 0], [0, 2, 3, 3]), shape=(3, 3))
        with pytest.raises(InvalidValue, match="repeat"):
            io.from_scipy_sparse(repeated)
        summed = io.from_scipy_sparse(repeated, dup_op=binary.plus)
        np.testing.assert_array_equal(summed.to_dense(0), repeated.toarray())

    def test_arrays_longer_than_what_is_used(self, backend: str) -> None:
        loose = sparse.csr_array(([1, 2, 9, 9], [0, 1, 9, 9], [0, 1, 2]), shape=(2, 2))
        assert io.from_scipy_sparse(loose).to_dicts() == {0: {0: 1}, 1: {1: 2}}

    def test_one_value_is_stored_once(self, backend: str) -> None:
        B = io.from_scipy_sparse(sparse.csr_array(np.ones((3, 3))))
        assert len(B.device_arrays()["values"]) == 1
        assert io.to_scipy_sparse(B).sum() == 9

    def test_copies(self) -> None:
        with gb.using("cpu"):
            there = sparse.csr_array(np.arange(12.0).reshape(3, 4))
            copied, shared = io.from_scipy_sparse(there), io.from_scipy_sparse(there, copy=False)
            there.data[0] = 100.0
            assert (copied[0, 1].new().value, shared[0, 1].new().value) == (1.0, 100.0)
            back = io.to_scipy_sparse(shared, copy=False)
            assert np.shares_memory(back.data, there.data)
            assert np.shares_memory(back.indices, there.indices)
            assert not np.shares_memory(io.to_scipy_sparse(shared).data, there.data)
            there.data.flags.writeable = False
            kept = io.from_scipy_sparse(there, copy=False)
            kept[0, 1] << 5.0
            assert there.data[0] == 100.0

    def test_gaps_are_closed_when_shared(self, backend: str) -> None:
        there = sparse.csr_array(np.arange(12.0).reshape(3, 4))
        spaced = np.repeat(there.data, 2)[::2]
        there.data = spaced
        shared = io.from_scipy_sparse(there, copy=False)
        product = gb.semiring.plus_times(shared @ Vector.from_scalar(1.0, 4)).new()
        np.testing.assert_array_equal(product.to_dense(), there.sum(axis=1))

    def test_empty(self, backend: str) -> None:
        for shape in [(0, 0), (0, 3), (3, 0), (2, 3)]:
            for format in ("csr", "csc", "coo"):
                empty = io.from_scipy_sparse(sparse.coo_array(shape, dtype=np.int8).asformat(format))
                assert (empty.shape, empty.nvals, empty.dtype) == (shape, 0, gb.INT8)
                assert io.to_scipy_sparse(empty, format).shape == shape

    def test_not_sparse(self) -> None:
        for thing in (np.eye(3), None, "csr"):
            with pytest.raises(TypeError, match="sparse"):
                io.from_scipy_sparse(thing)
        with pytest.raises(TypeError):
            io.to_scipy_sparse(np.eye(3))
        with pytest.raises(ValueError, match="Unknown dtype"):
            io.from_scipy_sparse(sparse.csr_array(np.eye(2, dtype=np.longdouble)))


def on_host(array) -> np.ndarray:
    """Arrays stay where the object is: those of a device have to be fetched."""
    return array.get() if hasattr(array, "get") else array


class TestArrays:
    def test_numpy(self, backend: str) -> None:
        dense = np.array([[0, 1], [2, 3]])
        assert io.from_array(dense).nvals == 4
        assert io.from_array(dense, missing_value=0).nvals == 3
        np.testing.assert_array_equal(on_host(io.to_array(io.from_array(dense, 0), 0)), dense)
        np.testing.assert_array_equal(on_host(io.to_array(io.from_array(dense, 0).T, 0)), dense.T)
        np.testing.assert_array_equal(on_host(io.to_array(Vector.from_scalar(2.5, 3))), [2.5, 2.5, 2.5])

    def test_dlpack_alone(self, backend: str) -> None:
        assert io.from_array(Exchanged(np.array([1.5, 2.5]))).to_dict() == {0: 1.5, 1: 2.5}
        assert np.from_dlpack(on_host(io.to_array(Vector.from_dense([1, 2])))).tolist() == [1, 2]

    @pytest.mark.backends("numpy", "cpu", "compiled")  # those on a device: tests/cuda/test_interop.py
    @pytest.mark.parametrize("dtype", ["INT8", "UINT64", "FP32", "FP64", "FC64"])
    def test_full_objects_are_exchanged(self, backend: str, dtype: str) -> None:
        for x in (Vector.from_dense([3, 1, 2], dtype=dtype), Matrix.from_dense([[1, 2, 3], [4, 5, 6]], dtype=dtype)):
            there = np.from_dlpack(x)
            assert there.dtype == x.dtype.np_type
            np.testing.assert_array_equal(there, x.to_dense())
            assert np.shares_memory(there, x.device_arrays()["values"])
        same = Vector.from_scalar(2.5, 3)  # stored once, so that there is no memory to share
        np.testing.assert_array_equal(np.from_dlpack(same), [2.5] * 3)
        sparse_inside = Vector.from_coo([0, 1, 2], [4, 5, 6])
        np.testing.assert_array_equal(np.from_dlpack(sparse_inside), [4, 5, 6])

    def test_objects_with_gaps_are_not_exchanged(self, backend: str) -> None:
        for x in (Vector.from_coo([0], [1.0], size=3, name="v"), Matrix(float, 2, 2, name="A")):
            for ask in (x.__dlpack__, x.__dlpack_device__):
                with pytest.raises(BufferError, match=rf"{x.name} has {x.nvals} entries at . positions.*to_array"):
                    ask()
        with pytest.raises(TypeError, match="converted to a numpy array"):
            io.from_array(Vector.from_dense([1, 2]))  # an object is no array, although it offers DLPack

    def test_errors(self) -> None:
        with pytest.raises(ValueError, match="dimensions; got 3"):
            io.from_array(np.zeros((2, 2, 2)))
        with pytest.raises(TypeError, match="fill_value"):
            io.to_array(Vector(int, 3))


class TestTorch:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    @pytest.mark.parametrize("layout", ["sparse_csr", "sparse_csc", "sparse_coo", "sparse_bsr"])
    def test_sparse(self, backend: str, torch, layout: str) -> None:
        dense = torch.tensor([[0.0, 1.5, 0, 0], [2.5, 0, 0, 4.0]])
        options = {"blocksize": (1, 2)} if layout == "sparse_bsr" else {}
        there = dense.to_sparse(layout=getattr(torch, layout), **options)
        B = io.from_torch(there)
        np.testing.assert_array_equal(B.to_dense(0), dense.numpy())
        for back in ("csr", "coo"):
            assert torch.equal(io.to_torch(B, back).to_dense().cpu(), dense)

    def test_others(self, backend: str, torch) -> None:
        assert io.from_torch(torch.arange(3.0, requires_grad=True)).to_dict() == {0: 0.0, 1: 1.0, 2: 2.0}
        repeated = torch.sparse_coo_tensor([[1, 1]], [2, 3], (4,))
        assert io.from_torch(repeated).to_dict() == {1: 5}
        assert io.to_torch(Vector.from_coo([3, 1], [4, 5], size=5)).to_dense().tolist() == [0, 5, 0, 4, 0]
        iso = Matrix.from_coo([0, 1], [1, 0], True)
        assert io.to_torch(iso).to_dense().tolist() == [[False, True], [True, False]]
        assert io.to_torch(iso.T, "coo").to_dense().tolist() == [[False, True], [True, False]]
        assert io.to_torch(Matrix(float, 2, 3)).to_dense().tolist() == [[0, 0, 0], [0, 0, 0]]
        with pytest.raises(ValueError, match="layout"):
            io.to_torch(iso, "bsr")

    def test_dense_is_shared(self, backend: str, torch) -> None:
        tensor = torch.arange(6.0, device="cuda" if backend == "cuda" else "cpu").reshape(2, 3)
        A = io.from_torch(tensor, copy=False)
        assert A.ss.format == "fullr"
        assert io.to_torch(A, "strided", copy=False).data_ptr() == tensor.data_ptr()
        other = io.to_torch(A, "strided")
        assert other.data_ptr() != tensor.data_ptr() and torch.equal(other, tensor)
        assert torch.equal(io.to_torch(A).to_dense(), tensor)  # through compressed rows

    def test_not_a_tensor(self) -> None:
        with pytest.raises(TypeError, match="PyTorch"):
            io.from_torch(np.eye(2))


class TestPythonGraphblas:
    @pytest.fixture(autouse=True)
    def graphblas(self):
        return pytest.importorskip("graphblas")

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_there_and_back(self, backend: str, dtype: str, graphblas) -> None:
        B = Matrix.from_coo([0, 0, 2], [1, 2, 0], [1, 3, 1], dtype, nrows=3, ncols=4, name="B")
        there = io.to_graphblas(B)
        assert isinstance(there, graphblas.Matrix)
        expected = graphblas.Matrix.from_coo([0, 0, 2], [1, 2, 0], [1, 3, 1], dtype, nrows=3, ncols=4)
        assert there.isequal(expected, check_dtype=True)
        assert io.from_graphblas(there).isequal(B, check_dtype=True)
        assert io.from_graphblas(there).name == "B"
        v = Vector.from_coo([0, 2], [1, 3], dtype, size=5)
        assert io.from_graphblas(io.to_graphblas(v)).isequal(v, check_dtype=True)

    def test_other_objects(self, A: Matrix, graphblas) -> None:
        there = io.to_graphblas(A)
        assert io.from_graphblas(there.T).isequal(A.T.new())
        assert io.from_graphblas(there.reduce_rowwise()).isequal(A.reduce_rowwise().new())
        assert io.to_graphblas(A.T).isequal(there.T.new())
        for value in (5, None):
            scalar = Scalar.from_value(value, "INT64")
            assert io.from_graphblas(io.to_graphblas(scalar)).value == value
        for empty in (Matrix("INT8", 3, 0), Vector("UINT16", 4), Matrix("FP32", 2, 2)):
            assert io.from_graphblas(io.to_graphblas(empty)).isequal(empty, check_dtype=True)
        iso = graphblas.Matrix.from_coo([0, 1], [1, 0], True)
        assert len(io.from_graphblas(iso).device_arrays()["values"]) == 1

    def test_not_theirs(self) -> None:
        with pytest.raises(TypeError, match="python-graphblas"):
            io.from_graphblas(Matrix(int, 2, 2))


class TestNetworkX:
    @pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
    @pytest.mark.parametrize("weight", [None, "weight", "km"])
    def test_as_networkx_itself(self, backend: str, kind, weight: str | None) -> None:
        G = kind()
        G.add_nodes_from("edcba")
        G.add_edges_from([("a", "b"), ("c", "c"), ("b", "a"), ("d", "c"), ("a", "b")], weight=2, km=0.5)
        G.add_edge("e", "a")  # without attributes
        for nodes in (None, ["a", "b", "c"], ["c", "e", "d", "a", "b"]):
            expected = nx.to_scipy_sparse_array(G, nodelist=nodes, weight=weight)
            found = io.from_networkx(G, nodes, weight=weight)
            np.testing.assert_array_equal(found.to_dense(0), expected.toarray())
            assert found.nvals == expected.nnz
            assert found.dtype.np_type == expected.dtype

    def test_labels_stay(self, backend: str) -> None:
        for kind in (nx.Graph, nx.DiGraph):
            G = kind([(("a", 1), 7, {"weight": 3}), (7, "x", {"weight": 4})])
            G.add_node(2.5)  # labels that have no order
            graph = Graph.from_networkx(G)
            assert graph.labels == list(G)
            back = graph.to_networkx()
            assert nx.utils.graphs_equal(back, G)
            assert type(back) is kind
            assert graph.to_dict(graph.to_vector({7: 1, 2.5: 2})) == {7: 1, 2.5: 2}

    def test_back(self, backend: str) -> None:
        G = io.to_networkx(Matrix.from_coo([0, 2], [2, 1], [5, 6], nrows=5, ncols=5))
        assert list(G) == [0, 1, 2, 3, 4]
        assert list(G.edges(data=True)) == [(0, 2, {"weight": 5}), (2, 1, {"weight": 6})]
        symmetric = generators.path(3)
        assert nx.utils.graphs_equal(io.to_networkx(symmetric, None, create_using=nx.Graph), nx.path_graph(3))
        with pytest.raises(DimensionMismatch, match="square"):
            io.to_networkx(Matrix(int, 2, 3))

    def test_types(self, backend: str) -> None:
        G = nx.DiGraph([(0, 1)])
        assert io.from_networkx(G, dtype="INT8").dtype == gb.INT8
        G[0][1]["weight"] = True
        assert io.from_networkx(G).dtype == gb.BOOL
        G[0][1]["weight"] = float("nan")
        assert np.isnan(io.from_networkx(G)[0, 1].new().value)
        assert Graph.from_networkx(nx.Graph()).matrix.shape == (0, 0)

    def test_errors(self) -> None:
        G = nx.Graph([("a", "b", {"weight": None}), ("b", "c", {"weight": 2})])
        with pytest.raises(ValueError, match=r"edge \('a', 'b'\) is no number: None"):
            io.from_networkx(G)
        with pytest.raises(ValueError, match=r"is no number: 'far'"):
            io.from_networkx(nx.MultiGraph([("a", "b", {"weight": "far"}), ("a", "b", {"weight": 2})]))
        with pytest.raises(nx.NetworkXError, match="duplicates"):
            io.from_networkx(G, ["a", "a"])
        with pytest.raises(nx.NetworkXError, match="'z'"):
            io.from_networkx(G, ["a", "z"])
        with pytest.raises(nx.NetworkXError):
            io.from_networkx(nx.Graph())


class TestGraph:
    def test_parts_must_fit(self) -> None:
        A = Matrix.from_coo([0, 1], [1, 2], True, nrows=3, ncols=3)
        with pytest.raises(DimensionMismatch, match="2 labels for 3 nodes"):
            Graph(A, "ab")
        with pytest.raises(InvalidValue, match="two nodes have the label 'a'"):
            Graph(A, "aba")
        with pytest.raises(InvalidValue, match="symmetric"):
            Graph(A, "abc", directed=False)
        with pytest.raises(DimensionMismatch, match="square"):
            Graph(Matrix(int, 2, 3))
        with pytest.raises(TypeError, match="unhashable"):
            Graph(A, [[], [], []])
        graph = Graph(A, "abc")
        with pytest.raises(KeyError, match="'z'"):
            graph.index("z")
        with pytest.raises(DimensionMismatch, match="size 2"):
            graph.to_dict(Vector(int, 2))
        assert ("a" in graph, "z" in graph, len(graph)) == (True, False, 3)
        assert repr(graph) == "Graph(directed, 3 nodes, 2 entries, BOOL)"

    def test_from_edges(self, backend: str) -> None:
        graph = Graph.from_edges([("b", "a"), ("a", "c"), ("a", "b")], nodes="abz", directed=False)
        assert graph.labels == ["a", "b", "z", "c"]
        assert graph.matrix.isequal(graph.matrix.T.new())
        assert graph.matrix.nvals == 4
        loop = Graph.from_edges([("a", "a", 5), ("a", "b", 6)], directed=False)
        assert loop.matrix.to_dicts() == {0: {0: 5, 1: 6}, 1: {0: 6}}
        with pytest.raises(ValueError, match="Duplicate"):
            Graph.from_edges([("a", "b", 5), ("b", "a", 6)], directed=False)
        both = Graph.from_edges([("a", "b", 5), ("b", "a", 6)], directed=False, dup_op=binary.max)
        assert both.matrix.to_dicts()[0] == {1: 6}
        assert len(Graph.from_edges([])) == 0
        with pytest.raises(ValueError, match=r"an edge is \(source, target\) or"):
            Graph.from_edges([("a", "b", 5, 6)])


class TestPandas:
    @pytest.fixture
    def pd(self):
        return pytest.importorskip("pandas")

    def test_there_and_back(self, backend: str, pd) -> None:
        table = pd.DataFrame({"from": ["x", "x", "y"], "to": ["y", "z", "z"], "km": [1.5, 2.5, 3.5]})
        graph = io.from_pandas_edgelist(table, "from", "to", "km", directed=True)
        assert graph.labels == ["x", "y", "z"]
        pd.testing.assert_frame_equal(io.to_pandas_edgelist(graph, "from", "to", "km"), table, check_dtype=False)
        undirected = io.from_pandas_edgelist(table, "from", "to", directed=False)
        assert undirected.matrix.nvals == 6
        expected = nx.from_pandas_edgelist(table, "from", "to")
        assert nx.utils.graphs_equal(undirected.to_networkx(None), expected)
        assert io.to_pandas_edgelist(generators.path(2), edge_attr=None).to_numpy().tolist() == [[0, 1], [1, 0]]

    def test_errors(self, pd) -> None:
        table = pd.DataFrame({"source": ["x", None], "target": ["y", "z"]})
        with pytest.raises(ValueError, match="row 1 has a missing source"):
            io.from_pandas_edgelist(table)
        with pytest.raises(KeyError, match="'km'"):
            io.from_pandas_edgelist(table, edge_attr="km")


class TestMatrixMarket:
    @pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz", ".mtx.bz2", ".mtx.xz"])
    def test_there_and_back(self, A: Matrix, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"a{suffix}"
        io.mmwrite(path, A, comment="a comment")
        assert io.mmread(path).isequal(A, check_dtype=True)
        assert suffix == ".mtx.xz" or (scipy.io.mmread(path).toarray() == A.to_dense(0)).all()
        assert io.mmread(path, spmatrix=True).isequal(A, check_dtype=True)
        io.mmwrite(str(path), A.T)
        assert io.mmread(str(path)).isequal(A.T.new())

    def test_patterns_and_symmetry(self, backend: str, tmp_path: Path) -> None:
        path = tmp_path / "a.mtx"
        B = generators.kronecker(5, 3)
        io.mmwrite(path, B)
        assert path.read_text().startswith("%%MatrixMarket matrix coordinate pattern symmetric")
        back = io.mmread(path)
        assert back.isequal(B)
        assert len(back.device_arrays()["values"]) == 1
        io.mmwrite(path, Matrix.from_coo([0], [1], [False], nrows=2, ncols=2))
        assert io.mmread(path).to_dicts() == {0: {1: 0}}

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            (["3 3 2", "1 1 1.0", "2 x 2"], "Line 4"),
            (["3 3 2", "1 1 1.0", "2 9 2"], "Line 4: Column index out of bounds"),
            (["% comment", "3 3 2", "1 1 1.0", "0 1 2"], "Line 5: Row index out of bounds"),
            (["3 3 3", "1 1 1.0", "2 1 2"], "Line 4: Truncated"),
            (["3 3 1", "1 1 1.0", "2 1 2"], "Line 4: Too many lines"),
            (["% comment", "3 x 1", "1 1 1.0"], "Line 3: expected the sizes"),
            (["3 3 1", "1 1 abc"], "Line 3: expected three numbers"),
        ],
    )
    def test_malformed(self, tmp_path: Path, lines: list[str], message: str) -> None:
        text = "\n".join(["%%MatrixMarket matrix coordinate real general", *lines]) + "\n"
        path = tmp_path / "bad.mtx"
        path.write_text(text)
        packed = tmp_path / "bad.mtx.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        for source in (path, str(packed), streams.StringIO(text), streams.BytesIO(text.encode())):
            with pytest.raises(ValueError, match=message):
                io.mmread(source)

    @pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
    def test_damaged_compression(self, tmp_path: Path, suffix: str) -> None:
        whole, n = tmp_path / f"whole.mtx{suffix}", 20_000
        io.mmwrite(whole, Matrix.from_coo(range(n), range(n), np.random.default_rng(1).random(n)))
        packed = whole.read_bytes()
        middle = len(packed) // 2
        damaged = bytes(byte ^ 0xFF for byte in packed[middle : middle + 100])
        for data in (packed[:middle], packed[:4], packed[:middle] + damaged + packed[middle + 100 :]):
            for file, read in ((f"a.mtx{suffix}", io.mmread), (f"a.txt{suffix}", io.read_edgelist)):
                (tmp_path / file).write_bytes(data)
                with pytest.raises(ValueError, match=rf"{re.escape(file)}: [lL]ine \d+: ") as caught:
                    read(tmp_path / file)
                line = int(str(caught.value).lower().split("line ")[1].split(":")[0])
                assert line == 1 if len(data) == 4 else line < n
        (tmp_path / f"cut.mtx{suffix}").write_bytes(packed[: middle + middle // 2])
        # What can be read is counted; bzip2 packs whole blocks of 900 kB.
        with pytest.raises(ValueError, match="line 1: " if suffix == ".bz2" else r"line \d{4,5}: "):
            io.mmread(tmp_path / f"cut.mtx{suffix}")

    def test_other_errors(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            io.mmread(tmp_path / "nowhere.mtx")
        with pytest.raises(FileNotFoundError):
            io.mmwrite(tmp_path / "nowhere" / "a.mtx", Matrix(int, 1, 1))
        with pytest.raises(ValueError, match="Line 1"):
            io.mmread(streams.StringIO("hello\n"))


class TestEdgeLists:
    @pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
    def test_there_and_back(self, backend: str, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"edges.txt{suffix}"
        B = Matrix.from_coo([0, 1, 4], [3, 2, 0], [0.1, -2.5e-300, 3.0], nrows=5, ncols=5)
        io.write_edgelist(path, B, delimiter=",", base=1)
        assert io.read_edgelist(path, delimiter=",", base=1).isequal(B, check_dtype=True)
        io.write_edgelist(path, generators.path(4))
        back = io.read_edgelist(path)
        assert back.isequal(generators.path(4), check_dtype=True)
        assert len(back.device_arrays()["values"]) == 1

    def test_comments_types_and_directions(self, backend: str) -> None:
        text = "# from to\n% weight\n\n0\t1\t5\n1 2 6 # note\n  2   2   7  \n"
        assert io.read_edgelist(streams.StringIO(text), dtype=int).to_dicts() == {0: {1: 5}, 1: {2: 6}, 2: {2: 7}}
        both = io.read_edgelist(streams.StringIO(text), directed=False)
        assert both.to_dicts() == {0: {1: 5.0}, 1: {0: 5.0, 2: 6.0}, 2: {1: 6.0, 2: 7.0}}
        assert io.read_edgelist(streams.StringIO("0 1\n0 1\n")).to_dicts() == {0: {1: True}}
        with pytest.raises(ValueError, match="Duplicate"):
            io.read_edgelist(streams.StringIO("0 1 2\n0 1 3\n"))
        assert io.read_edgelist(streams.StringIO("0 1 2\n0 1 3\n"), dup_op=binary.plus)[0, 1].new().value == 5
        assert io.read_edgelist(streams.StringIO("")).shape == (0, 0)
        assert io.read_edgelist(streams.StringIO("0 5\n"), nrows=2, ncols=9).shape == (2, 9)
        assert io.read_edgelist(streams.BytesIO(b"0 1\n")).nvals == 1

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("0 1\n\n2 x\n", "line 3: vertex 'x' is not an integer"),
            ("# c\n0 1\n2\n", "line 3: expected 2 fields"),
            ("0 1 2.0\n1 2 3.0 4.0\n", "line 2: expected 3 fields"),
            ("0 1 2 3\n", "line 1: expected 2 fields"),
            ("0 1 2.0\n1 2 heavy\n", "line 2: weight 'heavy'"),
            ("0 1\n0 -1\n", "line 2: vertex -1"),
            ("0 1\n0 99999999999999999999999\n", "line 2: vertex 99999999999999999999999"),
            ("0 1\n1.5 2\n", r"line 2: vertex '1\.5' is not an integer"),
            ("0 1\n1_0 2\n", "line 2: vertex '1_0' is not an integer"),
        ],
    )
    def test_malformed(self, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            io.read_edgelist(streams.StringIO(text))

    def test_no_text(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes(b"0 1\n1 2\n\xff\xfe 3\n")
        for read in (io.read_edgelist, gb.io.Graph.read_edgelist):
            with pytest.raises(ValueError, match=r"a\.txt: line 3: not text \(UTF-8\): byte 0xff"):
                read(tmp_path / "a.txt")
        (tmp_path / "b.txt").write_bytes(b"0 1\r\n1 2\r\n")
        assert io.read_edgelist(tmp_path / "b.txt").to_dicts() == {0: {1: True}, 1: {2: True}}


class TestBinary:
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("mmap", [False, True])
    def test_there_and_back(self, backend: str, tmp_path: Path, dtype: str, mmap: bool) -> None:
        path = tmp_path / "x.grb"
        for x in (
            Matrix.from_coo([0, 0, 2], [1, 2, 0], [1, 3, 1], dtype, nrows=3, ncols=4, name="one"),
            Matrix.from_coo([0, 0, 2], [1, 2, 0], 1, dtype, nrows=3, ncols=4),
            Matrix(dtype, 3, 0),
            Vector.from_coo([5, 2], [1, 3], dtype, size=1000),
            Vector.from_coo(range(50), [i % 2 for i in range(50)], dtype, size=100),
            Vector.from_scalar(1, 7, dtype),
            Vector(dtype, 4),
        ):
            io.save(path, x)
            back = io.load(path, mmap=mmap)
            assert back.isequal(x, check_dtype=True)
            assert back.name == x.name
            assert back.backend == x.backend

    def test_mapped_values_can_change(self, tmp_path: Path) -> None:
        path = tmp_path / "x.grb"
        io.save(path, Matrix.from_coo([0, 1], [1, 0], [5.0, 6.0]))
        mapped = io.load(path, mmap=True)
        mapped[0, 1] << 9.0
        mapped(binary.plus) << mapped
        assert mapped.to_dicts() == {0: {1: 18.0}, 1: {0: 12.0}}
        assert io.load(path).to_dicts() == {0: {1: 5.0}, 1: {0: 6.0}}
        assert [file.name for file in tmp_path.iterdir()] == ["x.grb"]

    def test_every_cut_is_noticed(self, tmp_path: Path) -> None:
        path = tmp_path / "x.grb"
        io.save(path, Matrix.from_coo([0, 1, 1], [1, 0, 2], [5, 6, 7], name="x"))
        whole = path.read_bytes()
        for length in range(len(whole)):
            path.write_bytes(whole[:length])
            with pytest.raises(ValueError, match=r"x\.grb"):
                io.load(path)


def test_cupy_needs_the_device() -> None:
    with pytest.raises(ValueError, match=r'use A\.to\("cuda"\)'):
        io.to_cupyx_sparse(Matrix(float, 2, 2))


class TestGraphFiles:
    LABELS = (["ann", "bob", "çid"], [10, -3, 2**70], ["a", 1, None], [("x", 1), ("x", ("y", 2.5)), True], [0, 1, 2])

    @pytest.mark.parametrize("labels", LABELS, ids=str)
    @pytest.mark.parametrize("mmap", [False, True])
    def test_there_and_back(self, backend: str, tmp_path: Path, labels: list, mmap: bool) -> None:
        graph = Graph(Matrix.from_coo([0, 1], [1, 2], [5, 6], nrows=3, ncols=3), labels)
        io.save(tmp_path / "g.grb", graph)
        found = io.load(tmp_path / "g.grb", mmap=mmap)
        assert isinstance(found, Graph)
        assert (found.labels, found.directed) == (labels, True)
        assert [type(label) for label in found.labels] == [type(label) for label in labels]
        assert found.matrix.isequal(graph.matrix, check_dtype=True)

    def test_undirected(self, tmp_path: Path) -> None:
        io.save(tmp_path / "g.grb", Graph.from_edges([("a", "b")], directed=False))
        assert not io.load(tmp_path / "g.grb").directed

    def test_labels_that_cannot_be_stored(self, tmp_path: Path) -> None:
        graph = Graph(Matrix(int, 1, 1), [frozenset()])
        with pytest.raises(TypeError, match="a label must be text, a number, None or a tuple"):
            io.save(tmp_path / "g.grb", graph)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("stored", [b'"ann"', b'["a"]', b'["a","a"]', b"[[1],2]", b"\xff", b'[{"tuple":3},1]'])
    def test_damaged_labels(self, tmp_path: Path, stored: bytes) -> None:
        path = tmp_path / "g.grb"
        io.save(path, Graph(Matrix(int, 2, 2), ["x" * 4, "y" * len(stored)]))
        content = path.read_bytes()
        place = content.index(b'["xxxx"')
        path.write_bytes(content[:place] + stored.ljust(len(content) - place))
        with pytest.raises(ValueError, match=r"g\.grb: damaged"):
            io.load(path)


class TestTables:
    """Edge lists with headers, delimiters and columns."""

    @pytest.mark.parametrize(
        ("text", "options"),
        [
            ("source,target\n0,1\n1,2\n", {}),
            ("from;to\n0;1\n1;2\n", {}),
            ("a b\n0 1\n1 2\n", {}),
            ("# a comment\n\nu,v\n0, 1\n1, 2\n", {}),
            ('"from","to"\n"0","1"\n"1","2"\n', {}),
            ("0,1\n1,2\n", {}),
            ("0\t1\n1\t2\n", {}),
            ("id,dst,when,src\n7,1,x,0\n8,2,y,1\n", {"columns": ("src", "dst")}),
            ("7,1,x,0\n8,2,y,1\n", {"columns": (3, 1)}),
            ("5 6\n0 1\n1 2\n", {"header": True}),
        ],
    )
    def test_numbers(self, text: str, options: dict) -> None:
        assert io.read_edgelist(streams.StringIO(text), **options).to_dicts() == {0: {1: True}, 1: {2: True}}

    def test_a_first_line_of_numbers_is_no_header(self) -> None:
        assert io.read_edgelist(streams.StringIO("0,1\n1,2\n"), header=False).nvals == 2
        with pytest.raises(ValueError, match=r"line 1: vertex 'a'"):
            io.read_edgelist(streams.StringIO("a,1\n1,2\n"))
        with pytest.raises(ValueError, match=r"line 1: vertex 'u'"):
            io.read_edgelist(streams.StringIO("u,v\n1,2\n"), header=False)

    def test_columns_that_there_are_not(self) -> None:
        with pytest.raises(ValueError, match="no column 'km'; there are a, b"):
            io.read_edgelist(streams.StringIO("a,b\n0,1\n"), columns=("a", "km"))
        with pytest.raises(ValueError, match="no column 2; columns are 0 to 1"):
            io.read_edgelist(streams.StringIO("0,1\n"), columns=(0, 2))
        with pytest.raises(ValueError, match="source, target and perhaps weight; got 1"):
            io.read_edgelist(streams.StringIO("0,1\n"), columns=(0,))
        with pytest.raises(ValueError, match="line 2: expected 3 fields or more, found 2"):
            io.read_edgelist(streams.StringIO("0,1,2\n1,2\n"), columns=(0, 2))

    @pytest.mark.parametrize(
        ("text", "options"),
        [
            ("from,to,km\nann,bob,2.5\n", {}),
            ("person,friend,km\nann,bob,2.5\n", {}),
            ("ann,bob,2.5\n", {}),
            ("# people\nann bob 2.5\n", {}),
            ('source,target,weight\n"ann","bob",2.5\n', {}),
            ("when,to,from,km\nmon,bob,ann,2.5\n", {"columns": ("from", "to", "km")}),
        ],
    )
    def test_labels(self, tmp_path: Path, text: str, options: dict) -> None:
        (tmp_path / "e.csv").write_text(text)
        graph = Graph.read_edgelist(tmp_path / "e.csv", **options)
        assert graph.labels == ["ann", "bob"]
        assert graph.matrix.to_dicts() == {0: {1: 2.5}}

    def test_labels_with_spaces_and_commas(self, tmp_path: Path) -> None:
        (tmp_path / "e.csv").write_text('source,target\n"Hugo, Victor",Jean Valjean\n')
        assert Graph.read_edgelist(tmp_path / "e.csv").labels == ["Hugo, Victor", "Jean Valjean"]
        for text, message in {"a b 1\nb c x\n": "weight 'x'", "a b 1\nb c\n": "expected 3 fields"}.items():
            with pytest.raises(ValueError, match=f"line 2: {message}"):
                Graph.read_edgelist(streams.StringIO(text))


class TestArchives:
    TEXT = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n"

    def archive(self, path: Path, **files: str) -> Path:
        with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
            for name, text in files.items():
                member = tarfile.TarInfo(name.replace("__", "/") + ".mtx")
                member.size = len(text)
                archive.addfile(member, streams.BytesIO(text.encode()))
        return path

    def test_the_matrix_called_like_the_archive(self, tmp_path: Path) -> None:
        path = self.archive(tmp_path / "bus.tar.gz", bus__bus_b="nothing", bus__bus=self.TEXT)
        assert io.mmread(path).to_dicts() == {0: {1: 5.0}}
        assert io.mmread(self.archive(tmp_path / "x.tar", other=self.TEXT)).to_dicts() == {0: {1: 5.0}}

    def test_in_vain(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=r"expected one matrix \(x.mtx\) in the archive; found a.mtx, b.mtx"):
            io.mmread(self.archive(tmp_path / "x.tar", a=self.TEXT, b=self.TEXT))
        with pytest.raises(ValueError, match=r"y\.tar\.gz: a.mtx: Line 3: "):
            io.mmread(self.archive(tmp_path / "y.tar.gz", a=self.TEXT.replace("1 2 5", "1 3 5")))
        (tmp_path / "z.tar.gz").write_bytes(b"no archive")
        with pytest.raises(ValueError, match=r"z\.tar\.gz: "):
            io.mmread(tmp_path / "z.tar.gz")
        whole = (tmp_path / "y.tar.gz").read_bytes()
        (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ValueError, match=r"cut\.tar\.gz: "):
            io.mmread(tmp_path / "cut.tar.gz")

    def test_complex_values(self) -> None:
        text = "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 5 1\n"
        assert io.mmread(streams.StringIO(text)).to_dicts() == {0: {1: 5 + 1j}}

    @pytest.mark.parametrize("symmetry", ["general", "symmetric", "hermitian", "skew-symmetric"])
    def test_complex_symmetries(self, symmetry: str) -> None:
        z = np.random.default_rng(3).integers(-3, 4, (2, 5, 5))
        dense = np.tril(z[0] + 1j * z[1], -1)
        turned = {"symmetric": dense.T, "hermitian": dense.conj().T, "skew-symmetric": -dense.T}
        dense = dense + turned.get(symmetry, np.eye(5))
        matrix = gb.Matrix.from_dense(dense, missing_value=0)
        file = streams.BytesIO()
        io.mmwrite(file, matrix, symmetry="skew-symmetric" if symmetry == "skew-symmetric" else None)
        assert f"complex {symmetry}".encode() in file.getvalue()
        file.seek(0)
        assert io.mmread(file).isequal(matrix, check_dtype=True)


def test_mapped_matrices_stay_in_their_file(numba_tier, tmp_path) -> None:
    """Products, reductions and searches allocate vectors only; NumPy reports its allocations, mapped pages are none."""
    random, file = np.random.default_rng(3), tmp_path / "a.grb"
    n, ends = 2000, np.random.default_rng(3).integers(0, 2000, (2, 200_000))
    A = Matrix.from_coo(*ends, random.random(200_000), nrows=n, ncols=n, dup_op=gb.binary.first)
    io.save(file, A)
    v = Vector.from_scalar(1.0, n)
    uses = {
        "load": lambda B: B,
        "pull": lambda B: semiring.plus_times(B @ v).new(),
        "push": lambda B: semiring.min_plus(Vector.from_coo([5], 1.0, size=n) @ B).new(direction="push"),
        "sum": lambda B: B.reduce_scalar().new(),
        "rows": lambda B: B.reduce_rowwise("max").new(),
        "columns": lambda B: B.reduce_columnwise().new(),
        "row": lambda B: B[7, :].new(),
    }
    for name, use in uses.items():
        expected = use(A)
        use(io.load(file, mmap=True))  # loads kernels
        peaks = []
        for mmap in (True, False):
            tracemalloc.start()
            found = use(io.load(file, mmap=mmap))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert found.isclose(expected) if not isinstance(found, gb.Scalar) else found.isclose(expected.value), name
        size = file.stat().st_size
        assert peaks[0] < 0.25 * size and peaks[1] > 0.9 * size, name
    B = io.load(file, mmap=True)
    B[3, 4] = -1.0
    B.update(range(5), range(5), 2.0)
    assert B.nvals >= A.nvals and io.load(file).isequal(A)  # the file stays


@pytest.mark.parametrize("place", [4, 5, 6, 11])
def test_parts_of_an_index_are_checked(place: int, monkeypatch) -> None:
    """An index that falls within a row is found in every part, and at the borders of parts."""
    monkeypatch.setattr("grblas_gpu.api.matrix_formats.PART", 5)
    columns = np.tile(np.arange(4), 4)
    indptr, values = np.arange(0, 17, 4), np.arange(16)
    assert Matrix.from_csr(indptr, columns, values).to_coo()[1].tolist() == columns.tolist()
    swapped = columns.copy()
    other = place - 1 if place % 4 else place + 1
    swapped[[place, other]] = swapped[[other, place]]
    assert Matrix.from_csr(indptr, swapped, values).to_coo()[1].tolist() == columns.tolist()
    swapped[place] = swapped[other]
    with pytest.raises(gb.exceptions.InvalidValue):
        Matrix.from_csr(indptr, swapped, values)


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="only Linux maps copies without reserving memory")
def test_a_file_larger_than_the_memory(tmp_path) -> None:
    """A sparse file: its array of values is 64 GiB long, more than tests have, and takes no room on the disk."""
    file, n = tmp_path / "a.grb", 2**18
    io.save(file, Matrix.from_dense(np.zeros((2, 2), np.int8)))
    content = file.read_bytes()
    place = content.index(b'{"kind"')
    header = json.loads(content[place : content.index(b"}", place) + 1]) | {"shape": [n, n]}
    header["arrays"] = [["values", "|i1", n * n, 0]]
    text = json.dumps(header).encode()
    start = content[:8] + len(text).to_bytes(8, "little") + zlib.crc32(text).to_bytes(8, "little") + text
    file.write_bytes(start)
    os.truncate(file, len(start) + -len(start) % 64 + n * n)
    A = io.load(file, mmap=True)
    assert A.nvals == n * n and A.get(n - 1, 3) == 0
