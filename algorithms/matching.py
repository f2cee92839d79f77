"""A maximal matching: edges without a common end, to which no further edge can be added.

Returns an INT64 Vector: for every matched vertex the other end of its edge. Method: vertices get random odd numbers and
each edge the product of those of its ends, modulo 2^64. Each round chooses the edges that are the highest at both ends,
and removes these ends. The product divided by the number of one end is the number of the other, which identifies it.
Invariant: chosen edges and remaining edges share no vertex. Cost: O(remaining edges) per round, about log n rounds.
References: J. Hoepman, Simple distributed weighted matchings, 2004; G. Blelloch, J. Fineman, J. Shun, Greedy sequential
maximal independent set and matching are parallel on average, SPAA 2012.
"""

from __future__ import annotations

import numpy as np

from .. import UINT64, Matrix, Vector, binary, loop, monoid, semiring
from .checks import with_labels
from .components import numbers
from .labels import vertex_by_label
from .randomness import random_order


@with_labels(vertex_by_label)
def maximal_matching(A: Matrix, *, seed: int = 1) -> Vector:
    """The partner of every vertex that has one; the same seed gives the same matching on every backend.

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
    >>> from grblas_gpu.algorithms import maximal_matching
    >>> partner = maximal_matching(generators.complete(4)).to_dict()
    >>> len(partner), all(partner[partner[i]] == i for i in partner)
    (4, True)
    """
    n, edges = A.nrows, A.pattern(loops=False, undirected=True)
    odd = odd_numbers(n, seed)
    undo, last = inverse(odd), np.uint64(2 ** bits(n) - 1)
    # keys_ij = odd_i odd_j: distinct for all edges at i, as odd numbers have inverses
    keys = binary.times(odd & binary.second(edges & odd).new()).new()
    partner, best = Vector(int, n), Vector(UINT64, n)
    # best = max_j keys_ij
    best << keys.reduce_rowwise(monoid.max)
    for _ in loop(best):
        # other_i = (odd_j mod 2^bits) / 2, with odd_j = best_i / odd_i
        numbers_of_others = binary.band(binary.times(best & undo).new(), last).new()
        other = binary.floordiv(numbers_of_others, np.uint64(2)).new(int)
        # partner<best = best[other]> = other
        agreed = binary.eq(best & best[other].new()).new()
        partner(agreed.V) << other
        # best<!partner> = best
        best(~partner.S, replace=True) << best
        # best<best> = keys max.first best: the edges to the remaining vertices
        best(best.S, replace=True) << semiring.max_first[UINT64](keys @ best)
    return partner


def bits(n: int) -> int:
    """The number of bits of the odd numbers up to 2 n."""
    return n.bit_length() + 1


def odd_numbers(n: int, seed: int) -> Vector:
    """A random odd number for every vertex; its last bits are those of 2 i + 1, so that all numbers differ.

    >>> (odd_numbers(3, 1).to_dense() % 2 ** bits(3)).tolist()
    [1, 3, 5]
    """
    # x_i = 2^bits random_i + 2 i + 1
    high = binary.times[UINT64](random_order(n, seed), np.uint64(2 ** bits(n))).new()
    low = binary.plus(binary.times(numbers(n), 2).new(), 1).new(UINT64)
    return binary.plus(high & low).new()


def inverse(odd: Vector) -> Vector:
    """The inverses of odd numbers, modulo 2^64.

    >>> x = odd_numbers(3, 1)
    >>> binary.times(x & inverse(x)).new().to_dense().tolist()
    [1, 1, 1]
    """
    # y = x is correct in three bits; each y = y (2 - x y) doubles the number of correct bits
    y = odd.dup()
    for _ in range(5):
        y << binary.times(y & binary.rminus[UINT64](binary.times(odd & y).new(), np.uint64(2)).new())
    return y
