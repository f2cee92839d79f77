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
    Edges,
    complete_edges,
    delaunay_edges,
    edge_list,
    grid_2d_edges,
    kronecker_edges,
    mycielskian_edges,
    path_edges,
    star_edges,
    uniform_random_edges,
)
from .given_structure import configuration_model, stochastic_block_model
from .kronecker_graphs import kronecker
from .network_models import hyperbolic, lfr, noisy_kronecker
from .plane_graphs import delaunay, random_geometric, road
from .random_graphs import bipartite, preferential_attachment, uniform_random, watts_strogatz
from .regular_graphs import complete, complete_bipartite, grid_2d, mycielskian, path, star

__all__ = [
    "Edges",
    "bipartite",
    "complete",
    "complete_bipartite",
    "complete_edges",
    "configuration_model",
    "delaunay",
    "delaunay_edges",
    "edge_list",
    "grid_2d",
    "grid_2d_edges",
    "hyperbolic",
    "kronecker",
    "kronecker_edges",
    "lfr",
    "mycielskian",
    "mycielskian_edges",
    "noisy_kronecker",
    "path",
    "path_edges",
    "preferential_attachment",
    "random_geometric",
    "road",
    "star",
    "star_edges",
    "stochastic_block_model",
    "uniform_random",
    "uniform_random_edges",
    "watts_strogatz",
]

globals().update({name: _reports_memory(globals()[name]) for name in __all__ if name != "Edges"})
_public_only(globals())
