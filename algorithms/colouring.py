"""Vertex colouring: neighbours get different colours, and the number of colours is small.

Returns an INT64 Vector, colours from 0 on. Method: speculative colouring; vertices are ordered by falling degree, then
at random. Each vertex proposes a colour, and gets it unless an earlier neighbour proposes the same. A rejected vertex
then proposes the lowest colour that no neighbour has. The first proposal grows with the number of earlier neighbours,
and is close to the colour of a sequential run. Colours are the bits of a word; a vertex whose neighbours have all 64
waits for another pass with the next 64.
Invariant: coloured neighbours have different colours. Cost: O(edges of uncoloured vertices) per round, in practice
fewer rounds than colours.
References: A. Gebremedhin, F. Manne, Scalable parallel graph coloring algorithms, 2000; D. Welsh, M. Powell, An upper
bound for the chromatic number of a graph and its application to timetabling problems, 1967.
"""

from __future__ import annotations

import functools

import numpy as np

from .. import UINT64, Matrix, Vector, agg, binary, loop, monoid, program, select, semiring, unary
from ..operators import BinaryOp, Monoid
from ..operators.call_types import SemiringCall
from .checks import graph_algorithm
from .randomness import SMALL, random_order

BITS = 64
ONE, NONE, ALL = np.uint64(1), np.uint64(0), np.uint64(2**BITS - 1)
SPREAD = 8  # earlier neighbours per colour that a first proposal skips; a smaller SPREAD: fewer rounds, more colours


@graph_algorithm
def vertex_colouring(A: Matrix, *, seed: int = 1) -> Vector:
    """The colour of every vertex; directions and weights of edges do not matter, nor do loops.

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
    >>> from grblas_gpu.algorithms import vertex_colouring
    >>> sorted(vertex_colouring(generators.complete(4)).to_dense().tolist())
    [0, 1, 2, 3]
    """
    edges = A.pattern(loops=False, undirected=True)
    return _colours(edges, before(edges, seed))


def before(edges: Matrix, seed: int) -> Matrix:
    """The edges that lead from a vertex to one earlier in the order."""
    # order_i = 2^32 degree_i + random_i
    order = random_order(edges.nrows, seed, within=SMALL)
    degree = edges.reduce_rowwise(agg.count).new(UINT64)
    order(binary.plus) << binary.times[UINT64](degree, np.uint64(2**32))
    # earlier = edges with order_i < order_j
    own = binary.first(order & edges).new()
    return select.valueeq(binary.lt(own & order).new(), True).new()


@program
def _colours(edges: Matrix, earlier: Matrix) -> Vector:
    n = edges.nrows
    colours, left, rank = Vector(int, n), Vector.from_scalar(True, n), Vector(int, n)
    wanted, rivals, lost, settled, taken, free, lowest = (Vector(UINT64, n) for _ in range(7))
    for window in loop(left):
        # rank<left> = earlier plus.pair left: 0 or more
        rank(left.S, replace=True) << 0
        rank(left.S, binary.plus) << semiring.plus_pair["INT64"](earlier @ left)
        # wanted = 2^(rank / SPREAD): few neighbours of a vertex propose the same colour
        rank << binary.min(binary.floordiv(rank, SPREAD).new(), BITS - 1)
        wanted << binary.bshift[UINT64](ONE, rank.dup("INT8"))
        # free<left> = all bits
        free(left.S, replace=True) << ALL
        taken.clear()
        for _ in loop(wanted):
            # rivals<wanted> = earlier bor.second wanted
            rivals(wanted.S, replace=True) << bits(monoid.bor, binary.second)(earlier @ wanted)
            # lost = wanted & rivals, where that is not 0
            lost << binary.band(wanted & rivals)
            lost << select.valuene(lost, NONE)
            # settled<!lost> = wanted; taken<settled> = settled
            settled(~lost.S, replace=True) << wanted
            taken(settled.S) << settled
            # free<lost> &= ~settled band.first edges
            settled << unary.bnot(settled)
            free(lost.S, binary.band) << bits(monoid.band, binary.first)(settled @ edges)
            # wanted<lost> = the lowest bit of free, if there is one: free & -free
            wanted(lost.S, replace=True) << free
            lowest << unary.ainv(wanted)
            wanted << binary.band(wanted & lowest)
            wanted << select.valuene(wanted, NONE)
        # colours<taken> = 64 window + log2 taken
        colours(taken.S) << binary.plus(unary.round(unary.log2(taken.dup(float)).new()).new(int), BITS * window)
        # left<!taken> = left
        left(~taken.S, replace=True) << left
    return colours


@functools.cache
def bits(collect: Monoid, take: BinaryOp) -> SemiringCall:
    """The semiring that collects the bits of all neighbours."""
    return semiring.register_anonymous(collect, take)[UINT64]
