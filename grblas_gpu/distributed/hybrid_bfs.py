"""Hybrid breadth-first search over many ranks: the tree that Graph500 requires.

Method: top-down, ranks send the frontier as lists, and blocks send each vertex that they found once to its owner, with
a parent. Bottom-up, ranks send the frontier and the unvisited vertices as bit maps, and blocks send only found parents.
All ranks change direction together, because the criteria (edges of the frontier, edges of unvisited vertices over
alpha = 48, vertices over beta = 20) are global sums.
Invariant: before step d, ``parents`` has an entry for every vertex at distance <= d, and ``frontier`` for those at d.
References: T. Hiragushi, D. Takahashi, Efficient hybrid breadth-first search on GPUs, ICA3PP 2013; S. Beamer, A. Buluc,
K. Asanovic, D. Patterson, Distributed memory breadth-first search revisited, MTAAP 2013.
"""

from __future__ import annotations

from typing import Any

from .. import semiring
from ..algorithms.checks import check_source, graph_algorithm
from ..api.matrix import Matrix
from ..api.vector import Vector
from ..backends.mpi.engine import MpiBackend
from ..dtypes import INT64


@graph_algorithm
def hybrid_bfs(A: Matrix, source: int) -> Vector:
    """The parent of every reachable vertex, the source its own; ``A[i, j]`` is the edge from i to j.

    It is optimized for backend "mpi", and correct on all.

    Parameters
    ----------
    A : Matrix
        On backend "mpi".
    source : int
        The vertex to start from.

    Examples
    --------
    >>> from grblas_gpu.distributed import DistMatrix, hybrid_bfs
    >>> A = DistMatrix.from_parts([0, 1, 1], [1, 2, 3], nrows=5, ncols=5)
    >>> hybrid_bfs(A, 0).to_dict()
    {0: 0, 1: 0, 2: 1, 3: 1}
    """
    source = check_source(A, source)
    engine: MpiBackend = A._engine
    if isinstance(engine, MpiBackend):
        found: Any = engine.search_tree(A._store, source)  # the loop below, with one round per level
        if found is not None:
            return Vector._from_store(engine, INT64, found)
    frontier = Vector.from_coo([source], [source], size=A.nrows)
    parents = frontier.dup()
    while frontier.nvals:
        # frontier<!parents> = frontier A, where a product is the row of A's entry: the vertex that the edge leaves
        frontier(~parents.S, replace=True, policy="edges") << semiring.any_secondi(frontier @ A)
        # parents<frontier> = frontier
        parents(frontier.S) << frontier
    return parents
