"""Closeness centrality: how near all other vertices are.

Returns an FP64 Vector. Method: breadth-first searches from a batch of vertices at a time, each search a bit of a word;
at every level, each vertex counts the bits that arrive. With weights, Bellman-Ford computes the distances on the
reversed graph, a row for each vertex of a batch.
Invariant: the sums contain the distances from all sources so far, with weights to all vertices of the batches so far.
Cost: O(n m depth / 64) at most without weights; with weights, memory for a batch of rows.
References: L. Freeman, Centrality in social networks: conceptual clarification, Social Networks 1979; S. Wasserman,
K. Faust, Social Network Analysis, 1994 (the factor for graphs in several parts).
"""

from __future__ import annotations

import functools

import numpy as np

from .. import UINT64, Matrix, Vector, agg, binary, loop, monoid, program, select, unary
from ..foundation.progress import progress
from ..operators.call_types import UnaryCall
from .apsp import distances_from
from .batches import next_level, searches_as_bits, vertices_in_batches
from .checks import graph_algorithm
from .preparing import check_weights


@graph_algorithm
def closeness(A: Matrix, *, weighted: bool = False, improved: bool = True, batch: int | None = None) -> Vector:
    """The closeness of every vertex: the inverse of the mean distance *to* it, over the vertices that reach it.

    ``A[i, j]`` is the edge from i to j, and its length, zero or more, if ``weighted``. ``improved`` multiplies by the
    share of the vertices that reach the vertex. Both definitions are those of networkx. ``closeness(A.T.new())`` uses
    distances *from* the vertices.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    improved : bool
        Whether to scale by the share of the vertices that reach the vertex.
    batch : int, optional
        The most sources at a time: without weights up to 64; with weights, more sources take more memory.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import closeness
    >>> closeness(generators.star(4)).to_dense().tolist()
    [1.0, 0.6, 0.6, 0.6]
    """
    n = A.nrows
    others, far = weighted_sums(A, batch) if weighted else sums_of_levels(A, batch)
    result = Vector.from_scalar(0.0, n)
    # result = others / far, where that is not 0
    far << select.valuegt(far, 0.0)
    result(binary.plus) << binary.truediv(others & far)
    if improved:
        # result *= others / (n - 1)
        result << binary.times(result & binary.truediv(others, float(max(n - 1, 1))).new())
    return result


def sums_of_levels(A: Matrix, batch: int | None) -> tuple[Vector, Vector]:
    """The number of vertices that reach each vertex, and the sum of their distances, without weights."""
    others, far = Vector.from_scalar(0, A.nrows), Vector.from_scalar(0, A.nrows)
    for arriving, missing in searches_as_bits(A.nrows, batch, "closeness"):
        _arrivals(A.pattern(), arriving, missing, others, far)
    return others.dup(float), far.dup(float)


@program
def _arrivals(edges: Matrix, arriving: Vector, missing: Vector, others: Vector, far: Vector) -> None:
    """Searches as bits: ``others`` and ``far`` grow by the number and the distances of the arriving searches."""
    count = Vector(UINT64, edges.nrows)
    for depth in loop(arriving):
        next_level(edges, arriving, missing)
        # others += number of bits; far += (depth + 1) number of bits
        count << bit_count()(arriving)
        others(binary.plus) << count
        far(binary.plus) << binary.times["INT64"](count, depth + 1)


def weighted_sums(A: Matrix, batch: int | None) -> tuple[Vector, Vector]:
    """The number of vertices that reach each vertex, and the sum of their distances."""
    check_weights(A, "closeness")
    n = A.nrows
    others, far = Vector.from_scalar(0.0, n), Vector.from_scalar(0.0, n)
    reverse = A.T.new()
    for some in progress(vertices_in_batches(n, batch), "closeness"):
        distances = distances_from(reverse, some)
        # others[some] = number of entries of a row without the vertex itself; far[some] = their sum
        others[some] << binary.minus(distances.reduce_rowwise(agg.count).new(float), 1.0).new()
        far[some] << distances.reduce_rowwise(monoid.plus).new(float)
    return others, far


@functools.cache
def bit_count() -> UnaryCall:
    """The operator that counts the bits of a word: in pairs, in fours, in bytes, then in the word."""

    def count(x: np.uint64) -> np.uint64:
        x = x - (x >> np.uint64(1) & np.uint64(0x5555555555555555))
        x = (x & np.uint64(0x3333333333333333)) + (x >> np.uint64(2) & np.uint64(0x3333333333333333))
        x = x + (x >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
        return x * np.uint64(0x0101010101010101) >> np.uint64(56)

    return unary.register_anonymous(count, "bit_count")[UINT64]
