"""Small graphs for the algorithm library: the same ones as networkx graphs and as matrices."""

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from hardware import has_gpu

import grblas_gpu as gb

# The `backend` fixture for algorithms with slow compilations: `make test-all` compiles them.
_ENGINES = ["numpy", "cpu", pytest.param("compiled", marks=pytest.mark.slow)]
if has_gpu():
    _ENGINES.append(pytest.param("cuda", marks=pytest.mark.gpu))
compiles_slowly = pytest.mark.parametrize("backend", _ENGINES, indirect=True)
# And where an algorithm takes long, too: all but one of the engines.
takes_long = pytest.mark.parametrize(
    "backend", ["cpu", pytest.param("numpy", marks=pytest.mark.slow), *_ENGINES[2:]], indirect=True
)


def _random_weights(G: nx.Graph, low: int, high: int, seed: int) -> nx.Graph:
    draw = np.random.default_rng(seed)
    for _, _, data in G.edges(data=True):
        data["weight"] = int(draw.integers(low, high))
    return G


def _with_loops(G: nx.Graph) -> nx.Graph:
    G.add_edges_from([(0, 0), (3, 3)])
    return G


def _isolated(G: nx.Graph) -> nx.Graph:
    G.add_nodes_from(range(G.number_of_nodes(), G.number_of_nodes() + 3))
    return G


UNDIRECTED: dict[str, Callable[[], nx.Graph]] = {
    "one vertex": lambda: nx.empty_graph(1),
    "no edges": lambda: nx.empty_graph(4),
    "one edge": lambda: nx.path_graph(2),
    "path": lambda: nx.path_graph(9),
    "cycle": lambda: nx.cycle_graph(8),
    "star": lambda: nx.star_graph(7),
    "complete": lambda: nx.complete_graph(6),
    "grid": lambda: nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 5)),
    "karate": nx.karate_club_graph,
    "two parts": lambda: nx.disjoint_union(nx.wheel_graph(6), nx.barbell_graph(4, 2)),
    "random": lambda: nx.gnm_random_graph(30, 70, seed=4),
    "sparse random": lambda: nx.gnm_random_graph(40, 35, seed=5),
    "scale-free": lambda: nx.barabasi_albert_graph(50, 3, seed=6),
    "loops": lambda: _with_loops(nx.gnm_random_graph(12, 25, seed=7)),
    "isolated": lambda: _isolated(nx.petersen_graph()),
}
DIRECTED: dict[str, Callable[[], nx.DiGraph]] = {
    "one vertex": lambda: nx.empty_graph(1, nx.DiGraph),
    "no edges": lambda: nx.empty_graph(4, nx.DiGraph),
    "one edge": lambda: nx.DiGraph([(0, 1)]),
    "path": lambda: nx.path_graph(8, nx.DiGraph),
    "cycle": lambda: nx.cycle_graph(7, nx.DiGraph),
    "both ways": lambda: nx.karate_club_graph().to_directed(),
    "random": lambda: nx.gnm_random_graph(25, 70, seed=1, directed=True),
    "sparse random": lambda: nx.gnm_random_graph(40, 60, seed=2, directed=True),
    "dense random": lambda: nx.gnp_random_graph(20, 0.4, seed=3, directed=True),
    "tournament": lambda: nx.DiGraph((i, j) if (i * j + i) % 3 else (j, i) for i in range(9) for j in range(i)),
    "scale-free": lambda: nx.DiGraph(nx.scale_free_graph(40, seed=8)),
    "acyclic": lambda: nx.DiGraph((i, j) for i in range(12) for j in range(i + 1, 12) if (i + j) % 4),
    "loops": lambda: _with_loops(nx.gnm_random_graph(12, 30, seed=9, directed=True)),
    "isolated": lambda: _isolated(nx.gnm_random_graph(15, 40, seed=10, directed=True)),
}


def ordered(G: nx.Graph) -> nx.Graph:
    """The graph with its vertices in the order of their numbers."""
    H = G.__class__()
    H.add_nodes_from(sorted(G))
    H.add_edges_from((u, v) for u, v in G.edges())
    return H


def undirected(name: str) -> nx.Graph:
    return ordered(UNDIRECTED[name]())


def without_loops(G: nx.Graph) -> nx.Graph:
    H = G.copy()
    H.remove_edges_from(list(nx.selfloop_edges(H)))
    return H


def simple(name: str) -> nx.Graph:
    return without_loops(undirected(name))


def directed(name: str) -> nx.DiGraph:
    return ordered(DIRECTED[name]())


def weighted(name: str, *, of: str = "directed", low: int = 1, high: int = 20) -> nx.Graph:
    """With integer weights, so that sums are exact."""
    G = directed(name) if of == "directed" else undirected(name)
    return _random_weights(G, low, high, seed=len(name))


def as_matrix(G: nx.Graph, weight: str | None = None, dtype: object = None) -> gb.Matrix:
    return gb.io.from_networkx(G, weight=weight, dtype=dtype if weight else bool)


def as_list(by_node: dict, n: int) -> list:
    return [by_node[i] for i in range(n)]
