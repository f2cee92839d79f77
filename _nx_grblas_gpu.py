"""What NetworkX wants to know about the backend "grblas_gpu" when it is imported.

A module of its own at the top level, so that ``import networkx`` does not import grblas_gpu, or NumPy, with it.
"""

from __future__ import annotations

from typing import Any

NO_FUNCTION = "The weight must be the name of an edge attribute; a function falls back to NetworkX."
FINITE = NO_FUNCTION + " So do weights that are NaN, infinite or no plain numbers."
POSITIVE = FINITE.replace("infinite or", "infinite, negative or")
UNIQUE = " So do several shortest paths to a node."
COMMUNITIES = (
    "Directed graphs and max_level fall back to NetworkX. Random numbers are others, and so may be the communities."
)
BY_DISTANCE = " The result is ordered by distance."

FUNCTIONS: dict[str, str] = {
    "adamic_adar_index": "Pairs in an iterator, and graphs with loops, fall back to NetworkX.",
    "all_pairs_bellman_ford_path": POSITIVE + UNIQUE,
    "all_pairs_bellman_ford_path_length": FINITE + BY_DISTANCE,
    "all_pairs_dijkstra": POSITIVE + UNIQUE,
    "all_pairs_dijkstra_path": POSITIVE + UNIQUE,
    "all_pairs_dijkstra_path_length": POSITIVE + BY_DISTANCE,
    "all_pairs_shortest_path": "",
    "all_pairs_shortest_path_length": "The inner dictionaries are ordered by distance.",
    "ancestors": "",
    "attracting_components": "",
    "average_clustering": POSITIVE,
    "average_neighbor_degree": FINITE,
    "average_shortest_path_length": POSITIVE,
    "bellman_ford_path": POSITIVE + UNIQUE,
    "bellman_ford_path_length": FINITE,
    "betweenness_centrality": POSITIVE + " So do lengths of 0.",
    "bfs_edges": "The reverse of directed graphs falls back to NetworkX.",
    "bfs_layers": "",
    "bfs_predecessors": "",
    "bfs_successors": "",
    "boundary_expansion": "",
    "center": POSITIVE,
    "closeness_centrality": POSITIVE,
    "clustering": POSITIVE,
    "conductance": FINITE,
    "connected_components": "",
    "core_number": "Directed graphs fall back to NetworkX.",
    "cut_size": FINITE,
    "degree_centrality": "",
    "descendants": "",
    "descendants_at_distance": "",
    "diameter": POSITIVE,
    "dijkstra_path": POSITIVE + UNIQUE,
    "dijkstra_path_length": POSITIVE,
    "eccentricity": POSITIVE,
    "edge_betweenness_centrality": POSITIVE + " So do samples, lengths of 0 and multigraphs.",
    "edge_expansion": FINITE,
    "efficiency": "",
    "eigenvector_centrality": FINITE,
    "flow_hierarchy": FINITE,
    "floyd_warshall": FINITE + " So do cycles of negative length.",
    "floyd_warshall_numpy": FINITE + " So do cycles of negative length.",
    "global_efficiency": "",
    "group_degree_centrality": "",
    "group_in_degree_centrality": "",
    "group_out_degree_centrality": "",
    "gutman_index": POSITIVE,
    "harmonic_centrality": POSITIVE,
    "harmonic_diameter": POSITIVE,
    "has_path": "",
    "hyper_wiener_index": POSITIVE,
    "in_degree_centrality": "",
    "is_arborescence": "",
    "is_attracting_component": "",
    "is_bipartite": "",
    "is_branching": "",
    "is_connected": "",
    "is_directed_acyclic_graph": "",
    "is_dominating_set": "",
    "is_eulerian": "",
    "is_forest": "",
    "is_k_regular": "",
    "is_partition": "",
    "is_regular": "",
    "is_strongly_connected": "",
    "is_tournament": "",
    "is_tree": "",
    "is_weakly_connected": "",
    "isolates": "",
    "jaccard_coefficient": "Pairs in an iterator, and graphs with loops, fall back to NetworkX.",
    "katz_centrality": FINITE + " So do nstart and a beta for every node.",
    "leiden_communities": COMMUNITIES,
    "louvain_communities": COMMUNITIES,
    "maximal_independent_set": "Nodes that are given, and loops, fall back to NetworkX. Random numbers are others.",
    "mixing_expansion": FINITE,
    "modularity": FINITE,
    "multi_source_dijkstra": POSITIVE + UNIQUE,
    "multi_source_dijkstra_path": POSITIVE + UNIQUE,
    "multi_source_dijkstra_path_length": POSITIVE + BY_DISTANCE,
    "negative_edge_cycle": FINITE,
    "node_boundary": "",
    "node_connected_component": "",
    "node_expansion": "",
    "normalized_cut_size": FINITE,
    "number_attracting_components": "",
    "number_connected_components": "",
    "number_of_isolates": "",
    "number_of_selfloops": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "out_degree_centrality": "",
    "overall_reciprocity": "",
    "pagerank": POSITIVE,
    "periphery": POSITIVE,
    "predecessor": "",
    "preferential_attachment": "Pairs in an iterator, and graphs with loops, fall back to NetworkX.",
    "radius": POSITIVE,
    "reciprocity": "",
    "resource_allocation_index": "Pairs in an iterator, and graphs with loops, fall back to NetworkX.",
    "s_metric": "",
    "schultz_index": POSITIVE,
    "score_sequence": "",
    "shortest_path": "Only from one node to all; the rest falls back to NetworkX." + UNIQUE,
    "shortest_path_length": POSITIVE + BY_DISTANCE,
    "single_source_bellman_ford": POSITIVE + UNIQUE,
    "single_source_bellman_ford_path": POSITIVE + UNIQUE,
    "single_source_bellman_ford_path_length": FINITE + BY_DISTANCE,
    "single_source_dijkstra": POSITIVE + UNIQUE,
    "single_source_dijkstra_path": POSITIVE + UNIQUE,
    "single_source_dijkstra_path_length": POSITIVE + BY_DISTANCE,
    "single_source_shortest_path": "",
    "single_source_shortest_path_length": "",
    "single_target_shortest_path": "Directed graphs fall back to NetworkX.",
    "single_target_shortest_path_length": "",
    "square_clustering": "Directed graphs fall back to NetworkX.",
    "strongly_connected_components": "Components come in a reverse topological order, which need not be NetworkX's.",
    "transitivity": "",
    "triangles": "",
    "volume": FINITE,
    "weakly_connected_components": "",
    "wiener_index": POSITIVE,
}


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``.

    >>> sorted(get_info())
    ['backend_name', 'default_config', 'functions', 'package', 'project', 'short_summary']
    """
    return {
        "backend_name": "grblas_gpu",
        "project": "grblas_gpu",
        "package": "grblas_gpu",
        "short_summary": "GraphBLAS engines for the CPU and for CUDA devices.",
        "functions": {name: {"additional_docs": note} for name, note in FUNCTIONS.items()},
        # The fewest edges for which a graph is converted without being asked to.
        "default_config": {"min_edges": 1000},
    }
