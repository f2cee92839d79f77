"""Every algorithm of the library as ``library_speed`` runs it: a call on a graph, and the check of its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from grblas_gpu import algorithms as a

from . import library_checks as checks
from .library_graphs import Case


class Work(NamedTuple):
    """An algorithm and its check; ``of_small`` if it is one for graphs of some thousand vertices."""

    run: Callable[[Case], Any]
    check: Callable[[Case, Any], None]
    undirected_only: bool = False
    of_small: bool = False


def searched(search: str, **options: Any) -> Work:
    """A breadth-first search."""
    return Work(lambda c: getattr(a, search)(c.A, c.source, **options), lambda c, r: checks.levels(c.S, r, c.source))


def measured(shortest: str) -> Work:
    """Distances from a source."""
    return Work(lambda c: getattr(a, shortest)(c.A, c.source), lambda c, r: checks.sssp(c.S, r, c.source))


def similar(measure: str, of_counts: Callable[[Any, Any, Any], Any]) -> Work:
    """Of given pairs, by what they have in common and what each has."""
    return Work(
        lambda c: getattr(a, measure)(c.A, c.pairs), lambda c, r: checks.similarity_of_pairs(c.S, r, c.pairs, of_counts)
    )


def symmetric(case: Case) -> checks.Arrays:
    return case.S if not case.directed else checks.undirected(case.S)


def count(case: Case) -> int:
    return a.triangle_count(case.A)


def small_alpha(case: Case) -> float:
    """Small enough to converge: no vertex has more edges in and out. Known to the matrix, so it takes no time."""
    return 0.5 / max(1, case.A._store.max_degree + case.A._store.transposed().max_degree)


WORKS: dict[str, Work] = {
    "bfs": searched("bfs"),
    "dobfs": searched("dobfs"),
    "hybrid bfs": searched("hybrid_bfs"),
    "turbobfs": searched("turbobfs"),
    "xbfs": searched("xbfs"),
    "xbfs, asynchronous": searched("xbfs", asynchronous=True),
    "parents": Work(
        lambda c: a.bfs_parents(c.A, c.source),
        lambda c, r: checks.parents(c.S, r, c.source),
    ),
    "bfs, 64 sources": Work(
        lambda c: a.bfs_multi(c.A, c.some(64)), lambda c, r: checks.levels_of_many(c.S, r, c.some(64))
    ),
    "reachability": Work(
        lambda c: a.reachability(c.A, c.source),
        lambda c, r: checks.reached(c.S, r, c.source),
    ),
    "sssp": measured("sssp"),
    "sssp with parents": Work(
        lambda c: a.sssp(c.A, c.source, predecessors=True), lambda c, r: checks.shortest_paths(c.S, r, c.source)
    ),
    "delta stepping": measured("delta_stepping"),
    "bellman-ford": measured("bellman_ford"),
    "shortest path": Work(
        lambda c: a.shortest_path(c.A, c.source, c.target), lambda c, r: checks.path(c.S, r, c.source, c.target)
    ),
    "diameter estimate": Work(
        lambda c: a.diameter_estimate(c.A, c.source), lambda c, r: checks.lower_bound_of_diameter(c.S, r, c.source)
    ),
    "betweenness, one source": Work(
        lambda c: a.betweenness_centrality(c.A, c.source, normalized=False, directed=True),
        lambda c, r: checks.dependencies(c.S, r, c.source),
    ),
    "weighted betweenness, one source": Work(
        lambda c: a.betweenness_centrality(c.A, c.source, weighted=True, normalized=False, directed=True),
        lambda c, r: checks.weighted_dependencies(c.S, r, c.source),
    ),
    "edge betweenness, one source": Work(
        lambda c: a.edge_betweenness_centrality(c.A, c.source, normalized=False, directed=True),
        lambda c, r: checks.edge_dependencies(c.S, r, c.source),
    ),
    "pagerank": Work(lambda c: a.pagerank(c.A), lambda c, r: checks.pagerank(c.S, r)),
    "personalized pagerank, 8 sources": Work(
        lambda c: a.personalized_pagerank(c.A, c.some(8)),
        lambda c, r: checks.personalized_pagerank(c.S, r, c.some(8)),
    ),
    "eigenvector": Work(
        lambda c: a.eigenvector_centrality(c.A, weighted=True, tol=1e-5, max_iterations=5000),
        lambda c, r: checks.eigenvector(c.S, r),
        undirected_only=True,
    ),
    "katz": Work(
        lambda c: a.katz(c.A, small_alpha(c), weighted=False),
        lambda c, r: checks.katz((c.S > 0).astype(float), r, small_alpha(c)),
    ),
    "hits": Work(lambda c: a.hits(c.A, tol=1e-5), lambda c, r: checks.hits(c.S, r)),
    "components": Work(
        lambda c: a.connected_components(c.A),
        lambda c, r: checks.components(c.S, r, False),
    ),
    "strong components": Work(
        lambda c: a.strongly_connected_components(c.A),
        lambda c, r: checks.components(c.S, r, True),
    ),
    "topological generations": Work(
        lambda c: a.topological_generations(c.forward),
        lambda c, r: checks.generations(checks.as_scipy(c.forward), r),
    ),
    "topological order": Work(
        lambda c: a.topological_order(c.forward), lambda c, r: checks.order(checks.as_scipy(c.forward), r)
    ),
    "bipartite": Work(lambda c: a.is_bipartite(c.A), lambda c, r: checks.bipartite(c.S, r)),
    "two sides": Work(
        lambda c: a.bipartite_sides(c.two_sides), lambda c, r: checks.sides(checks.as_scipy(c.two_sides), r)
    ),
    "spanning forest": Work(
        lambda c: a.minimum_spanning_forest(c.A),
        lambda c, r: checks.forest(c.S, r),
        undirected_only=True,
    ),
    "maximum flow": Work(
        lambda c: a.maximum_flow(c.A, c.source, c.target), lambda c, r: checks.flow(c.S, r, c.source, c.target)
    ),
    "triangle count": Work(lambda c: a.triangle_count(c.A), lambda c, r: checks.triangles(a.triangles(c.A), r)),
    "triangles": Work(
        lambda c: a.triangles(c.A),
        lambda c, r: checks.triangles(r, count(c)),
    ),
    "clustering": Work(
        lambda c: a.clustering(c.A),
        lambda c, r: checks.coefficients(c.S, r, count(c)),
        undirected_only=True,
    ),
    "transitivity": Work(
        lambda c: a.transitivity(c.A),
        lambda c, r: checks.transitivity(c.S, r, count(c)),
        undirected_only=True,
    ),
    "cores": Work(lambda c: a.core_number(c.A), lambda c, r: checks.cores(c.S, r)),
    "core": Work(
        lambda c: a.k_core(c.A, 8),
        lambda c, r: checks.core(a.core_number(c.A), r, 8),
    ),
    "truss": Work(lambda c: a.k_truss(c.A, 4), lambda c, r: checks.truss(r, 4)),
    "independent set": Work(
        lambda c: a.maximal_independent_set(c.A),
        lambda c, r: checks.independent(c.S, r),
    ),
    "colouring": Work(
        lambda c: a.vertex_colouring(c.A),
        lambda c, r: checks.colouring(c.S, r),
    ),
    "matching": Work(
        lambda c: a.maximal_matching(c.A),
        lambda c, r: checks.matching(c.S, r),
    ),
    "label propagation": Work(lambda c: a.label_propagation(c.A), lambda c, r: checks.same_component(symmetric(c), r)),
    "louvain": Work(
        lambda c: a.louvain(c.A),
        lambda c, r: checks.communities(c.S, r),
        undirected_only=True,
    ),
    "leiden": Work(lambda c: a.leiden(c.A), lambda c, r: checks.communities(c.S, r), undirected_only=True),
    "modularity of 16 parts": Work(
        lambda c: a.modularity(c.A, c.sixteenths),
        lambda c, r: checks.modularity(c.S, c.sixteenths, r),
        undirected_only=True,
    ),
    "jaccard of all edges": Work(
        lambda c: a.jaccard(c.A, c.A),
        lambda c, r: checks.similarity(c.S, r),
    ),
    "jaccard of 10,000 pairs": similar("jaccard", lambda common, own, other: common / (own + other - common)),
    "overlap of 10,000 pairs": similar("overlap", lambda common, own, other: common / np.minimum(own, other)),
    "sorensen of 10,000 pairs": similar("sorensen", lambda common, own, other: 2 * common / (own + other)),
    "cosine of 10,000 pairs": similar("cosine", lambda common, own, other: common / np.sqrt(own * other)),
    "two hops, 64 sources": Work(
        lambda c: a.two_hop_neighbors(c.A, c.some(64)), lambda c, r: checks.two_hops(c.S, r, c.some(64))
    ),
    "ego graph, radius 2": Work(
        lambda c: a.ego_graph(c.A, c.source, 2), lambda c, r: checks.ego_graph(c.S, r, c.source, 2)
    ),
    "subgraph of a half": Work(
        lambda c: a.induced_subgraph(c.A, c.half),
        lambda c, r: checks.subgraph(c.S, r, c.half),
    ),
    "1000 random walks of 80": Work(
        lambda c: a.random_walks(c.A, np.arange(1000) % c.A.nrows, 80), lambda c, r: checks.walks(c.S, r)
    ),
    "1000 node2vec walks of 80": Work(
        lambda c: a.random_walks(c.A, np.arange(1000) % c.A.nrows, 80, weighted=True, p=0.5, q=2.0),
        lambda c, r: checks.walks(c.S, r),
    ),
    "samples of 10, 5": Work(
        lambda c: a.sample_neighbors(c.A, range(min(1000, c.A.nrows)), [10, 5]),
        lambda c, r: checks.part_of(c.S, r, 10),
    ),
    # and those of small graphs
    "apsp": Work(lambda c: a.apsp(c.A), lambda c, r: checks.all_distances(c.S, r), of_small=True),
    "eccentricity": Work(lambda c: a.eccentricity(c.A), lambda c, r: checks.eccentricity(c.S, r), of_small=True),
    "diameter": Work(  # of one component, as it is infinite otherwise
        lambda c: a.diameter(c.connected), lambda c, r: checks.diameter(checks.as_scipy(c.connected), r), of_small=True
    ),
    "closeness": Work(lambda c: a.closeness(c.A), lambda c, r: checks.closeness(c.S, r), of_small=True),
    "transitive closure": Work(lambda c: a.transitive_closure(c.A), lambda c, r: checks.closure(c.S, r), of_small=True),
    "betweenness": Work(
        lambda c: a.betweenness_centrality(c.A, normalized=False, directed=True),
        lambda c, r: checks.all_dependencies(c.S, r),
        of_small=True,
    ),
}
#: Algorithms of which nearly all is loops.
LOOPS = frozenset(
    ("bfs", "dobfs", "hybrid bfs", "turbobfs", "xbfs", "xbfs, asynchronous", "parents", "reachability")
    + ("sssp", "sssp with parents", "delta stepping", "bellman-ford", "diameter estimate")
    + ("betweenness, one source", "pagerank", "eigenvector", "katz", "hits", "components", "strong components")
    + ("topological generations", "bipartite", "two sides", "spanning forest", "cores", "core", "independent set")
    + ("colouring", "matching", "label propagation")
)
