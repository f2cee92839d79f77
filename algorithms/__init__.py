"""Graph algorithms over the public GraphBLAS API, one file each.

The folder lies at the top of the repository and installs as ``grblas_gpu.algorithms``.

>>> import grblas_gpu as gb
>>> gb.algorithms.bfs(gb.generators.path(4), 0).to_dict()
{0: 0, 1: 1, 2: 2, 3: 3}
"""

from types import ModuleType as _ModuleType

from ..foundation.suggestions import did_you_mean as _did_you_mean
from ..foundation.suggestions import public_only as _public_only
from .apsp import apsp
from .bc import betweenness_centrality
from .bfs import bfs, bfs_multi, bfs_parents
from .biconnected import articulation_points, biconnected_components, bridges
from .bipartite import bipartite_sides, is_bipartite
from .bipartite_matching import maximum_bipartite_matching
from .cliques import clique_count
from .closeness import closeness
from .coarsening import coarsen
from .colouring import vertex_colouring
from .components import connected_components
from .degree_centrality import degree_centrality
from .densest_subgraph import densest_subgraph
from .dobfs import dobfs
from .eccentricity import diameter, diameter_estimate, eccentricity
from .ecg import ecg
from .edge_betweenness import edge_betweenness_centrality
from .eigenvector import eigenvector_centrality
from .forceatlas2 import forceatlas2
from .graphlets import graphlet_degrees, motif_counts
from .harmonic import harmonic_centrality
from .hits import hits
from .hybrid_bfs import hybrid_bfs
from .k_core import core_number, k_core
from .k_shortest_paths import k_shortest_paths
from .k_truss import k_truss, truss_number
from .katz import katz
from .label_propagation import label_propagation
from .leiden import leiden
from .load import load_centrality
from .louvain import louvain
from .markov_clustering import markov_clustering
from .matching import maximal_matching
from .matching_bounds import maximum_matching_bounds
from .maximal_independent_set import maximal_independent_set
from .maximum_flow import maximum_flow
from .minimum_cost_flow import minimum_cost_flow
from .minimum_cut import minimum_cut
from .minimum_spanning_forest import minimum_spanning_forest
from .modularity import modularity
from .non_edges import sample_non_edges
from .pagerank import pagerank
from .partition_quality import partition_quality
from .paths import shortest_path
from .peer_pressure import peer_pressure
from .personalized_pagerank import personalized_pagerank
from .preparing import NotConverged
from .random_walks import random_walks
from .reachability import reachability, transitive_closure
from .rich_club import rich_club
from .sampling import sample_neighbors
from .similarity import cosine, jaccard, overlap, sorensen
from .spectral import fiedler_vector, spectral_cut, spectral_layout
from .sssp import bellman_ford, delta_stepping, sssp
from .strong_components import strongly_connected_components
from .subgraph_matching import subgraph_count, subgraph_matches
from .subgraphs import ego_graph, induced_subgraph, two_hop_neighbors
from .topological import topological_generations, topological_order
from .triangle_centrality import triangle_centrality
from .triangles import clustering, transitivity, triangle_count, triangles
from .turbobfs import turbobfs
from .voterank import voterank
from .xbfs import xbfs

__all__ = [
    "NotConverged",
    "apsp",
    "articulation_points",
    "bellman_ford",
    "betweenness_centrality",
    "bfs",
    "bfs_multi",
    "bfs_parents",
    "biconnected_components",
    "bipartite_sides",
    "bridges",
    "clique_count",
    "closeness",
    "clustering",
    "coarsen",
    "connected_components",
    "core_number",
    "cosine",
    "degree_centrality",
    "delta_stepping",
    "densest_subgraph",
    "diameter",
    "diameter_estimate",
    "dobfs",
    "eccentricity",
    "ecg",
    "edge_betweenness_centrality",
    "ego_graph",
    "eigenvector_centrality",
    "fiedler_vector",
    "forceatlas2",
    "graphlet_degrees",
    "harmonic_centrality",
    "hits",
    "hybrid_bfs",
    "induced_subgraph",
    "is_bipartite",
    "jaccard",
    "k_core",
    "k_shortest_paths",
    "k_truss",
    "katz",
    "label_propagation",
    "leiden",
    "load_centrality",
    "louvain",
    "markov_clustering",
    "maximal_independent_set",
    "maximal_matching",
    "maximum_bipartite_matching",
    "maximum_flow",
    "maximum_matching_bounds",
    "minimum_cost_flow",
    "minimum_cut",
    "minimum_spanning_forest",
    "modularity",
    "motif_counts",
    "overlap",
    "pagerank",
    "partition_quality",
    "peer_pressure",
    "personalized_pagerank",
    "random_walks",
    "reachability",
    "rich_club",
    "sample_neighbors",
    "sample_non_edges",
    "shortest_path",
    "sorensen",
    "spectral_cut",
    "spectral_layout",
    "sssp",
    "strongly_connected_components",
    "subgraph_count",
    "subgraph_matches",
    "topological_generations",
    "topological_order",
    "transitive_closure",
    "transitivity",
    "triangle_centrality",
    "triangle_count",
    "triangles",
    "truss_number",
    "turbobfs",
    "two_hop_neighbors",
    "vertex_colouring",
    "voterank",
    "xbfs",
]

#: Names of other libraries, and initials.
_ELSEWHERE = {
    "all_pairs_shortest_path_length": "apsp",
    "algebraic_connectivity": "fiedler_vector",
    "breadth_first_search": "bfs",
    "cliques": "clique_count",
    "contract": "coarsen",
    "dijkstra": "sssp",
    "floyd_warshall": "apsp",
    "greedy_color": "vertex_colouring",
    "graphlets": "graphlet_degrees",
    "in_degree_centrality": "degree_centrality",
    "max_flow": "maximum_flow",
    "max_flow_min_cost": "minimum_cost_flow",
    "min_cost_flow": "minimum_cost_flow",
    "max_weight_matching": "maximum_matching_bounds",
    "negative_sampling": "sample_non_edges",
    "mis": "maximal_independent_set",
    "mst": "minimum_spanning_forest",
    "minimum_spanning_tree": "minimum_spanning_forest",
    "motifs": "motif_counts",
    "out_degree_centrality": "degree_centrality",
    "scc": "strongly_connected_components",
    "shortest_paths": "sssp",
    "single_source_shortest_path": "sssp",
    "spectral_bisection": "spectral_cut",
    "stoer_wagner": "minimum_cut",
    "subgraph_isomorphism": "subgraph_matches",
    "wcc": "connected_components",
}

# A module whose name is not that of a function is no attribute; the error names the function to call instead.
_FILES: dict[str, list[str]] = {}
for _name, _value in list(globals().items()):
    if isinstance(_value, _ModuleType) and _value.__name__ == f"{__name__}.{_name}":
        _FILES[_name] = [each for each in __all__ if globals()[each].__module__ == _value.__name__]
        del globals()[_name]


def _hint(name: str) -> str:
    functions = _FILES.get(name)
    return f"; call {' or '.join(functions)}" if functions else _did_you_mean(name, __all__, _ELSEWHERE)


_public_only(globals(), _hint)
