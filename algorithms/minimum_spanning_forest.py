"""A minimum spanning forest: edges of the smallest total weight that connect what is connected.

Returns a symmetric Matrix with the chosen edges and their weights. Method: Boruvka's; every component chooses its
lightest edge to another one, components are joined, edges within one are dropped, until no edge is left. Edges are
ranked once, by weight and then by position, so that no two are equal and no cycle can be chosen.
Invariant: the chosen edges belong to the one minimum spanning forest of the ranks. Cost: O(m log m) for the ranks, then
O(n + m) for each of at most log2(n) rounds.
References: O. Boruvka, O jistem problemu minimalnim, 1926; J. Kepner, J. Gilbert (eds.), Graph Algorithms in the
Language of Linear Algebra, SIAM 2011.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, binary, monoid, select, semiring
from .checks import graph_algorithm
from .components import connected_components, pointers
from .preparing import check_weights


@graph_algorithm
def minimum_spanning_forest(A: Matrix) -> Matrix:
    """The edges of a minimum spanning forest; ``A[i, j]`` is the weight of the edge between i and j.

    Directions do not matter: of two edges between the same vertices the lighter one counts. Loops do not count. Weights
    may be negative; of several forests of the same weight, the one whose edges come first by row and column.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import minimum_spanning_forest
    >>> A = Matrix.from_coo([0, 1, 2], [1, 2, 0], [5, 3, 4], nrows=4, ncols=4)
    >>> minimum_spanning_forest(A).to_dicts()
    {0: {2: 4}, 1: {2: 3}, 2: {0: 4, 1: 3}}
    """
    check_weights(A, "minimum_spanning_forest", negative=True)
    n = A.nrows
    # edges = the upper triangle of min(A, A')
    edges = select.triu(binary.min(A | A.T).new(), 1).new()
    rows, cols, weights = edges.to_coo()
    order = np.argsort(weights, kind="stable")
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    # left_ij = rank of the edge between i and j
    left = symmetric(rows, cols, ranks, n)
    chosen = np.zeros(len(order), bool)
    while left.nvals:
        # components_i = the lowest vertex that the chosen edges join to i
        forest = symmetric(rows[chosen], cols[chosen], np.ones(chosen.sum(), bool), n)
        components = connected_components(forest)
        # left = edges between two components: components_i != components_j
        own = semiring.any_first(components.diag() @ left).new()
        other = semiring.any_second(left @ components.diag()).new()
        left(binary.ne(own & other).new().V, replace=True) << left
        # best_c = min over the vertices i of c of min_j left_ij
        lightest = left.reduce_rowwise(monoid.min).new()
        best = semiring.min_first(lightest @ pointers(components)).new()
        chosen[order[best.to_coo()[1]]] = True
    return symmetric(rows[chosen], cols[chosen], weights[chosen], n)


def symmetric(rows: np.ndarray, cols: np.ndarray, values: np.ndarray, n: int) -> Matrix:
    """Both directions of every edge."""
    ends = np.concatenate([rows, cols]), np.concatenate([cols, rows])
    return Matrix.from_coo(*ends, np.concatenate([values, values]), nrows=n, ncols=n)
