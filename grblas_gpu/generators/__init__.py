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
from .edge_lists import (
    Edges as Edges,
    complete_edges as complete_edges,
    delaunay_edges as delaunay_edges,
    edge_list as edge_list,
    grid_2d_edges as grid_2d_edges,
    kronecker_edges as kronecker_edges,
    mycielskian_edges as mycielskian_edges,
    path_edges as path_edges,
    star_edges as star_edges,
    uniform_random_edges as uniform_random_edges,
)
from .kronecker_graphs import kronecker as kronecker
from .network_models import (
    configuration_model as configuration_model,
    hyperbolic as hyperbolic,
    lfr as lfr,
    noisy_kronecker as noisy_kronecker,
    stochastic_block_model as stochastic_block_model,
)
from .plane_graphs import delaunay as delaunay, random_geometric as random_geometric, road as road
from .random_graphs import (
    bipartite as bipartite,
    preferential_attachment as preferential_attachment,
    uniform_random as uniform_random,
    watts_strogatz as watts_strogatz,
)
from .regular_graphs import (
    complete as complete,
    complete_bipartite as complete_bipartite,
    grid_2d as grid_2d,
    mycielskian as mycielskian,
    path as path,
    star as star,
)

_NAMES = _public_only(globals())
globals().update({name: _reports_memory(globals()[name]) for name in _NAMES if name != "Edges"})
