"""Every algorithm of the library as ``library_speed`` runs it: a call on a graph, and the check of its result.

Four graphs, in any size: "rmat" is Graph500's Kronecker graph (edge factor 16), "uniform" has 16 random neighbours a
vertex, "grid" as many vertices side by side, and "web" is a Kronecker graph of which every edge leads one way, the
other, or both ways, by a coin. Weights are integers from 1 to 255.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms as a, generators

from . import library_checks as checks

KINDS: dict[str, Callable[[int], gb.Matrix]] = {
    "rmat": lambda scale: generators.kronecker(scale, 16),
    "uniform": lambda scale: generators.uniform_random(2**scale, 16),
    "grid": lambda scale: generators.grid_2d(math.isqrt(2**scale), math.isqrt(2**scale)),
    "web": lambda scale: generators.kronecker(scale, 16, seed=2),
}
SMALL = 11  # 2**11 vertices: for algorithms with a number per pair, or a search per vertex


@dataclass(eq=False)  # compared by identity
class Case:
    """A graph on the measured backend, and as arrays for checks and other libraries."""

    name: str
    scale: int
    A: gb.Matrix  # weights
    source: int  # a vertex of highest degree
    directed: bool

    @cached_property
    def S(self) -> checks.Arrays:
        return checks.as_scipy(self.A)

    @cached_property
    def small(self) -> Case:
        """A graph of the same kind with few vertices."""
        return self if self.scale <= SMALL else graph(self.name, SMALL, self.A.backend)

    @cached_property
    def target(self) -> int:
        """The last vertex of highest in-degree among those that the source reaches."""
        degrees = self.A.reduce_columnwise(gb.agg.count).new().to_dense(0)
        degrees[self.source] = 0
        degrees[a.bfs(self.A, self.source).to_dense(-1) < 0] = 0
        return int(np.flatnonzero(degrees == degrees.max())[-1])

    @cached_property
    def forward(self) -> gb.Matrix:
        """Its edges from a lower vertex to a higher one: an acyclic graph."""
        return gb.select.triu(self.A, 1).new()

    @cached_property
    def connected(self) -> gb.Matrix:
        """Its largest strongly connected component."""
        part = a.strongly_connected_components(self.A).to_dense()
        return a.induced_subgraph(self.A, np.flatnonzero(part == np.bincount(part).argmax())).matrix

    @cached_property
    def two_sides(self) -> gb.Matrix:
        """Its edges between an even vertex and an odd one."""
        rows, columns, weights = self.A.to_coo()
        between = (rows + columns) % 2 == 1
        n = self.A.nrows
        with gb.using(self.A.backend):
            return gb.Matrix.from_coo(rows[between], columns[between], weights[between], nrows=n, ncols=n)

    @cached_property
    def pairs(self) -> np.ndarray:
        """10,000 pairs of vertices, some of them more than once."""
        return np.random.default_rng(1).integers(self.A.nrows, size=(10_000, 2))

    @cached_property
    def sixteenths(self) -> np.ndarray:
        """Sixteen parts of the vertices."""
        return np.arange(self.A.nrows) % 16

    @cached_property
    def half(self) -> np.ndarray:
        """Every second vertex."""
        return self.some(-(-self.A.nrows // 2))

    def some(self, count: int) -> np.ndarray:
        """Up to ``count`` vertices, spread over all."""
        return np.arange(0, self.A.nrows, max(1, self.A.nrows // count))[:count]


def graph(name: str, scale: int, backend: str) -> Case:
    """A graph of this kind with 2**scale vertices."""
    with gb.using("cpu"):
        return with_weights(name, scale, KINDS[name](scale), backend)


def with_weights(name: str, scale: int, pattern: gb.Matrix, backend: str) -> Case:
    """A graph with weights, the same in both directions of an edge."""
    rows, columns, _ = pattern.to_coo()
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    coin = (low * np.uint64(0x9E3779B97F4A7C15) + high * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(32)
    weights = (coin % np.uint64(255) + np.uint64(1)).astype(float)
    if name == "web":  # one way, the other way, or both
        keep = np.choose((coin % np.uint64(3)).astype(int), [rows < columns, rows > columns, np.ones(len(rows), bool)])
        rows, columns, weights = rows[keep], columns[keep], weights[keep]
    with gb.using(backend):
        A = gb.Matrix.from_coo(rows, columns, weights, nrows=pattern.nrows, ncols=pattern.nrows)
    return Case(name, scale, A, int(np.bincount(rows.astype(np.int64)).argmax()), not A.is_symmetric())


class Work(NamedTuple):
    """An algorithm and its check; ``of_small``: it runs on graphs of some thousand vertices."""

    run: Callable[[Case], Any]
    check: Callable[[Case, Any], None]
    undirected_only: bool = False
    of_small: bool = False


def on_graph(check: Callable[..., None], *names: str) -> Callable[[Case, Any], None]:
    """A check of the SciPy graph, the result, and these attributes of the case."""
    return lambda c, r: check(c.S, r, *(getattr(c, name) for name in names))


def of_source(algorithm: str, check: Callable[..., None], **options: Any) -> Work:
    return Work(lambda c: getattr(a, algorithm)(c.A, c.source, **options), on_graph(check, "source"))


def of_graph(algorithm: str, check: Callable[..., None], *flags: bool, **options: Any) -> Work:
    return Work(lambda c: getattr(a, algorithm)(c.A, **options), on_graph(check), *flags)


def similar(measure: str, of_counts: Callable[[Any, Any, Any], Any]) -> Work:
    """The similarity of given pairs, by the numbers of common and of own neighbours."""
    check = lambda c, r: checks.similarity_of_pairs(c.S, r, c.pairs, of_counts)  # noqa: E731
    return Work(lambda c: getattr(a, measure)(c.A, c.pairs), check)


def some_non_edges(c) -> int:
    """Half as many as vertices, if there are that many pairs without an edge."""
    n = c.A.nrows
    return min(n // 2, n * (n - 1) - c.A.pattern(loops=False).nvals)


def symmetric(case: Case) -> checks.Arrays:
    return case.S if not case.directed else checks.undirected(case.S)


def count(case: Case) -> int:
    return a.triangle_count(case.A)


def small_alpha(case: Case) -> float:
    """An alpha small enough to converge, by the largest degree. The matrix caches it, so it takes no time."""
    return 0.5 / max(1, case.A._store.max_degree + case.A._store.transposed().max_degree)


def walks(c: Case, **options: Any) -> Any:
    return a.random_walks(c.A, np.arange(1000) % c.A.nrows, 80, **options)


ONE_WAY = {"normalized": False, "directed": True}
# fmt: off
WORKS: dict[str, Work] = {
    "bfs": of_source("bfs", checks.levels),
    "dobfs": of_source("dobfs", checks.levels),
    "hybrid bfs": of_source("hybrid_bfs", checks.levels),
    "turbobfs": of_source("turbobfs", checks.levels),
    "xbfs": of_source("xbfs", checks.levels),
    "xbfs, asynchronous": of_source("xbfs", checks.levels, asynchronous=True),
    "parents": of_source("bfs_parents", checks.parents),
    "bfs, 64 sources": Work(
        lambda c: a.bfs_multi(c.A, c.some(64)), lambda c, r: checks.levels(c.S, r, c.some(64))),
    "reachability": of_source("reachability", checks.reached),
    "sssp": of_source("sssp", checks.sssp),
    "sssp with parents": of_source("sssp", checks.shortest_paths, predecessors=True),
    "delta stepping": of_source("delta_stepping", checks.sssp),
    "bellman-ford": of_source("bellman_ford", checks.sssp),
    "shortest path": Work(
        lambda c: a.shortest_path(c.A, c.source, c.target), on_graph(checks.path, "source", "target")),
    "diameter estimate": of_source("diameter_estimate", checks.lower_bound_of_diameter),
    "betweenness, one source": of_source("betweenness_centrality", checks.dependencies, **ONE_WAY),
    "weighted betweenness, one source":
        of_source("betweenness_centrality", checks.weighted_dependencies, weighted=True, **ONE_WAY),
    "edge betweenness, one source": of_source("edge_betweenness_centrality", checks.edge_dependencies, **ONE_WAY),
    "pagerank": of_graph("pagerank", checks.pagerank),
    "personalized pagerank, 8 sources": Work(
        lambda c: a.personalized_pagerank(c.A, c.some(8)),
        lambda c, r: checks.personalized_pagerank(c.S, r, c.some(8))),
    "eigenvector":
        of_graph("eigenvector_centrality", checks.eigenvector, True, weighted=True, tol=1e-5, max_iterations=5000),
    "katz": Work(
        lambda c: a.katz(c.A, small_alpha(c), weighted=False),
        lambda c, r: checks.katz((c.S > 0).astype(float), r, small_alpha(c))),
    "hits": of_graph("hits", checks.hits, tol=1e-5),
    "components": of_graph("connected_components", checks.components),
    "strong components": of_graph("strongly_connected_components", checks.strong_components),
    "topological generations": Work(
        lambda c: a.topological_generations(c.forward), lambda c, r: checks.generations(checks.as_scipy(c.forward), r)),
    "topological order": Work(
        lambda c: a.topological_order(c.forward), lambda c, r: checks.order(checks.as_scipy(c.forward), r)),
    "bipartite": of_graph("is_bipartite", checks.bipartite),
    "two sides": Work(
        lambda c: a.bipartite_sides(c.two_sides), lambda c, r: checks.sides(checks.as_scipy(c.two_sides), r)),
    "spanning forest": of_graph("minimum_spanning_forest", checks.forest, True),
    "maximum flow": Work(
        lambda c: a.maximum_flow(c.A, c.source, c.target), on_graph(checks.flow, "source", "target")),
    "triangle count": Work(count, lambda c, r: checks.triangles(a.triangles(c.A), r)),
    "triangles": Work(lambda c: a.triangles(c.A), lambda c, r: checks.triangles(r, count(c))),
    "clustering": Work(lambda c: a.clustering(c.A), lambda c, r: checks.coefficients(c.S, r, count(c)), True),
    "transitivity": Work(lambda c: a.transitivity(c.A), lambda c, r: checks.transitivity(c.S, r, count(c)), True),
    "cores": of_graph("core_number", checks.cores),
    "core": Work(lambda c: a.k_core(c.A, 8), lambda c, r: checks.core(a.core_number(c.A), r, 8)),
    "truss": Work(lambda c: a.k_truss(c.A, 4), lambda c, r: checks.truss(r, 4)),
    "independent set": of_graph("maximal_independent_set", checks.independent),
    "colouring": of_graph("vertex_colouring", checks.colouring),
    "matching": of_graph("maximal_matching", checks.matching),
    "bridges": of_graph("bridges", checks.bridges),
    "articulation points": of_graph("articulation_points", checks.articulation_points),
    "biconnected components": of_graph("biconnected_components", checks.blocks),
    "maximum bipartite matching": Work(
        lambda c: a.maximum_bipartite_matching(c.two_sides),
        lambda c, r: checks.maximum_matching(checks.as_scipy(c.two_sides), r)),
    "truss numbers": of_graph("truss_number", checks.truss_numbers),
    "densest subgraph": Work(
        lambda c: a.densest_subgraph(c.A), lambda c, r: checks.dense_part(c.S, r, a.core_number(c.A))),
    "minimum cut": of_graph("minimum_cut", checks.minimum_cut, True),
    "matching bounds": of_graph("maximum_matching_bounds", checks.matching_bounds),
    "rich club": of_graph("rich_club", checks.rich_club),
    "triangle centrality": of_graph("triangle_centrality", checks.triangle_centrality),
    "voterank, 10 vertices": of_graph("voterank", checks.elected, limit=10),
    "label propagation": Work(lambda c: a.label_propagation(c.A), lambda c, r: checks.same_component(symmetric(c), r)),
    "louvain": of_graph("louvain", checks.communities, True),
    "leiden": of_graph("leiden", checks.communities, True),
    "peer pressure": Work(lambda c: a.peer_pressure(c.A), lambda c, r: checks.same_component(symmetric(c), r)),
    "ensemble of 4": of_graph("ecg", checks.communities, True, ensemble=4),
    "fiedler vector": of_graph("fiedler_vector", checks.fiedler, tol=1e-4),
    "two halves": of_graph("spectral_cut", checks.halves),
    "spectral layout": of_graph("spectral_layout", checks.drawing),
    "coarsening": of_graph("coarsen", checks.coarse),
    "quality of 16 parts": Work(
        lambda c: a.partition_quality(c.A, c.sixteenths), lambda c, r: checks.partition(c.S, c.sixteenths, r)),
    "ten triangles": Work(
        lambda c: a.subgraph_matches(c.A, [(0, 1), (1, 2), (2, 0)], directed=False),
        lambda c, r: checks.matches(c.S, r, 3)),
    "modularity of 16 parts": Work(
        lambda c: a.modularity(c.A, c.sixteenths), lambda c, r: checks.modularity(c.S, c.sixteenths, r), True),
    "jaccard of all edges": Work(lambda c: a.jaccard(c.A, c.A), on_graph(checks.similarity)),
    "jaccard of 10,000 pairs": similar("jaccard", lambda common, own, other: common / (own + other - common)),
    "overlap of 10,000 pairs": similar("overlap", lambda common, own, other: common / np.minimum(own, other)),
    "sorensen of 10,000 pairs": similar("sorensen", lambda common, own, other: 2 * common / (own + other)),
    "cosine of 10,000 pairs": similar("cosine", lambda common, own, other: common / np.sqrt(own * other)),
    "two hops, 64 sources": Work(
        lambda c: a.two_hop_neighbors(c.A, c.some(64)), lambda c, r: checks.two_hops(c.S, r, c.some(64))),
    "ego graph, radius 2": Work(
        lambda c: a.ego_graph(c.A, c.source, 2), lambda c, r: checks.ego_graph(c.S, r, c.source, 2)),
    "subgraph of a half": Work(lambda c: a.induced_subgraph(c.A, c.half), on_graph(checks.subgraph, "half")),
    "1000 random walks of 80": Work(walks, on_graph(checks.walks)),
    "1000 node2vec walks of 80": Work(lambda c: walks(c, weighted=True, p=0.5, q=2.0), on_graph(checks.walks)),
    "samples of 10, 5": Work(
        lambda c: a.sample_neighbors(c.A, range(min(1000, c.A.nrows)), [10, 5]),
        lambda c, r: checks.part_of(c.S, r, 10)),
    "pairs without an edge": Work(
        lambda c: a.sample_non_edges(c.A, some_non_edges(c)), lambda c, r: checks.no_edges(c.S, r, some_non_edges(c))),
    "degree centrality": of_graph("degree_centrality", checks.degree_centrality, False, False),
    # and those of small graphs
    "apsp": of_graph("apsp", checks.all_distances, False, True),
    "eccentricity": of_graph("eccentricity", checks.eccentricity, False, True),
    "diameter": Work(  # of one component: otherwise it is infinite
        lambda c: a.diameter(c.connected), lambda c, r: checks.diameter(checks.as_scipy(c.connected), r),
        of_small=True),
    "closeness": of_graph("closeness", checks.closeness, False, True),
    "load": of_graph("load_centrality", checks.load, False, True, normalized=False),
    "cliques of 4": of_graph("clique_count", checks.cliques_of_4, False, True, k=4),
    "motifs": of_graph("motif_counts", checks.motifs, False, True),
    "graphlets": of_graph("graphlet_degrees", checks.graphlets, False, True),
    "squares": Work(
        lambda c: a.subgraph_count(c.A, [(0, 1), (1, 2), (2, 3), (3, 0)], directed=False), on_graph(checks.squares),
        of_small=True),
    "forceatlas2, 10 steps": of_graph("forceatlas2", checks.drawing, False, True, iterations=10),
    "harmonic centrality": of_graph("harmonic_centrality", checks.harmonic, False, True),
    "markov clustering": of_graph("markov_clustering", checks.same_component, False, True),
    "cheapest flow": Work(
        lambda c: a.minimum_cost_flow(c.A, c.source, c.target, c.A),
        on_graph(checks.cheapest_flow, "source", "target"), of_small=True),
    "four shortest paths": Work(
        lambda c: a.k_shortest_paths(c.A, c.source, c.target, 4), on_graph(checks.several_paths, "source", "target"),
        of_small=True),
    "astar": Work(
        lambda c: a.astar(c.A, c.source, c.target, {}), on_graph(checks.path, "source", "target"), of_small=True),
    "regular query": of_graph("regular_reachability", checks.closure, False, True, expression="A/A*"),
    "context-free query": of_graph(
        "context_free_reachability", checks.closure, False, True, rules=[("S", "A"), ("S", "S A")]),
    "transitive closure": of_graph("transitive_closure", checks.closure, False, True),
    "betweenness": of_graph("betweenness_centrality", checks.all_dependencies, False, True, **ONE_WAY),
}
# fmt: on
#: Algorithms that spend nearly all their time in loops.
LOOPS = frozenset(
    ("bfs", "dobfs", "hybrid bfs", "turbobfs", "xbfs", "xbfs, asynchronous", "parents", "reachability")
    + ("sssp", "sssp with parents", "delta stepping", "bellman-ford", "diameter estimate")
    + ("betweenness, one source", "pagerank", "eigenvector", "katz", "hits", "components", "strong components")
    + ("topological generations", "bipartite", "two sides", "spanning forest", "cores", "core", "independent set")
    + ("colouring", "matching", "label propagation")
)
