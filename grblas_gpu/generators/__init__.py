"""Generators of graphs for tests and benchmarks.

Every generator returns a square Boolean adjacency ``Matrix``: symmetric, without loops or duplicates, and iso (the one
stored value is True). The engine in use generates it, on the device if that is "cuda". The same arguments give the same
graph everywhere: random numbers are integer hashes of counters.
:func:`edge_list` gives the entries as NumPy arrays ``rows, cols, n`` instead, as do the ``*_edges`` functions.

>>> import grblas_gpu as gb
>>> gb.generators.path(3).to_edgelist()[0].tolist()
[[0, 1], [1, 0], [1, 2], [2, 1]]
"""

from ..foundation.memory import reports_memory as _reports_memory
from ..foundation.suggestions import public_only as _public_only
from .edge_lists import Edges as Edges
from .edge_lists import complete_edges as complete_edges
from .edge_lists import delaunay_edges as delaunay_edges
from .edge_lists import edge_list as edge_list
from .edge_lists import grid_2d_edges as grid_2d_edges
from .edge_lists import kronecker_edges as kronecker_edges
from .edge_lists import mycielskian_edges as mycielskian_edges
from .edge_lists import path_edges as path_edges
from .edge_lists import star_edges as star_edges
from .edge_lists import uniform_random_edges as uniform_random_edges
from .given_structure import configuration_model as configuration_model
from .given_structure import stochastic_block_model as stochastic_block_model
from .kronecker_graphs import kronecker as kronecker
from .network_models import hyperbolic as hyperbolic
from .network_models import lfr as lfr
from .network_models import noisy_kronecker as noisy_kronecker
from .plane_graphs import delaunay as delaunay
from .plane_graphs import random_geometric as random_geometric
from .plane_graphs import road as road
from .random_graphs import bipartite as bipartite
from .random_graphs import preferential_attachment as preferential_attachment
from .random_graphs import uniform_random as uniform_random
from .random_graphs import watts_strogatz as watts_strogatz
from .regular_graphs import complete as complete
from .regular_graphs import complete_bipartite as complete_bipartite
from .regular_graphs import grid_2d as grid_2d
from .regular_graphs import mycielskian as mycielskian
from .regular_graphs import path as path
from .regular_graphs import star as star

_NAMES = _public_only(globals())
globals().update({name: _reports_memory(globals()[name]) for name in _NAMES if name != "Edges"})
