"""Functions that NetworkX composes of others, by the functions that do the work here."""

from __future__ import annotations

from .all_paths import no_speed_to_gain
from .clusters import of_all_nodes
from .conversion import convert_to_nx
from .dispatch import compose
from .path_trees import refused_search

#: of ``to_scipy_sparse_array`` and ``to_numpy_array``
compose(
    "adjacency_matrix laplacian_matrix normalized_laplacian_matrix directed_laplacian_matrix "
    "directed_combinatorial_laplacian_matrix modularity_matrix directed_modularity_matrix "
    "google_matrix adjacency_spectrum laplacian_spectrum normalized_laplacian_spectrum modularity_spectrum "
    "tournament_matrix number_of_walks number_of_spanning_trees eigenvector_centrality_numpy "
    "katz_centrality_numpy laplacian_centrality mutual_weight normalized_mutual_weight local_constraint "
    "constraint effective_size trophic_levels trophic_differences trophic_incoherence_parameter kemeny_constant "
    "effective_graph_resistance resistance_distance non_randomness spectral_bipartivity birank"
)

#: of searches
compose(
    "all_shortest_paths single_source_all_shortest_paths all_pairs_all_shortest_paths barycenter "
    "bipartite_closeness_centrality global_reaching_centrality group_closeness_centrality local_reaching_centrality "
    "voronoi_cells",
    pays="search",
)

compose("bfs_predecessors bfs_tree", pays="one search", refuse=refused_search)
compose("diameter periphery radius", pays="search", refuse=no_speed_to_gain)
compose(
    "astar_path efficiency is_attracting_component min_cost_flow min_cost_flow_cost "
    "network_simplex newman_betweenness_centrality number_attracting_components",
    pays="on request",
)

#: of cuts, degrees, cores, components and orders
compose(
    "k_core k_shell k_crust k_corona average_degree_connectivity degree_mixing_dict degree_mixing_matrix "
    "degree_assortativity_coefficient degree_pearson_correlation_coefficient attribute_mixing_dict "
    "attribute_mixing_matrix attribute_assortativity_coefficient numeric_assortativity_coefficient "
    "bipartite_degree_centrality has_eulerian_path is_semieulerian is_biconnected has_cycle topological_sort "
    "is_semiconnected condensation conductance normalized_cut_size edge_expansion mixing_expansion boundary_expansion"
)
compose("average_clustering", pays=of_all_nodes)
# These call others with what only graphs of NetworkX may have, such as functions as weights.
compose("astar_path_length max_flow_min_cost", pays="on request", before=convert_to_nx)
