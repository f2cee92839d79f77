"""The same algorithms by SciPy, NetworkX, igraph and NetworKit, where they are installed and have them.

Each makes its own graph first, which is not timed. Its result is compared with ours before it is timed: what has one
answer must be the same, what has many (colours, matchings) must fulfil what ours must, and what has no answer that
could be wrong (communities, labels, walks) is not compared.
"""

import itertools
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csgraph, triu

from grblas_gpu.backends.cpu import pool
from grblas_gpu.bench.contenders import scattered

from . import library_checks as checks


class Task(NamedTuple):
    """A call on a library's own graph, and its result as an array or number; None if there is nothing to compare."""

    run: Callable[[Any], Any]
    shown: Callable[[Any, Any], Any] | None = None


class Graphs:
    """A library's graphs of a case, made once: directed as ours is, and without directions or loops."""

    def __init__(self, case: Any) -> None:
        self.case, self.source, self.n = case, case.source, case.A.nrows
        self.alpha = 0.5 / max(1, case.A._store.max_degree + case.A._store.transposed().max_degree)
        self.both = self.directed if not case.directed else self.make(checks.undirected(case.S), False)
        self.twice = 1 if case.directed else 2  # our entries per edge

    @cached_property
    def directed(self) -> Any:
        return self.make(self.case.S, self.case.directed)

    @cached_property
    def forward(self) -> Any:
        """The edges from a lower vertex to a higher one."""
        return self.make(triu(self.case.S, 1).tocsr(), True)

    @cached_property
    def whole_numbers(self) -> Any:
        """Integer capacities, as SciPy requires."""
        return self.case.S.astype(np.int32)

    @property
    def half(self) -> list[int]:
        return self.case.half.tolist()

    def make(self, S: checks.Arrays, directed: bool) -> Any:
        return S


class NetworkXGraphs(Graphs):
    def make(self, S: checks.Arrays, directed: bool) -> Any:
        import networkx as nx

        self.nx = nx
        return nx.from_scipy_sparse_array(S, create_using=nx.DiGraph if directed else nx.Graph)


class IgraphGraphs(Graphs):
    def make(self, S: checks.Arrays, directed: bool) -> Any:
        import igraph

        edges = (S if directed else triu(S)).tocoo()
        G = igraph.Graph(n=S.shape[0], edges=np.stack([edges.row, edges.col], axis=1), directed=directed)
        G.es["weight"] = edges.data
        return G


class NetworkitGraphs(Graphs):
    def make(self, S: checks.Arrays, directed: bool) -> Any:
        import networkit

        networkit.setNumberOfThreads(pool.threads())
        self.nk = networkit
        edges = (S if directed else triu(S)).tocoo()
        ends = (edges.row.astype(np.uint64), edges.col.astype(np.uint64))
        G = networkit.GraphFromCoo((edges.data, ends), n=S.shape[0], weighted=True, directed=directed)
        G.indexEdges()
        return G

    def pagerank(self) -> Any:
        """PageRank with the same stopping criterion as ours."""
        sinks = self.nk.centrality.SinkHandling.DistributeSinks
        ranks = self.nk.centrality.PageRank(self.directed, tol=1e-6 * self.n, distributeSinks=sinks)
        ranks.norm = self.nk.centrality.Norm.L1_NORM
        return ranks.run().scores()

    def labels(self, module: str, algorithm: str, graph: Any) -> Any:
        return getattr(getattr(self.nk, module), algorithm)(graph).run().getPartition().getVector()

    def strong_components(self) -> Any:
        kind = "StronglyConnectedComponents" if self.case.directed else "ConnectedComponents"
        return self.labels("components", kind, self.directed)

    def distances(self, search: str, **options: Any) -> Any:
        return getattr(self.nk.distance, search)(self.directed, self.source, **options).run().getDistances(asarray=True)


# Results of others -----------------------------------------------------------------------------------------------


def as_array(_: Any, found: Any) -> np.ndarray:
    return np.asarray(found, dtype=float)


def from_dict(missing: float) -> Callable[[Any, dict[int, Any]], np.ndarray]:
    return lambda g, found: scattered(g.n, missing, list(found), list(found.values()))


def labels_of_sets(g: Any, sets: Any) -> np.ndarray:
    result = np.empty(g.n)
    for label, members in enumerate(sets):
        result[list(members)] = label
    return result


def levels_by_layers(g: Any, found: tuple[list[int], list[int], list[int]]) -> np.ndarray:
    sizes = np.diff(found[1])
    return scattered(g.n, np.inf, found[0], np.repeat(np.arange(len(sizes)), sizes))


def reached(g: Any, found: Any) -> np.ndarray:
    """NetworKit's distances, which are the largest number without a path."""
    distances = np.asarray(found, dtype=float)
    return np.where(distances < 1e300, distances, np.inf)


def rows_from_dicts(g: Any, found: dict[int, dict[int, float]]) -> np.ndarray:
    return np.stack([from_dict(np.inf)(g, found[row]) for row in range(g.n)])


def chosen(g: Any, vertices: Any) -> np.ndarray:
    return scattered(g.n, 0, list(vertices), 1).astype(bool)


def partners(g: Any, found: Any) -> np.ndarray:
    return scattered(g.n, -1, [v for edge in found for v in edge], [v for edge in found for v in edge[::-1]])


def twice(g: Any, found: Any) -> np.ndarray:
    return g.twice * np.array(found)


VALUES, DISTANCES = from_dict(0.0), from_dict(np.inf)
# fmt: off
SCIPY = {
    "parents": Task(lambda g: csgraph.breadth_first_order(g.directed, g.source)),
    "sssp": Task(lambda g: csgraph.dijkstra(g.directed, indices=g.source), as_array),
    "sssp with parents": Task(
        lambda g: csgraph.dijkstra(g.directed, indices=g.source, return_predecessors=True), lambda g, r: r[0]),
    "components": Task(lambda g: csgraph.connected_components(g.directed, directed=False), lambda g, r: r[1]),
    "strong components":
        Task(lambda g: csgraph.connected_components(g.directed, connection="strong"), lambda g, r: r[1]),
    "spanning forest": Task(lambda g: csgraph.minimum_spanning_tree(g.directed), lambda g, r: r.sum()),
    "bfs, 64 sources": Task(lambda g: csgraph.dijkstra(g.directed, indices=g.case.some(64), unweighted=True), as_array),
    "maximum flow": Task(
        lambda g: csgraph.maximum_flow(g.whole_numbers, g.source, g.case.target), lambda g, r: r.flow_value),
    "apsp": Task(lambda g: csgraph.dijkstra(g.directed), as_array),
}
NETWORKX = {
    "bfs": Task(lambda g: g.nx.single_source_shortest_path_length(g.directed, g.source), DISTANCES),
    "parents": Task(lambda g: dict(g.nx.bfs_predecessors(g.directed, g.source))),
    "sssp": Task(lambda g: g.nx.single_source_dijkstra_path_length(g.directed, g.source), DISTANCES),
    "pagerank": Task(lambda g: g.nx.pagerank(g.directed), VALUES),
    "eigenvector": Task(
        lambda g: g.nx.eigenvector_centrality(g.directed, weight="weight", tol=1e-5, max_iter=5000), VALUES),
    "katz": Task(lambda g: g.nx.katz_centrality(g.directed, alpha=g.alpha), VALUES),
    "hits": Task(lambda g: g.nx.hits(g.directed)[0], VALUES),
    "components": Task(lambda g: list(g.nx.connected_components(g.both)), labels_of_sets),
    "strong components": Task(
        lambda g: list((g.nx.strongly_connected_components if g.case.directed else g.nx.connected_components)(
            g.directed)), labels_of_sets),
    "spanning forest": Task(lambda g: g.nx.minimum_spanning_tree(g.both), lambda g, r: r.size(weight="weight")),
    "triangles": Task(lambda g: g.nx.triangles(g.both), VALUES),
    "clustering": Task(lambda g: g.nx.clustering(g.both), VALUES),
    "cores": Task(lambda g: g.nx.core_number(g.both), VALUES),
    "core": Task(lambda g: g.nx.k_core(g.both, 8), chosen),
    "truss": Task(lambda g: g.nx.k_truss(g.both, 4), lambda g, r: r.size()),
    "independent set": Task(lambda g: g.nx.maximal_independent_set(g.both, seed=1), chosen),
    "colouring": Task(lambda g: g.nx.greedy_color(g.both), from_dict(-1)),
    "matching": Task(lambda g: g.nx.maximal_matching(g.both), partners),
    "louvain": Task(lambda g: g.nx.community.louvain_communities(g.both, seed=1)),
    "shortest path":
        Task(lambda g: g.nx.single_source_dijkstra(g.directed, g.source, g.case.target), lambda g, r: r[0]),
    "reachability": Task(lambda g: g.nx.descendants(g.directed, g.source) | {g.source}, chosen),
    "topological generations": Task(lambda g: list(g.nx.topological_generations(g.forward)), labels_of_sets),
    "topological order": Task(lambda g: list(g.nx.topological_sort(g.forward))),
    "bipartite": Task(lambda g: g.nx.is_bipartite(g.both), as_array),
    "maximum flow":
        Task(lambda g: g.nx.maximum_flow_value(g.directed, g.source, g.case.target, capacity="weight"), as_array),
    "transitivity": Task(lambda g: g.nx.transitivity(g.both), as_array),
    "ego graph, radius 2":
        Task(lambda g: g.nx.ego_graph(g.directed, g.source, 2), lambda g, r: r.number_of_nodes()),
    "subgraph of a half": Task(lambda g: g.directed.subgraph(g.half).copy(), lambda g, r: r.size() * g.twice),
    "apsp": Task(lambda g: dict(g.nx.all_pairs_dijkstra_path_length(g.directed)), rows_from_dicts),
    "closeness": Task(lambda g: g.nx.closeness_centrality(g.directed), VALUES),
    "betweenness": Task(
        lambda g: g.nx.betweenness_centrality(g.directed, normalized=False), lambda g, r: VALUES(g, r) * g.twice),
    "load": Task(lambda g: g.nx.load_centrality(g.directed, normalized=False), VALUES),
    "forceatlas2, 10 steps": Task(lambda g: g.nx.forceatlas2_layout(g.both, max_iter=10, seed=1)),
    "jaccard of all edges": Task(
        lambda g: list(g.nx.jaccard_coefficient(g.both, g.both.edges)), lambda g, r: sum(each[2] for each in r)),
}
IGRAPH = {
    "bfs": Task(lambda g: g.directed.bfs(g.source), levels_by_layers),
    "parents": Task(lambda g: g.directed.bfs(g.source)),
    "sssp": Task(lambda g: g.directed.distances(g.source, weights="weight", mode="out")[0], as_array),
    "betweenness, one source":
        Task(lambda g: g.directed.betweenness(directed=True, sources=[g.source], targets=range(g.n)), twice),
    "pagerank": Task(lambda g: g.directed.pagerank(weights="weight"), as_array),
    "eigenvector": Task(lambda g: g.directed.eigenvector_centrality(weights="weight"), as_array),
    "hits": Task(lambda g: g.directed.hub_score(weights="weight"), as_array),
    "components": Task(lambda g: g.directed.connected_components(mode="weak").membership, as_array),
    "strong components": Task(lambda g: g.directed.connected_components(mode="strong").membership, as_array),
    "spanning forest": Task(
        lambda g: g.both.spanning_tree(weights="weight", return_tree=False),
        lambda g, r: sum(g.both.es[r]["weight"])),
    "triangle count": Task(lambda g: len(g.both.list_triangles()), as_array),
    "clustering": Task(lambda g: g.both.transitivity_local_undirected(mode="zero"), as_array),
    "cores": Task(lambda g: g.both.coreness(), as_array),
    "minimum cut": Task(lambda g: g.both.mincut(capacity="weight").value, as_array),
    "cliques of 4": Task(lambda g: len(g.both.cliques(4, 4)), as_array),
    "motifs": Task(lambda g: g.both.motifs_randesu(4), lambda g, r: np.asarray(r, dtype=float)[[6, 4, 8, 7, 9, 10]]),
    "core": Task(lambda g: g.both.k_core(8), lambda g, r: r.vcount()),
    "colouring": Task(lambda g: g.both.vertex_coloring_greedy(), as_array),
    "label propagation": Task(lambda g: g.both.community_label_propagation().membership),
    "louvain": Task(lambda g: g.both.community_multilevel(weights="weight").membership),
    "leiden": Task(lambda g: g.both.community_leiden("modularity", weights="weight", n_iterations=-1).membership),
    "shortest path": Task(
        lambda g: g.directed.get_shortest_path(g.source, g.case.target, weights="weight"),
        lambda g, r: sum(g.case.S[u, v] for u, v in itertools.pairwise(r))),
    "topological order": Task(lambda g: g.forward.topological_sorting()),
    "bipartite": Task(lambda g: g.both.is_bipartite(), as_array),
    "maximum flow": Task(lambda g: g.directed.maxflow_value(g.source, g.case.target, capacity="weight"), as_array),
    "transitivity": Task(lambda g: g.both.transitivity_undirected(), as_array),
    "subgraph of a half": Task(lambda g: g.directed.induced_subgraph(g.half), lambda g, r: r.ecount() * g.twice),
    "ego graph, radius 2": Task(
        lambda g: g.directed.induced_subgraph(g.directed.neighborhood(g.source, order=2, mode="out")),
        lambda g, r: r.vcount()),
    "modularity of 16 parts":
        Task(lambda g: g.both.modularity([i % 16 for i in range(g.n)], weights="weight"), as_array),
    "apsp": Task(lambda g: g.directed.distances(weights="weight", mode="out"), as_array),
    "closeness": Task(lambda g: g.directed.closeness(mode="in")),
    "betweenness": Task(lambda g: g.directed.betweenness(directed=True), twice),
    "1000 random walks of 80":
        Task(lambda g: [g.directed.random_walk(start % g.n, 80, stuck="return") for start in range(1000)]),
}
NETWORKIT = {
    "bfs": Task(lambda g: g.distances("BFS", storePaths=False), reached),
    "sssp": Task(lambda g: g.distances("Dijkstra", storePaths=False), reached),
    "sssp with parents": Task(lambda g: g.distances("Dijkstra"), reached),
    "pagerank": Task(lambda g: g.pagerank(), as_array),
    "components": Task(lambda g: g.labels("components", "ConnectedComponents", g.both), as_array),
    "strong components": Task(lambda g: g.strong_components(), as_array),
    "spanning forest": Task(lambda g: g.nk.graph.KruskalMSF(g.both).run(), lambda g, r: r.getTotalWeight()),
    "triangle count": Task(lambda g: sum(g.nk.sparsification.TriangleEdgeScore(g.both).run().scores()) // 3, as_array),
    "clustering": Task(lambda g: g.nk.centrality.LocalClusteringCoefficient(g.both, True).run().scores(), as_array),
    "cores": Task(lambda g: g.nk.centrality.CoreDecomposition(g.both).run().scores(), as_array),
    "label propagation": Task(lambda g: g.labels("community", "PLP", g.both)),
    "louvain": Task(lambda g: g.labels("community", "PLM", g.both)),
    "leiden": Task(lambda g: g.labels("community", "ParallelLeiden", g.both)),
    "matching": Task(
        lambda g: g.nk.matching.SuitorMatcher(g.both, sortSuitor=False).run().getMatching(),
        lambda g, r: np.array([-1 if v is None or v >= g.n else v for v in r.getVector()])),
}
# fmt: on
LIBRARIES: dict[str, tuple[type[Graphs], dict[str, Task]]] = {
    "scipy": (Graphs, SCIPY),
    "networkx": (NetworkXGraphs, NETWORKX),
    "igraph": (IgraphGraphs, IGRAPH),
    "networkit": (NetworkitGraphs, NETWORKIT),
}


def task(library: str, algorithm: str, directed: bool) -> Task | None:
    """The task of a library for the same result, if it exists. For similarities, others use the neighbours in both
    directions, we use out-neighbours."""
    if directed and algorithm == "jaccard of all edges":
        return None
    return LIBRARIES[library][1].get(algorithm)


def prepared(case: Any, wanted: list[str]) -> dict[str, Graphs]:
    """The graphs of those libraries among ``wanted`` that are installed."""
    return {name: LIBRARIES[name][0](case) for name in wanted if find_spec(name) is not None}


# What must be the same -------------------------------------------------------------------------------------------


def same(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(np.asarray(theirs, float), np.asarray(ours, float), rtol=1e-6, atol=1e-9)


def same_direction(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Each converged by its own rule, so the results are only nearly parallel."""
    cosine = ours @ theirs / (np.linalg.norm(ours) * np.linalg.norm(theirs))
    assert abs(cosine) > 0.999, f"not the same direction: cosine {cosine}"


def same_parts(ours: np.ndarray, theirs: np.ndarray) -> None:
    pairs = np.unique(np.stack([ours, theirs]), axis=1).shape[1]
    assert pairs == len(np.unique(ours)) == len(np.unique(theirs))


def half_of_all(found: Any) -> float:
    return found.reduce_scalar().new().get(0.0) / 2


#: Our result as an array or number, if it is not the vector with zeros in its gaps.
OURS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("bfs", "sssp", "bfs, 64 sources", "apsp"), lambda r: r.to_dense(np.inf, dtype=float)),
    **dict.fromkeys(("spanning forest", "jaccard of all edges"), half_of_all),
    **dict.fromkeys(("triangle count", "bipartite", "transitivity", "modularity of 16 parts", "cliques of 4"), float),
    "sssp with parents": lambda r: r.distances.to_dense(np.inf),
    "hits": lambda r: r[0].to_dense(),
    "truss": lambda r: r.nvals / 2,
    "shortest path": lambda r: r.length,
    **dict.fromkeys(("maximum flow", "minimum cut"), lambda r: r.value),
    "motifs": lambda r: np.array(r[3:]),
    "ego graph, radius 2": lambda r: r.matrix.nrows,
    "subgraph of a half": lambda r: r.matrix.nvals,
}
ALIKE: dict[str, Callable[[Any, Any], None]] = {
    **dict.fromkeys(("pagerank", "eigenvector", "katz", "hits"), same_direction),
    **dict.fromkeys(("components", "strong components"), same_parts),
    # igraph renumbers the vertices of a core: compare only their number
    "core": lambda ours, theirs: same(ours if np.ndim(theirs) else ours.sum(), theirs),
}
#: The checks of algorithms with many right results, the same as for ours.
FULFILLED: dict[str, Callable[[checks.Arrays, Any], None]] = {
    "independent set": checks.independent,
    "colouring": checks.colouring,
    "matching": checks.matching,
}


class Shown(NamedTuple):
    """An array in place of our Vector, for the checks of algorithms with many right results."""

    values: np.ndarray

    def to_dense(self, fill: Any = None) -> np.ndarray:
        return self.values


def compare(case: Any, algorithm: str, ours: Any, theirs: Any) -> None:
    """Raise an AssertionError if the result of another library's task is wrong."""
    if algorithm in FULFILLED:
        FULFILLED[algorithm](case.S, Shown(theirs))
    else:
        shown = OURS.get(algorithm, lambda r: r.to_dense(0))
        ALIKE.get(algorithm, same)(shown(ours), theirs)
