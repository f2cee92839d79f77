"""igraph, PyTorch Geometric and DGL: there and back, beside their own answers; objects stand in where there is none."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

from grblas_gpu import Graph, Matrix, io
from grblas_gpu.exceptions import DimensionMismatch

COO = scipy.sparse.random(9, 9, 0.3, format="coo", random_state=3)
ENDS = np.stack(COO.coords).astype(np.int64)
EXPECTED = io.from_scipy_sparse(COO)
ORDER = np.random.default_rng(1).permutation(len(COO.data))


class SparseTensor:
    """The methods of ``torch_sparse.SparseTensor`` that are read."""

    def __init__(self, S, weighted: bool) -> None:
        self._csr, self._weighted = S.tocsr(), weighted

    def csr(self):
        S = self._csr
        return S.indptr.astype(np.int64), S.indices.astype(np.int64), S.data if self._weighted else None

    def sparse_sizes(self):
        return self._csr.shape

    def sparse_size(self, dim: int) -> int:
        return self._csr.shape[dim]


class DGLGraph:
    """The methods of ``dgl.DGLGraph`` that are read."""

    edata = {"w": COO.data[ORDER].reshape(-1, 1)}  # noqa: RUF012

    def num_src_nodes(self) -> int:
        return 9

    num_dst_nodes = num_src_nodes

    def edges(self) -> tuple:
        return tuple(ENDS[:, ORDER])


def data(**attributes) -> SimpleNamespace:
    return SimpleNamespace(**{"edge_index": None, "num_nodes": 9} | attributes)


PYG = {
    "data": (data(edge_index=ENDS[:, ORDER], edge_weight=COO.data[ORDER]), True),
    "data without weights": (data(edge_index=ENDS), False),
    "transposed": (data(adj_t=SparseTensor(COO.T, True)), True),
    "sparse tensor": (SparseTensor(COO, True), True),
    "sparse tensor without weights": (SparseTensor(COO, False), False),
}


@pytest.mark.parametrize("name", PYG)
def test_pyg(name: str) -> None:
    given, weighted = PYG[name]
    assert io.from_torch_geometric(given).isequal(EXPECTED if weighted else EXPECTED.pattern(), check_dtype=True)


def test_edge_index() -> None:
    n = int(ENDS.max()) + 1
    assert io.from_torch_geometric(ENDS).isequal(EXPECTED[:n, :n].new().pattern())
    twice = data(edge_index=np.array([[0, 0], [1, 1]]), edge_weight=np.array([2.0, 3.0]), num_nodes=2)
    assert io.from_torch_geometric(twice, duplicates="sum").to_dicts() == {0: {1: 5.0}}
    assert io.from_torch_geometric(twice, None).to_dicts() == {0: {1: True}}
    bipartite = SimpleNamespace(edge_index=np.array([[0, 1], [2, 0]]), size=lambda: (2, 4))
    assert io.from_torch_geometric(bipartite).shape == (2, 4)
    several = SimpleNamespace(edge_types=[("a", "to", "b")])
    for given, said in (
        (np.zeros((3, 4), int), "two rows"),
        (np.zeros(4, int), "two rows"),
        (twice, "[Dd]uplicate"),
        (data(), "no edges"),
        (several, "several types"),
    ):
        with pytest.raises((TypeError, ValueError), match=said):
            io.from_torch_geometric(given)


def test_dgl() -> None:
    assert io.from_dgl(DGLGraph(), "w").isequal(EXPECTED, check_dtype=True)
    assert io.from_dgl(DGLGraph()).isequal(EXPECTED.pattern(), check_dtype=True)
    with pytest.raises(TypeError, match="expected a DGLGraph; got int"):
        io.from_dgl(3)
    with pytest.raises(DimensionMismatch, match="must be square; got 3 x 4"):
        io.to_dgl(Matrix(float, 3, 4))


def test_torch_geometric() -> None:
    torch, pyg = pytest.importorskip("torch"), pytest.importorskip("torch_geometric")
    index, weights = io.to_torch_geometric(EXPECTED)
    made = pyg.data.Data(edge_index=index, edge_attr=weights.reshape(-1, 1), num_nodes=9)
    assert made.validate() and io.from_torch_geometric(made, "edge_attr").isequal(EXPECTED, check_dtype=True)
    edges = pyg.EdgeIndex(torch.from_numpy(ENDS[:, ORDER]).contiguous(), sparse_size=(9, 9))
    for each in (edges, edges.sort_by("row")[0], edges.sort_by("col")[0]):
        assert io.from_torch_geometric(each).isequal(EXPECTED.pattern())
    for layout in (torch.sparse_csr, torch.sparse_coo):
        to_sparse = pyg.transforms.ToSparseTensor(attr="edge_attr", layout=layout)
        flat = pyg.data.Data(edge_index=index, edge_attr=weights, num_nodes=9)
        assert io.from_torch_geometric(to_sparse(flat)).isequal(EXPECTED, check_dtype=True)
    typed = pyg.data.HeteroData(a={"num_nodes": 2}, b={"num_nodes": 4}, a__to__b={"edge_index": index[:, :0]})
    assert io.from_torch_geometric(typed["a", "to", "b"]).shape == (2, 4)
    with pytest.raises(TypeError, match="several types"):
        io.from_torch_geometric(typed)
    with pytest.raises(ValueError, match="no edges"):
        io.from_torch_geometric(pyg.data.Data(num_nodes=3))


def test_sparse_tensor() -> None:
    torch, torch_sparse = pytest.importorskip("torch"), pytest.importorskip("torch_sparse")
    row, col = map(torch.from_numpy, ENDS[:, ORDER])
    for value, expected in ((torch.from_numpy(COO.data[ORDER]), EXPECTED), (None, EXPECTED.pattern())):
        made = torch_sparse.SparseTensor(row=row, col=col, value=value, sparse_sizes=(9, 9))
        assert io.from_torch_geometric(made).isequal(expected, check_dtype=True)
        assert io.from_torch_geometric(data(adj_t=made)).isequal(expected.T.new())
    wide = torch_sparse.SparseTensor(row=row, col=col, sparse_sizes=(9, 12))
    assert io.from_torch_geometric(wide).shape == (9, 12)


def test_dgl_itself() -> None:
    torch = pytest.importorskip("torch")
    try:
        import dgl
    except Exception as error:  # versions for another PyTorch raise several
        pytest.skip(f"could not import 'dgl': {error}")
    graph = dgl.graph(tuple(map(torch.from_numpy, ENDS[:, ORDER])), num_nodes=9)
    graph.edata["w"] = torch.from_numpy(COO.data[ORDER]).reshape(-1, 1)
    for each in (graph, graph.int(), io.to_dgl(EXPECTED, "w")):
        assert io.from_dgl(each, "w").isequal(EXPECTED, check_dtype=True)
        assert io.from_dgl(each).isequal(EXPECTED.pattern())
    assert io.from_dgl(io.to_dgl(Matrix(float, 3, 3))).shape == (3, 3)
    bipartite = dgl.heterograph({("a", "to", "b"): ([0, 1], [2, 3])}, num_nodes_dict={"a": 2, "b": 5})
    assert io.from_dgl(bipartite).shape == (2, 5)
    twice = dgl.graph(([0, 0], [1, 1]))
    twice.edata["w"] = torch.tensor([1.0, 2.0])
    assert io.from_dgl(twice, "w", duplicates="sum").to_dicts() == {0: {1: 3.0}}
    with pytest.raises(ValueError, match=r"[Dd]uplicate"):
        io.from_dgl(twice, "w")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_igraph(named: bool, directed: bool) -> None:
    igraph = pytest.importorskip("igraph")
    G = nx.gnm_random_graph(12, 30, seed=2, directed=directed)
    G.add_edge(3, 3)
    nx.set_edge_attributes(G, {(u, v): u + 2.5 * v for u, v in G.edges}, "weight")
    G = nx.relabel_nodes(G, {k: f"node {k}" for k in G}) if named else G
    graph = Graph.from_networkx(G)
    there = io.to_igraph(graph)
    assert (there.vcount(), there.ecount(), there.is_directed()) == (12, len(G.edges), directed)
    number = {label: k for k, label in enumerate(G)}
    assert {(e.source, e.target) for e in there.es} <= {
        end for u, v in G.edges for end in ((number[u], number[v]), (number[v], number[u]))
    }
    again = io.from_igraph(there)
    assert again.labels == graph.labels and again.directed == directed and again.matrix.isequal(graph.matrix)
    assert io.from_igraph(io.to_igraph(graph, None)).matrix.isequal(graph.matrix.pattern())
    theirs = igraph.Graph.from_networkx(G)
    theirs.vs["name"] = [str(label) for label in G]
    assert io.from_igraph(theirs).matrix.isequal(graph.matrix)
    assert io.from_igraph(igraph.Graph(2, [(0, 1), (0, 1)]), None).matrix.nvals == 2
    twice = igraph.Graph(2, [(0, 1), (0, 1)], edge_attrs={"weight": [1, 2]})
    with pytest.raises(ValueError, match="Duplicate edge"):
        io.from_igraph(twice)
    assert io.from_igraph(twice, duplicates="sum").edges(data=True) == [(0, 1, 3)]
    assert io.to_igraph(Matrix.from_coo([0], [1], [5], nrows=2, ncols=2)).es["weight"] == [5]
    with pytest.raises(TypeError, match=r"expected an igraph\.Graph; got int"):
        io.from_igraph(3)
