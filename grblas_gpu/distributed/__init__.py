"""Graphs over the ranks of an MPI job: matrices and vectors partitioned over a grid of processes, with the same API.

``A.to("mpi")`` distributes a Matrix that every rank has; :class:`DistMatrix` makes one of parts, from a generator or
from files. Both are a ``Matrix`` on the backend "mpi", and algorithms run on it unchanged. Every rank runs the same
program, and every operation is collective. See docs/distributed.md.

>>> from grblas_gpu import algorithms
>>> from grblas_gpu.distributed import DistMatrix
>>> A = DistMatrix.kronecker(8)
>>> int(algorithms.bfs(A, 3).nvals) > 0
True
"""

from ..backends.mpi.faults import PeerTimeout as PeerTimeout, RanksDiffer as RanksDiffer
from ..backends.mpi.grid import Grid as Grid
from ..foundation.suggestions import public_only as _public_only
from .construction import DistMatrix as DistMatrix, DistVector as DistVector, spread as spread
from .graph500 import Graph500Result as Graph500Result, InvalidTree as InvalidTree, graph500 as graph500
from .hybrid_bfs import hybrid_bfs as hybrid_bfs
from .restart import betweenness_centrality as betweenness_centrality, pagerank as pagerank
from .validation import Validation as Validation, validate_tree as validate_tree

_public_only(globals())
