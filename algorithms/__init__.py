"""Graph algorithms over the public GraphBLAS API, one file each.

The folder lies at the top of the repository and installs as ``grblas_gpu.algorithms``.

>>> import grblas_gpu as gb
>>> gb.algorithms.bfs(gb.generators.path(4), 0).to_dict()
{0: 0, 1: 1, 2: 2, 3: 3}
"""

from .apsp import apsp
from .bc import betweenness_centrality
from .bfs import bfs, bfs_multi, bfs_parents
from .closeness import closeness
from .components import connected_components, strongly_connected_components
from .dobfs import dobfs
from .eccentricity import diameter, diameter_estimate, eccentricity
from .hits import hits
from .hybrid_bfs import hybrid_bfs
from .k_core import core_number, k_core
from .k_truss import k_truss
from .katz import katz
from .label_propagation import label_propagation
from .maximal_independent_set import maximal_independent_set
from .minimum_spanning_forest import minimum_spanning_forest
from .pagerank import pagerank
from .preparing import NotConverged
from .reachability import reachability, transitive_closure
from .sssp import bellman_ford, delta_stepping, sssp
from .triangles import clustering, transitivity, triangle_count, triangles
from .turbobfs import turbobfs
from .xbfs import xbfs

__all__ = [
    "NotConverged",
    "apsp",
    "bellman_ford",
    "betweenness_centrality",
    "bfs",
    "bfs_multi",
    "bfs_parents",
    "closeness",
    "clustering",
    "connected_components",
    "core_number",
    "delta_stepping",
    "diameter",
    "diameter_estimate",
    "dobfs",
    "eccentricity",
    "hits",
    "hybrid_bfs",
    "k_core",
    "k_truss",
    "katz",
    "label_propagation",
    "maximal_independent_set",
    "minimum_spanning_forest",
    "pagerank",
    "reachability",
    "sssp",
    "strongly_connected_components",
    "transitive_closure",
    "transitivity",
    "triangle_count",
    "triangles",
    "turbobfs",
    "xbfs",
]
