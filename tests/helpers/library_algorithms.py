"""Every algorithm of the library as a function of the graph alone."""

from __future__ import annotations

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, select


def size(A) -> int:
    return getattr(A, "nrows", 0)


def upper_part(A):
    """A graph without cycles; other objects unchanged."""
    return select.triu(A, 1).new() if isinstance(A, Matrix) else A


def bipartite_part(A):
    """The edges between even and odd vertices."""
    if not isinstance(A, Matrix) or A.nrows != A.ncols:
        return A
    with gb.using(A.backend):
        side = Vector.from_dense(np.arange(A.nrows) % 2)
    return A.dup(mask=binary.ne(binary.first(side & A).new() & binary.second(A & side).new()).new().V)


def some_non_edges(A) -> int:
    """At most three, and no more than the graph has."""
    A = getattr(A, "matrix", A)
    if not isinstance(A, Matrix) or A.nrows != A.ncols:
        return 0
    return min(3, A.nrows * (A.nrows - 1) - select.offdiag(A).new().nvals)


ALGORITHMS = {
    "apsp": algorithms.apsp,
    "articulation_points": algorithms.articulation_points,
    "astar": lambda A: algorithms.astar(A, 0, 0, {}),
    "bellman_ford": lambda A: algorithms.bellman_ford(A, 0),
    "biconnected_components": algorithms.biconnected_components,
    "bipartite_sides": lambda A: algorithms.bipartite_sides(bipartite_part(A)),
    "bridges": algorithms.bridges,
    "clique_count": lambda A: algorithms.clique_count(A, 4),
    "closeness": algorithms.closeness,
    "clustering": algorithms.clustering,
    "coarsen": algorithms.coarsen,
    "connected_components": algorithms.connected_components,
    "context_free_reachability": lambda A: algorithms.context_free_reachability(A, [("S", "A"), ("S", "A S A")]),
    "core_number": algorithms.core_number,
    "cosine": algorithms.cosine,
    "degree_centrality": algorithms.degree_centrality,
    "delta_stepping": lambda A: algorithms.delta_stepping(A, 0),
    "densest_subgraph": algorithms.densest_subgraph,
    "diameter_estimate": algorithms.diameter_estimate,
    "eccentricity": algorithms.eccentricity,
    "ecg": lambda A: algorithms.ecg(A, 3),
    "edge_betweenness_centrality": algorithms.edge_betweenness_centrality,
    "ego_graph": lambda A: algorithms.ego_graph(A, 0),
    "eigenvector_centrality": lambda A: algorithms.eigenvector_centrality(A, max_iterations=2000),
    "fiedler_vector": lambda A: algorithms.fiedler_vector(A, tol=1e-2),
    "forceatlas2": lambda A: algorithms.forceatlas2(A, iterations=3),
    "graphlet_degrees": algorithms.graphlet_degrees,
    "harmonic_centrality": algorithms.harmonic_centrality,
    "hits": algorithms.hits,
    "induced_subgraph": lambda A: algorithms.induced_subgraph(A, range(size(A) // 2)),
    "is_bipartite": algorithms.is_bipartite,
    "jaccard": algorithms.jaccard,
    "k_core": lambda A: algorithms.k_core(A, 2),
    "k_shortest_paths": lambda A: algorithms.k_shortest_paths(A, 0, 0, 2),
    "k_truss": lambda A: algorithms.k_truss(A, 3),
    "katz": lambda A: algorithms.katz(A, alpha=0.01),
    "label_propagation": algorithms.label_propagation,
    "leiden": algorithms.leiden,
    "load_centrality": algorithms.load_centrality,
    "louvain": algorithms.louvain,
    "markov_clustering": algorithms.markov_clustering,
    "maximal_independent_set": algorithms.maximal_independent_set,
    "maximal_matching": algorithms.maximal_matching,
    "maximum_bipartite_matching": lambda A: algorithms.maximum_bipartite_matching(bipartite_part(A)),
    "maximum_flow": lambda A: algorithms.maximum_flow(A, 0, max(1, size(A) - 1)),
    "minimum_cost_flow": lambda A: algorithms.minimum_cost_flow(A, 0, max(1, size(A) - 1), A),
    "maximum_matching_bounds": algorithms.maximum_matching_bounds,
    "minimum_cut": algorithms.minimum_cut,
    "minimum_spanning_forest": algorithms.minimum_spanning_forest,
    "modularity": lambda A: algorithms.modularity(A, Vector.from_scalar(0, size(A))),
    "motif_counts": algorithms.motif_counts,
    "overlap": algorithms.overlap,
    "pagerank": algorithms.pagerank,
    "partition_quality": lambda A: algorithms.partition_quality(A, Vector.from_scalar(0, size(A))),
    "peer_pressure": algorithms.peer_pressure,
    "personalized_pagerank": lambda A: algorithms.personalized_pagerank(A, range(min(2, size(A)))),
    "random_walks": lambda A: algorithms.random_walks(A, range(size(A)), 3),
    "reachability": lambda A: algorithms.reachability(A, 0),
    "regular_reachability": lambda A: algorithms.regular_reachability(A, "A/A*"),
    "rich_club": algorithms.rich_club,
    "sample_neighbors": lambda A: algorithms.sample_neighbors(A, range(size(A)), 2),
    "sample_non_edges": lambda A: algorithms.sample_non_edges(A, some_non_edges(A)),
    "shortest_path": lambda A: algorithms.shortest_path(A, 0, 0),
    "sorensen": algorithms.sorensen,
    "spectral_cut": algorithms.spectral_cut,
    "spectral_layout": lambda A: algorithms.spectral_layout(A, max_iterations=3),
    "sssp": lambda A: algorithms.sssp(A, 0),
    "strongly_connected_components": algorithms.strongly_connected_components,
    "subgraph_count": lambda A: algorithms.subgraph_count(A, [(0, 1), (1, 2)]),
    "subgraph_matches": lambda A: algorithms.subgraph_matches(A, [(0, 1), (1, 2)], 5),
    "topological_generations": lambda A: algorithms.topological_generations(upper_part(A)),
    "topological_order": lambda A: algorithms.topological_order(upper_part(A)),
    "transitive_closure": algorithms.transitive_closure,
    "transitivity": algorithms.transitivity,
    "triangle_centrality": algorithms.triangle_centrality,
    "triangle_count": algorithms.triangle_count,
    "triangles": algorithms.triangles,
    "truss_number": algorithms.truss_number,
    "two_hop_neighbors": algorithms.two_hop_neighbors,
    "vertex_colouring": algorithms.vertex_colouring,
    "voterank": algorithms.voterank,
}
