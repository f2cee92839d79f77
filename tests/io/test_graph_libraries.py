"""igraph, PyTorch Geometric and DGL: there and back, beside their own answers; objects stand in where there is none."""

from __future__ import annotations

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

from grblas_gpu import Graph, Matrix, io

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
    for given, error in ((np.zeros((3, 4), int), ValueError), (np.zeros(4, int), ValueError), (twice, ValueError)):
        with pytest.raises(error):
            io.from_torch_geometric(given)


def test_dgl() -> None:
    assert io.from_dgl(DGLGraph(), "w").isequal(EXPECTED, check_dtype=True)
    assert io.from_dgl(DGLGraph()).isequal(EXPECTED.pattern(), check_dtype=True)
    with pytest.raises(TypeError, match="expected a DGLGraph; got int"):
        io.from_dgl(3)


def test_torch_geometric() -> None:
    torch, pyg = pytest.importorskip("torch"), pytest.importorskip("torch_geometric")
    index, weights = io.to_torch_geometric(EXPECTED)
    made = pyg.data.Data(edge_index=index, edge_weight=weights, num_nodes=9)
    edges = pyg.EdgeIndex(torch.from_numpy(ENDS), sparse_size=(9, 9))
    assert io.from_torch_geometric(made).isequal(EXPECTED) and io.from_torch_geometric(edges).isequal(
        EXPECTED.pattern()
    )


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
