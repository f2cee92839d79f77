"""Vertex colouring: neighbours get different colours, and there are few of them.

Returns an INT64 Vector, colours from 0 on, at most one more than the largest degree. Method: Jones and Plassmann's;
vertices are ordered by falling degree, then at random, and each takes the lowest colour that none of its neighbours
before it has. All whose neighbours before them are done take theirs at once. The colours of the neighbours are the bits
of a word; who finds all 64 taken waits for another pass with the next 64.
Invariant: ``waiting`` counts the neighbours before a vertex that are not done. Cost: O(n + m) for each pass.
References: M. Jones, P. Plassmann, A parallel graph coloring heuristic, SIAM J. Scientific Computing 1993; D. Welsh,
M. Powell, An upper bound for the chromatic number of a graph and its application to timetabling problems, 1967.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import UINT64, Matrix, Vector, agg, binary, loop, monoid, select, semiring, unary
from .checks import graph_algorithm
from .randomness import SMALL, random_order

BITS = 64
ONE, NONE = np.uint64(1), np.uint64(0)


@graph_algorithm
def vertex_colouring(A: Matrix, *, seed: int = 1) -> Vector:
    """The colour of every vertex; directions and weights of edges do not matter, nor do loops.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    seed : int
        Of the random choices: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import vertex_colouring
    >>> sorted(vertex_colouring(generators.complete(4)).to_dense().tolist())
    [0, 1, 2, 3]
    """
    n = A.nrows
    edges = A.pattern(loops=False, undirected=True)
    later = after(edges, seed)
    colours = Vector(int, n)
    left = Vector.from_scalar(True, n)
    first = 0
    while left.nvals:
        taken = lowest_bits(later, left)
        # colours<taken> = first + log2 taken
        colours(taken.S) << binary.plus(unary.round(unary.log2(taken.dup(float)).new()).new(int), first)
        # left<!taken> = left
        left(~taken.S, replace=True) << left
        if left.nvals:
            # later = edges between what is left
            later << binary.second(binary.first(left & later).new() & left)
        first += BITS
    return colours


def after(edges: Matrix, seed: int) -> Matrix:
    """The edges that lead from a vertex to one later in the order."""
    # order_i = 2^32 degree_i + random_i
    order = random_order(edges.nrows, seed, within=SMALL)
    degree = edges.reduce_rowwise(agg.count).new(UINT64)
    order(binary.plus) << binary.times[UINT64](degree, np.uint64(2**32))
    # later = edges with order_i > order_j
    own, other = binary.first(order & edges).new(), binary.second(edges & order).new()
    return select.valueeq(binary.gt(own & other).new(), True).new()


def lowest_bits(later: Matrix, left: Vector) -> Vector:
    """For every vertex that is left the lowest bit that no neighbour before it has, if one of 64 is free."""
    n = later.nrows
    taken, free, used = Vector(UINT64, n), Vector(UINT64, n), Vector(UINT64, n)
    # waiting_j = number of edges from a vertex before j
    waiting = binary.second(left, 0).new(int)
    waiting(binary.plus) << later.reduce_columnwise(agg.count)
    # ready = waiting for none
    ready = select.valueeq(waiting, 0).new()
    for _ in loop(ready):
        # used<ready> = taken bor.first later
        used(ready.S, replace=True) << either_bits()(taken @ later)
        # free<ready> = the lowest bit that is not used: ~used & (used + 1)
        free(ready.S, replace=True) << ONE
        next_bit = binary.plus[UINT64](used, ONE).new()
        free(used.S) << binary.band(unary.bnot(used).new() & next_bit)
        # taken<free> = free, where there is one
        found = select.valuene(free, NONE).new()
        taken(found.S) << found
        # waiting<!ready> -= ready plus.pair later
        waiting(~ready.S, replace=True) << waiting
        waiting(waiting.S, binary.minus) << semiring.plus_pair["INT64"](ready @ later)
        # ready = waiting for none
        ready << select.valueeq(waiting, 0)
    return taken


@functools.cache
def either_bits() -> Any:
    """The semiring that collects the bits of all neighbours."""
    return semiring.register_anonymous(monoid.bor, binary.first, name="bor_first")[UINT64]
