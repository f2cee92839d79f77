"""What NetworkX wants to know about the backend "grblas_gpu" when it is imported.

A module of its own at the top level, so that ``import networkx`` does not import grblas_gpu, or NumPy, with it.
"""

from __future__ import annotations

from typing import Any

NO_FUNCTION = "The weight must be the name of an edge attribute; a function falls back to NetworkX."
FINITE = NO_FUNCTION + " So do weights that are NaN, infinite or no plain numbers."
POSITIVE = FINITE.replace("infinite or", "infinite, negative or")
UNIQUE = " So do several shortest paths to a node."
TIES = " So do lengths of 0 on shortest paths. Of several shortest paths between two nodes, it is dijkstra_path's."
UNDIRECTED = "Directed graphs fall back to NetworkX."
ANOTHER = "Of several best results, it may be another one."
PREDECESSORS = "In a directed graph with several shortest paths, it may be another one than NetworkX's."
COMPOSED = "NetworkX's own code on the converted graph: its steps run here."
GENERATORS = "The graph of NetworkX, converted; create_using must be a class."
CONSTRUCTORS = "A converted graph, with NetworkX's methods; classes only with backend=, not by priority."
COPIES = "A converted graph. Multigraphs, copy=False and labels that coincide fall back to NetworkX."
COMMUNITIES = (
    "Directed graphs and max_level fall back to NetworkX. Random numbers are others, and so may be the communities."
)
LABELS = "Weights, directed graphs and labels that do not settle fall back to NetworkX. Communities may be others."
FLOWS = "Multigraphs, infinite or missing capacities and a chosen algorithm fall back to NetworkX."
KRUSKAL = "Multigraphs, algorithms other than Kruskal's and weights that are NaN or infinite fall back to NetworkX."
BY_DISTANCE = " The result is ordered by distance."

# What a group of functions does not take, or returns otherwise, and the functions.
GROUPS = (
    (
        POSITIVE + UNIQUE,
        "all_pairs_bellman_ford_path bellman_ford_path single_source_bellman_ford single_source_bellman_ford_path",
    ),
    (
        "",
        "all_pairs_shortest_path ancestors articulation_points attracting_components bfs_layers bfs_predecessors "
        "bfs_successors biconnected_components boundary_expansion bridges color connected_components core_number "
        "degree_centrality descendants descendants_at_distance efficiency global_efficiency group_degree_centrality "
        "group_in_degree_centrality group_out_degree_centrality has_bridges has_path in_degree_centrality "
        "is_aperiodic is_arborescence is_attracting_component is_bipartite is_branching is_connected "
        "is_directed_acyclic_graph is_dominating_set is_empty is_eulerian is_forest is_isolate is_k_regular "
        "is_partition is_regular is_strongly_connected is_tournament is_tree is_weakly_connected isolates k_truss "
        "node_attribute_xy node_boundary node_connected_component node_expansion number_attracting_components "
        "number_connected_components number_of_isolates number_of_selfloops number_strongly_connected_components "
        "number_weakly_connected_components onion_layers out_degree_centrality overall_reciprocity predecessor "
        "reciprocity s_metric score_sequence single_source_shortest_path single_source_shortest_path_length "
        "single_target_shortest_path_length topological_generations transitivity triangles "
        "weakly_connected_components",
    ),
    (
        "Pairs in an iterator, and graphs with loops, fall back to NetworkX.",
        "adamic_adar_index jaccard_coefficient preferential_attachment resource_allocation_index",
    ),
    (
        COMPOSED,
        "adjacency_matrix adjacency_spectrum all_pairs_all_shortest_paths all_shortest_paths astar_path "
        "astar_path_length attribute_assortativity_coefficient attribute_mixing_dict attribute_mixing_matrix "
        "average_degree_connectivity barycenter bipartite_closeness_centrality bipartite_degree_centrality birank "
        "condensation constraint degree_assortativity_coefficient degree_mixing_dict degree_mixing_matrix "
        "degree_pearson_correlation_coefficient directed_combinatorial_laplacian_matrix directed_laplacian_matrix "
        "directed_modularity_matrix effective_graph_resistance effective_size eigenvector_centrality_numpy "
        "global_reaching_centrality google_matrix group_closeness_centrality has_cycle has_eulerian_path "
        "is_biconnected is_semiconnected is_semieulerian k_core k_corona k_crust k_shell katz_centrality_numpy "
        "kemeny_constant laplacian_centrality laplacian_matrix laplacian_spectrum local_constraint "
        "local_reaching_centrality max_flow_min_cost min_cost_flow min_cost_flow_cost modularity_matrix "
        "modularity_spectrum mutual_weight network_simplex newman_betweenness_centrality non_randomness "
        "normalized_laplacian_matrix normalized_laplacian_spectrum normalized_mutual_weight number_of_spanning_trees "
        "number_of_walks numeric_assortativity_coefficient resistance_distance single_source_all_shortest_paths "
        "spectral_bipartivity topological_sort tournament_matrix trophic_differences trophic_incoherence_parameter "
        "trophic_levels voronoi_cells",
    ),
    (
        POSITIVE + TIES,
        "all_pairs_dijkstra all_pairs_dijkstra_path bidirectional_dijkstra dijkstra_path "
        "dijkstra_predecessor_and_distance johnson multi_source_dijkstra multi_source_dijkstra_path shortest_path "
        "single_source_dijkstra single_source_dijkstra_path",
    ),
    (FINITE + BY_DISTANCE, "all_pairs_bellman_ford_path_length single_source_bellman_ford_path_length"),
    (
        POSITIVE + BY_DISTANCE,
        "all_pairs_dijkstra_path_length multi_source_dijkstra_path_length shortest_path_length "
        "single_source_dijkstra_path_length",
    ),
    ("The inner dictionaries are ordered by distance.", "all_pairs_shortest_path_length"),
    (LABELS, "asyn_lpa_communities fast_label_propagation_communities"),
    (
        POSITIVE,
        "average_clustering average_shortest_path_length center closeness_centrality clustering diameter "
        "dijkstra_path_length eccentricity gutman_index harmonic_centrality harmonic_diameter hyper_wiener_index "
        "pagerank periphery radius schultz_index wiener_index",
    ),
    (
        FINITE,
        "average_neighbor_degree bellman_ford_path_length conductance cut_size edge_expansion eigenvector_centrality "
        "flow_hierarchy mixing_expansion modularity negative_edge_cycle node_degree_xy normalized_cut_size "
        "to_scipy_sparse_array volume",
    ),
    (
        GENERATORS,
        "balanced_tree barabasi_albert_graph barbell_graph binomial_tree circulant_graph circular_ladder_graph "
        "complete_bipartite_graph complete_graph complete_multipartite_graph cycle_graph davis_southern_women_graph "
        "empty_graph fast_gnp_random_graph florentine_families_graph full_rary_tree gnm_random_graph gnp_random_graph "
        "grid_2d_graph hypercube_graph karate_club_graph ladder_graph les_miserables_graph lollipop_graph null_graph "
        "path_graph petersen_graph powerlaw_cluster_graph random_regular_graph star_graph stochastic_block_model "
        "tadpole_graph trivial_graph turan_graph watts_strogatz_graph wheel_graph",
    ),
    (POSITIVE + " So do lengths of 0.", "betweenness_centrality"),
    ("The reverse of directed graphs falls back to NetworkX.", "bfs_edges bfs_tree"),
    (FINITE + " So do multigraphs.", "biadjacency_matrix"),
    ("Directed graphs, negative weights and multigraphs fall back to NetworkX. " + ANOTHER, "stoer_wagner"),
    (
        "Directed graphs, negative weights and normalized=True fall back to NetworkX.",
        "algebraic_connectivity fiedler_vector",
    ),
    (PREDECESSORS, "bidirectional_shortest_path"),
    (COPIES, "complement convert_node_labels_to_integers relabel_nodes reverse"),
    (
        CONSTRUCTORS,
        "digraph__new__ from_edgelist from_numpy_array from_pandas_edgelist from_scipy_sparse_array graph__new__ "
        "multidigraph__new__ multigraph__new__",
    ),
    (POSITIVE + " So do samples, lengths of 0 and multigraphs.", "edge_betweenness_centrality"),
    (
        "Multigraphs, whole graphs, a chosen algorithm and prepared networks fall back to NetworkX.",
        "edge_connectivity local_edge_connectivity minimum_st_edge_cut",
    ),
    ("Multigraphs, and directed graphs taken as undirected, fall back to NetworkX.", "ego_graph"),
    (FINITE + " So do cycles of negative length.", "floyd_warshall floyd_warshall_numpy"),
    ("A start, results without a norm and singular values nearly the same fall back to NetworkX.", "hits"),
    ("One edge falls back to NetworkX.", "is_negatively_weighted"),
    (FINITE + " So do nstart and a beta for every node.", "katz_centrality"),
    ("A source falls back to NetworkX.", "kosaraju_strongly_connected_components"),
    (COMMUNITIES, "leiden_communities louvain_communities"),
    ("Nodes that are given, and loops, fall back to NetworkX. Random numbers are others.", "maximal_independent_set"),
    ("It is another one than NetworkX's.", "maximal_matching"),
    (FLOWS, "maximum_flow_value minimum_cut minimum_cut_value"),
    (KRUSKAL, "maximum_spanning_edges maximum_spanning_tree minimum_spanning_edges minimum_spanning_tree"),
    ("normalized=True falls back to NetworkX.", "rich_club_coefficient"),
    ("A set that is given falls back to NetworkX.", "sets"),
    (UNDIRECTED, "single_target_shortest_path square_clustering"),
    ("Components come in a reverse topological order, which need not be NetworkX's.", "strongly_connected_components"),
    (FINITE + " So do records, and multigraph_weight other than sum and min.", "to_numpy_array"),
    ("Multigraphs and loops fall back to NetworkX.", "voterank"),
)

FUNCTIONS: dict[str, str] = dict(sorted((name, note) for note, names in GROUPS for name in names.split()))


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
        # The fewest edges for which a graph is converted automatically.
        "default_config": {"min_edges": 1000},
    }
