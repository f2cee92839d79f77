"""A maximal independent set: no two of its vertices are joined, and every other vertex is joined to one of them.

Returns a BOOL Vector with an entry at every member. Method: Luby's; in each round the candidates draw numbers, those
that beat all neighbouring candidates become members, and they and their neighbours are candidates no more.
Invariant: members and candidates are never joined. Cost: O(m) per round, about log n rounds.
Reference: M. Luby, A simple parallel algorithm for the maximal independent set problem, SIAM J. Computing 1986.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, Vector, binary, semiring
from .checks import graph_algorithm
from .preparing import undirected


@graph_algorithm
def maximal_independent_set(A: Matrix, *, seed: int = 1) -> Vector:
    """The members of a maximal independent set; the same seed gives the same set on every backend.

    Directions and weights of edges do not matter, nor do loops.

    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import maximal_independent_set
    >>> maximal_independent_set(generators.complete(4)).nvals
    1
    """
    edges = undirected(A)
    n = A.nrows
    draw = np.random.default_rng(seed)
    members = Vector(bool, n)
    candidates = Vector.from_scalar(True, n)
    while candidates.nvals:
        # numbers<candidates> = a random permutation, so that no two are equal
        numbers = Vector.from_dense(draw.permutation(n)).dup(mask=candidates.S)
        # rivals<candidates> = edges max.second numbers
        rivals = semiring.max_second(edges @ numbers).new(mask=candidates.S)
        # beaten = numbers < rivals
        beaten = binary.lt(numbers & rivals).new()
        # winners<!beaten> = candidates
        winners = candidates.dup(mask=~beaten.V)
        # members<winners> = true
        members(winners.S) << True
        # candidates<!winners> = candidates
        candidates(~winners.S, replace=True) << candidates
        # losers = winners any.pair edges
        losers = semiring.any_pair(winners @ edges).new(mask=candidates.S)
        # candidates<!losers> = candidates
        candidates(~losers.S, replace=True) << candidates
    return members
