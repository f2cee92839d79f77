"""A maximal independent set: no two of its vertices are joined, and every other vertex is joined to one of them.

Returns a BOOL Vector with an entry at every member. Method: Luby's, with random numbers drawn once. In each round the
candidates with a higher number than all neighbouring candidates become members; their neighbours stop being candidates.
Invariant: members and candidates are never joined. Cost: O(edges of the candidates) per round, about log n rounds.
References: M. Luby, A simple parallel algorithm for the maximal independent set problem, SIAM J. Computing 1986;
G. Blelloch, J. Fineman, J. Shun, Greedy sequential maximal independent set and matching are parallel on average, 2012.
"""

from __future__ import annotations

from .. import Matrix, Vector, binary, loop, program, semiring
from .checks import graph_algorithm
from .randomness import random_order


@graph_algorithm
def maximal_independent_set(A: Matrix, *, seed: int = 1) -> Vector:
    """The members of a maximal independent set; the same seed gives the same set on every backend.

    Directions and weights of edges do not matter, nor do loops.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    seed : int
        The seed of the random choices: the same seed gives the same result on every backend.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import maximal_independent_set
    >>> maximal_independent_set(generators.complete(4)).nvals
    1
    """
    # loops do not matter: a vertex never beats itself
    return _members(A.pattern(undirected=True), seed)


@program
def _members(edges: Matrix, seed: int) -> Vector:
    n = edges.nrows
    # candidates_i = a distinct random number
    candidates = random_order(n, seed)
    members, winners, rivals = Vector(bool, n), candidates.dup(clear=True), candidates.dup(clear=True)
    beaten, losers = Vector(bool, n), Vector(bool, n)
    for _ in loop(candidates):
        # rivals<candidates> = edges max.second candidates
        rivals(candidates.S, replace=True) << semiring.max_second(edges @ candidates)
        # winners<!(candidates < rivals)> = candidates
        beaten << binary.lt(candidates & rivals)
        winners(~beaten.V, replace=True) << candidates
        # members<winners> = true
        members(winners.S) << True
        # candidates<!winners> = candidates
        candidates(~winners.S, replace=True) << candidates
        # losers<candidates> = edges any.pair winners
        losers(candidates.S, replace=True) << semiring.any_pair[bool](edges @ winners)
        # candidates<!losers> = candidates
        candidates(~losers.S, replace=True) << candidates
    return members
