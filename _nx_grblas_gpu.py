"""What NetworkX wants to know about the backend "grblas_gpu" when it is imported.

A module of its own at the top level, so that ``import networkx`` does not import grblas_gpu, or NumPy, with it.
"""

from __future__ import annotations

from typing import Any

NO_FUNCTION = "The weight must be the name of an edge attribute; a function falls back to NetworkX."
FINITE = NO_FUNCTION + " So do weights that are NaN, infinite or no plain numbers."
POSITIVE = FINITE.replace("infinite or", "infinite, negative or")
UNWEIGHTED = "Weighted paths fall back to NetworkX."
BY_DISTANCE = " The result is ordered by distance."

FUNCTIONS: dict[str, str] = {
    "all_pairs_bellman_ford_path_length": FINITE + BY_DISTANCE,
    "all_pairs_dijkstra_path_length": POSITIVE + BY_DISTANCE,
    "all_pairs_shortest_path_length": "The inner dictionaries are ordered by distance.",
    "ancestors": "",
    "average_clustering": POSITIVE,
    "average_neighbor_degree": FINITE,
    "average_shortest_path_length": POSITIVE,
    "bellman_ford_path_length": FINITE,
    "betweenness_centrality": UNWEIGHTED,
    "bfs_layers": "",
    "center": POSITIVE,
    "closeness_centrality": POSITIVE,
    "clustering": POSITIVE,
    "connected_components": "",
    "core_number": "Directed graphs fall back to NetworkX.",
    "degree_centrality": "",
    "descendants": "",
    "descendants_at_distance": "",
    "diameter": POSITIVE,
    "dijkstra_path_length": POSITIVE,
    "eccentricity": POSITIVE,
    "eigenvector_centrality": FINITE,
    "floyd_warshall": FINITE + " So do cycles of negative length.",
    "floyd_warshall_numpy": FINITE + " So do cycles of negative length.",
    "global_efficiency": "",
    "harmonic_centrality": POSITIVE,
    "has_path": "",
    "in_degree_centrality": "",
    "is_connected": "",
    "is_k_regular": "",
    "is_regular": "",
    "is_strongly_connected": "",
    "is_tournament": "",
    "is_weakly_connected": "",
    "isolates": "",
    "katz_centrality": FINITE + " So do nstart and a beta for every node.",
    "multi_source_dijkstra_path_length": POSITIVE + BY_DISTANCE,
    "negative_edge_cycle": FINITE,
    "node_connected_component": "",
    "number_connected_components": "",
    "number_of_isolates": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "out_degree_centrality": "",
    "overall_reciprocity": "",
    "pagerank": POSITIVE,
    "periphery": POSITIVE,
    "radius": POSITIVE,
    "reciprocity": "",
    "score_sequence": "",
    "shortest_path_length": POSITIVE + BY_DISTANCE,
    "single_source_bellman_ford_path_length": FINITE + BY_DISTANCE,
    "single_source_dijkstra_path_length": POSITIVE + BY_DISTANCE,
    "single_source_shortest_path_length": "",
    "single_target_shortest_path_length": "",
    "square_clustering": "Directed graphs fall back to NetworkX.",
    "strongly_connected_components": "Components come in a reverse topological order, which need not be NetworkX's.",
    "transitivity": "",
    "triangles": "",
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
