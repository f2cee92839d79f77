"""A maximal matching: edges without a common end, to which no further edge can be added.

Returns an INT64 Vector: for every matched vertex the other end of its edge. Method: edges get random numbers; in each
round the edges that are the highest at both of their ends are chosen, and their ends leave.
Invariant: chosen edges and edges that are left have no end in common. Cost: O(edges of what is left) per round, about
log n rounds.
References: J. Hoepman, Simple distributed weighted matchings, 2004; G. Blelloch, J. Fineman, J. Shun, Greedy sequential
maximal independent set and matching are parallel on average, SPAA 2012.
"""

from __future__ import annotations

import functools
from typing import Any

from .. import UINT64, Matrix, Vector, binary, indexunary, loop, monoid, select, semiring
from .checks import with_labels
from .labels import vertex_by_label
from .randomness import random_edges


@with_labels(vertex_by_label)
def maximal_matching(A: Matrix, *, seed: int = 1) -> Vector:
    """The partner of every vertex that has one; the same seed gives the same matching on every backend.

    Directions and weights of edges do not matter, nor do loops.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, whatever its value. With a Graph,
        vertices are labels.
    seed : int
        Of the random choices: the same seed gives the same result on every backend.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import maximal_matching
    >>> partner = maximal_matching(generators.complete(4)).to_dict()
    >>> len(partner), all(partner[partner[i]] == i for i in partner)
    (4, True)
    """
    n = A.nrows
    keys = random_edges(A.pattern(loops=False, undirected=True), seed)
    chosen, best, offer = Vector(UINT64, n), Vector(UINT64, n), Vector(UINT64, n)
    # best = max_j keys_ij
    best << keys.reduce_rowwise(monoid.max)
    for _ in loop(best):
        # offer_i = the key of an edge that is the best of its other end
        offer(best.S, replace=True) << equal_keys()(keys @ best)
        # chosen<best = offer> = best
        agreed = binary.eq(best & offer).new()
        chosen(agreed.V) << best
        # best<!chosen> = best
        best(~chosen.S, replace=True) << best
        # best<best> = keys max.first best: the edges to what is left
        best(best.S, replace=True) << semiring.max_first[UINT64](keys @ best)
    # partner_i = j with keys_ij = chosen_i
    pairs = select.valueeq(binary.eq(chosen & keys).new(), True).new()
    return indexunary.colindex(pairs).new().reduce_rowwise(monoid.max).new(int)


@functools.cache
def equal_keys() -> Any:
    """The semiring whose product is the key where two are equal, and otherwise 0, lower than any offer."""
    same = binary.register_anonymous(lambda x, y: x if x == y else x - x, name="same_key")
    return semiring.register_anonymous(monoid.max, same, name="max_same_key")[UINT64]
