"""Neighbour sampling: some random edges of every vertex around the sources, as graph neural networks learn from.

Returns a Matrix with the edges that were drawn and their weights. Method: in every hop the edges of the frontier get
random numbers, and the highest of each row are drawn, one for all rows at a time; by weight with the exponential race,
in which edge e finishes at time -log(random) / weight. What they lead to is the next frontier.
Invariant: every vertex is expanded once, in the hop after it was reached. Cost: O(edges of the frontier) per draw.
References: W. Hamilton, R. Ying, J. Leskovec, Inductive representation learning on large graphs, NeurIPS 2017;
P. Efraimidis, P. Spirakis, Weighted random sampling with a reservoir, Information Processing Letters 2006.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import FP64, UINT64, Matrix, Vector, binary, indexunary, monoid, select, semiring, unary
from ..exceptions import InvalidValue
from .checks import Sources, as_index, check_sources, graph_algorithm
from .preparing import check_weights
from .randomness import hashed


@graph_algorithm
def sample_neighbors(
    A: Matrix, sources: Sources, fanouts: int | Sequence[int], *, weighted: bool = False, seed: int = 1
) -> Matrix:
    """At most ``fanouts[0]`` edges of every source, ``fanouts[1]`` of every vertex that these lead to, and so on.

    Edges are drawn without being put back, any or, if ``weighted``, by weight (those of weight 0 never). The same seed
    gives the same edges on every backend.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    fanouts : list of int
        How many neighbours at each hop.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    seed : int
        Of the random choices: the same seed gives the same result on every backend.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        A vertex is not one of the graph.
    InvalidValue
        A weight is NaN, infinite or negative, or an option is out of range.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import sample_neighbors
    >>> sample_neighbors(generators.complete(9), [4], [3, 2]).reduce_rowwise("count").new().get(4)
    3
    """
    n = A.nrows
    hops = [fanouts] if as_index(fanouts) is not None else list(fanouts)  # type: ignore[arg-type]
    if any(fanout < 0 for fanout in hops):
        raise InvalidValue(f"sample_neighbors: fanouts must not be negative; got {fanouts}")
    if weighted:
        check_weights(A, "sample_neighbors")
    drawn = Matrix(bool, n, n)
    frontier = Vector.from_coo(check_sources(A, sources), True, size=n)
    expanded = frontier.dup()
    for hop, fanout in enumerate(hops):
        # edges = the rows of the frontier
        edges = binary.second(frontier & A).new()
        picked = highest_of_rows(race(edges, seed + hop, weighted), fanout)
        drawn(picked.S) << True
        # frontier<!expanded> = frontier any.pair picked
        frontier(~expanded.S, replace=True) << semiring.any_pair[bool](frontier @ picked)
        # expanded<frontier> = true
        expanded(frontier.S) << True
    # A where it was drawn
    return A.dup(mask=drawn.S)


def race(edges: Matrix, seed: int, weighted: bool) -> Matrix:
    """A number for every edge, the highest of which win: random, or minus the time to finish."""
    # number_ij = hash of i n + j
    number = binary.times[UINT64](indexunary.rowindex(edges).new(UINT64), np.uint64(edges.nrows)).new()
    number << binary.plus(number & indexunary.colindex(edges).new(UINT64))
    number << hashed(number, seed)
    if not weighted:
        return number
    # share = (number / 2^11 + 1) / 2^53, from above 0 to 1
    share = binary.plus(binary.bshift[UINT64](number, np.int8(-11)).new(FP64), 1.0).new()
    share << binary.times(share, 2.0**-53)
    # time = log share / weight
    return binary.truediv(unary.log(share).new() & select.valuegt(edges.dup(FP64), 0.0).new()).new()


def highest_of_rows(numbers: Matrix, count: int) -> Matrix:
    """The pattern of the highest entries of every row.

    >>> highest_of_rows(Matrix.from_dense([[3, 1, 2], [5, 6, 4]]), 2).to_dicts()
    {0: {0: True, 2: True}, 1: {0: True, 1: True}}
    """
    picked, left = Matrix(bool, *numbers.shape), numbers
    for _ in range(count):
        # top_i = max_j left_ij
        top = left.reduce_rowwise(monoid.max).new()
        # picked<left = top> = true
        best = select.valueeq(binary.eq(top & left).new(), True).new()
        picked(best.S) << True
        # left<!best> = left
        left = left.dup(mask=~best.S)
    return picked
