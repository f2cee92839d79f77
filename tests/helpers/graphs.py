"""The graphs of the tests of searches: ``rows, cols, n`` and whether an edge has a direction."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import networkx
import numpy as np

from grblas_gpu import Matrix, generators


class Graph(NamedTuple):
    rows: np.ndarray
    cols: np.ndarray
    n: int
    directed: bool

    def matrix(self) -> Matrix:
        return Matrix.from_coo(self.rows, self.cols, True, nrows=self.n, ncols=self.n, dtype=bool)

    def networkx(self) -> networkx.Graph:
        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from(range(self.n))
        graph.add_edges_from(zip(self.rows.tolist(), self.cols.tolist(), strict=True))
        return graph

    def sources(self) -> list[int]:
        """The vertex of highest out-degree, and the first and the last one."""
        degrees = np.bincount(self.rows, minlength=self.n)
        return sorted({int(np.argmax(degrees)), 0, self.n - 1})


def from_networkx(graph: networkx.Graph) -> Graph:
    graph = networkx.convert_node_labels_to_integers(graph)
    edges = {(i, j) for i, j in graph.edges}
    return from_edges(graph.number_of_nodes(), edges, directed=graph.is_directed())


def from_edges(n: int, edges: set[tuple[int, int]], directed: bool = True) -> Graph:
    if not directed:
        edges = edges | {(j, i) for i, j in edges}
    rows, cols = np.array(sorted(edges), np.int64).reshape(-1, 2).T
    return Graph(rows, cols, n, directed)


def undirected(edges: generators.Edges) -> Graph:
    return Graph(*edges, directed=False)


def random_directed(n: int, m: int, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    return from_edges(n, set(zip(*rng.integers(0, n, (2, m)).tolist(), strict=True)))


def disconnected() -> Graph:
    """A triangle, a path and two vertices alone."""
    return from_edges(9, {(0, 1), (1, 2), (0, 2), (4, 5), (5, 6), (6, 7)}, directed=False)


# Small enough for exact betweenness centrality by networkx.
SMALL: dict[str, Callable[[], Graph]] = {
    "karate": lambda: from_networkx(networkx.karate_club_graph()),
    "les miserables": lambda: from_networkx(networkx.les_miserables_graph()),
    "random undirected": lambda: undirected(generators.uniform_random_edges(90, 5, seed=4)),
    "random directed": lambda: random_directed(80, 300, seed=5),
    "sparse directed": lambda: random_directed(100, 120, seed=6),
    "mycielskian 3": lambda: undirected(generators.mycielskian_edges(3)),
    "mycielskian 4": lambda: undirected(generators.mycielskian_edges(4)),
    "mycielskian 5": lambda: undirected(generators.mycielskian_edges(5)),
    "mycielskian 6": lambda: undirected(generators.mycielskian_edges(6)),
    "delaunay": lambda: undirected(generators.delaunay_edges(70)),
    "grid": lambda: undirected(generators.grid_2d_edges(6, 9)),
    "star": lambda: undirected(generators.star_edges(20)),
    "path": lambda: undirected(generators.path_edges(25)),
    "complete": lambda: undirected(generators.complete_edges(12)),
    "no edges": lambda: from_edges(6, set(), directed=False),
    "one vertex": lambda: from_edges(1, set()),
    "two vertices": lambda: from_edges(2, {(0, 1)}),
    "disconnected": disconnected,
    "loops": lambda: from_edges(5, {(0, 0), (0, 1), (1, 1), (1, 2), (3, 3)}),
    "directed cycle": lambda: from_edges(30, {(i, (i + 1) % 30) for i in range(30)}),
    "a source that nothing leads to": lambda: from_edges(
        6, {(0, 3), (3, 4), (4, 3), (4, 5), (5, 0), (2, 4)} - {(5, 0)}
    ),
}
LARGER: dict[str, Callable[[], Graph]] = {
    "kronecker 10": lambda: undirected(generators.kronecker_edges(10)),
    "mycielskian 8": lambda: undirected(generators.mycielskian_edges(8)),
    "delaunay 600": lambda: undirected(generators.delaunay_edges(600)),
    "grid 25 x 30": lambda: undirected(generators.grid_2d_edges(25, 30)),
    "star 3000": lambda: undirected(generators.star_edges(3000)),
    "path 300": lambda: undirected(generators.path_edges(300)),
    "complete 70": lambda: undirected(generators.complete_edges(70)),
    "random directed 900": lambda: random_directed(900, 6000, seed=7),
}
# For compiled engines only.
LARGE: dict[str, Callable[[], Graph]] = {
    f"kronecker {scale}": lambda scale=scale: undirected(generators.kronecker_edges(scale))  # type: ignore[misc]
    for scale in range(11, 17)
} | {f"mycielskian {k}": lambda k=k: undirected(generators.mycielskian_edges(k)) for k in (7, 9, 10, 11, 12)}  # type: ignore[misc]


@cache
def graph(name: str) -> Graph:
    return (SMALL | LARGER | LARGE)[name]()


#: Graphs on which a pull that reads new levels at once computes wrong levels.
# Rows run in the order of their numbers. From 0: 1 is at distance 1; 2 comes next and sees 1 at once. If 3 may see 2,
# it gets a level that is one too high, because 4, its short cut, comes later.
TRAPS = {
    "a short cut that comes late": from_edges(5, {(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)}, directed=False),
    "two short cuts": from_edges(8, {(0, 1), (1, 2), (2, 3), (3, 4), (0, 7), (7, 6), (6, 4), (7, 3)}, directed=False),
    "a ladder": from_edges(12, {(i, i + 1) for i in range(8)} | {(0, 11), (11, 10), (10, 9), (9, 8)}, directed=False),
    "directed": from_edges(7, {(0, 1), (1, 2), (2, 3), (0, 6), (6, 3), (3, 4), (6, 5), (5, 4)}),
}
