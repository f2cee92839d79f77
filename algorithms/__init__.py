"""Graph algorithms over the public GraphBLAS API, one file each.

The folder lies at the top of the repository and installs as ``grblas_gpu.algorithms``.

>>> import grblas_gpu as gb
>>> gb.algorithms.bfs(gb.generators.path(4), 0).to_dict()
{0: 0, 1: 1, 2: 2, 3: 3}
"""

from types import ModuleType as _ModuleType

from ..foundation.suggestions import did_you_mean as _did_you_mean, public_only as _public_only
from .apsp import apsp as apsp
from .astar import astar as astar
from .bc import betweenness_centrality as betweenness_centrality
from .bfs import bfs as bfs, bfs_multi as bfs_multi, bfs_parents as bfs_parents
from .biconnected import (
    articulation_points as articulation_points,
    biconnected_components as biconnected_components,
    bridges as bridges,
)
from .bipartite import bipartite_sides as bipartite_sides, is_bipartite as is_bipartite
from .bipartite_matching import maximum_bipartite_matching as maximum_bipartite_matching
from .cliques import clique_count as clique_count
from .closeness import closeness as closeness
from .coarsening import coarsen as coarsen
from .colouring import vertex_colouring as vertex_colouring
from .components import connected_components as connected_components
from .context_free import context_free_reachability as context_free_reachability
from .degree_centrality import degree_centrality as degree_centrality
from .densest_subgraph import densest_subgraph as densest_subgraph
from .dobfs import dobfs as dobfs
from .eccentricity import diameter as diameter, diameter_estimate as diameter_estimate, eccentricity as eccentricity
from .ecg import ecg as ecg
from .edge_betweenness import edge_betweenness_centrality as edge_betweenness_centrality
from .eigenvector import eigenvector_centrality as eigenvector_centrality
from .forceatlas2 import forceatlas2 as forceatlas2
from .graphlets import graphlet_degrees as graphlet_degrees, motif_counts as motif_counts
from .harmonic import harmonic_centrality as harmonic_centrality
from .hits import hits as hits
from .hybrid_bfs import hybrid_bfs as hybrid_bfs
from .k_core import core_number as core_number, k_core as k_core
from .k_shortest_paths import k_shortest_paths as k_shortest_paths
from .k_truss import k_truss as k_truss, truss_number as truss_number
from .katz import katz as katz
from .label_propagation import label_propagation as label_propagation
from .leiden import leiden as leiden
from .load import load_centrality as load_centrality
from .louvain import louvain as louvain
from .markov_clustering import markov_clustering as markov_clustering
from .matching import maximal_matching as maximal_matching
from .matching_bounds import maximum_matching_bounds as maximum_matching_bounds
from .maximal_independent_set import maximal_independent_set as maximal_independent_set
from .maximum_flow import maximum_flow as maximum_flow
from .minimum_cost_flow import minimum_cost_flow as minimum_cost_flow
from .minimum_cut import minimum_cut as minimum_cut
from .minimum_spanning_forest import minimum_spanning_forest as minimum_spanning_forest
from .modularity import modularity as modularity
from .non_edges import sample_non_edges as sample_non_edges
from .pagerank import pagerank as pagerank
from .partition_quality import partition_quality as partition_quality
from .paths import shortest_path as shortest_path
from .peer_pressure import peer_pressure as peer_pressure
from .personalized_pagerank import personalized_pagerank as personalized_pagerank
from .preparing import NotConverged as NotConverged
from .random_walks import random_walks as random_walks
from .reachability import reachability as reachability, transitive_closure as transitive_closure
from .regular_paths import regular_reachability as regular_reachability
from .rich_club import rich_club as rich_club
from .sampling import sample_neighbors as sample_neighbors
from .similarity import cosine as cosine, jaccard as jaccard, overlap as overlap, sorensen as sorensen
from .spectral import fiedler_vector as fiedler_vector, spectral_cut as spectral_cut, spectral_layout as spectral_layout
from .sssp import bellman_ford as bellman_ford, delta_stepping as delta_stepping, sssp as sssp
from .strong_components import strongly_connected_components as strongly_connected_components
from .subgraph_matching import subgraph_count as subgraph_count, subgraph_matches as subgraph_matches
from .subgraphs import (
    ego_graph as ego_graph,
    induced_subgraph as induced_subgraph,
    two_hop_neighbors as two_hop_neighbors,
)
from .topological import topological_generations as topological_generations, topological_order as topological_order
from .triangle_centrality import triangle_centrality as triangle_centrality
from .triangles import (
    clustering as clustering,
    transitivity as transitivity,
    triangle_count as triangle_count,
    triangles as triangles,
)
from .turbobfs import turbobfs as turbobfs
from .voterank import voterank as voterank
from .xbfs import xbfs as xbfs

#: Names of other libraries, and initials.
_ELSEWHERE = dict(
    pair.split("=")
    for pair in (
        "all_pairs_shortest_path_length=apsp algebraic_connectivity=fiedler_vector breadth_first_search=bfs "
        "cliques=clique_count contract=coarsen dijkstra=sssp floyd_warshall=apsp greedy_color=vertex_colouring "
        "graphlets=graphlet_degrees in_degree_centrality=degree_centrality max_flow=maximum_flow "
        "max_flow_min_cost=minimum_cost_flow min_cost_flow=minimum_cost_flow "
        "max_weight_matching=maximum_matching_bounds negative_sampling=sample_non_edges "
        "mis=maximal_independent_set mst=minimum_spanning_forest minimum_spanning_tree=minimum_spanning_forest "
        "motifs=motif_counts out_degree_centrality=degree_centrality scc=strongly_connected_components "
        "shortest_paths=sssp single_source_shortest_path=sssp spectral_bisection=spectral_cut "
        "stoer_wagner=minimum_cut subgraph_isomorphism=subgraph_matches wcc=connected_components"
    ).split()
)


def _hint(name: str) -> str:
    functions = _FILES.get(name)
    return f"; call {' or '.join(functions)}" if functions else _did_you_mean(name, _NAMES, _ELSEWHERE)


_NAMES = _public_only(globals(), _hint)

# A module whose name is not that of a function is no attribute; the error names the function to call instead.
_FILES: dict[str, list[str]] = {}
for _name, _value in list(globals().items()):
    if isinstance(_value, _ModuleType) and _value.__name__ == f"{__name__}.{_name}":
        _FILES[_name] = [each for each in _NAMES if globals()[each].__module__ == _value.__name__]
        del globals()[_name]
