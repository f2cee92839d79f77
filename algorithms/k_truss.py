"""Trusses: the largest part of the graph in which every edge is in at least k - 2 triangles.

Returns a symmetric INT64 Matrix: the edges of the truss, each with its number of triangles there.
Method: count the triangles of all edges by a masked product, drop the edges with too few, repeat.
Invariant: no edge of the truss is ever dropped. Cost: that of triangles.py for every round.
References: J. Cohen, Trusses: cohesive subgraphs for social network analysis, 2008; T. Davis, Graph algorithms via
SuiteSparse:GraphBLAS: triangle counting and k-truss, HPEC 2018.
"""

from __future__ import annotations

from .. import Matrix, binary, select, semiring
from .checks import graph_algorithm
from .preparing import undirected


@graph_algorithm
def k_truss(A: Matrix, k: int) -> Matrix:
    """The k-truss; directions of edges do not matter, nor do loops.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import k_truss
    >>> k_truss(Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4), 3).to_dicts()
    {0: {1: 1, 2: 1}, 1: {0: 1, 2: 1}, 2: {0: 1, 1: 1}}
    """
    edges = undirected(A).dup(int)
    while True:
        before = edges.nvals
        # support = 0 for every edge below the diagonal
        support = binary.times(select.tril(edges, -1).new(), 0).new()
        # support<support> += edges plus.pair edges
        support(support.S, binary.plus) << semiring.plus_pair(edges @ edges)
        # edges = support where it is at least k - 2, and its mirror image
        support << select.valuege(support, k - 2)
        edges << binary.plus(support | support.T)
        if edges.nvals == before:
            return edges
