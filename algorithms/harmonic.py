"""Harmonic centrality: how near all other vertices are, where those that do not reach the vertex count zero.

Returns an FP64 Vector. Method: breadth-first searches from a batch of vertices at a time, each search a bit of a word;
at every level, each vertex adds the inverse level for the bits that arrive. With weights, distances on the reversed
graph, a row for each vertex of a batch. Invariant: the sums contain all sources so far.
Cost: O(n m depth / 64) at most without weights; with weights, memory for a batch of rows.
Reference: P. Boldi, S. Vigna, Axioms for centrality, Internet Mathematics 2014.
"""

from __future__ import annotations

from .. import FP64, UINT64, Matrix, Vector, binary, loop, monoid, program, select, unary
from ..foundation.progress import progress
from .apsp import distances_from
from .batches import next_level, searches_as_bits, vertices_in_batches
from .checks import graph_algorithm
from .closeness import bit_count
from .preparing import check_weights


@graph_algorithm
def harmonic_centrality(A: Matrix, *, weighted: bool = False, batch: int | None = None) -> Vector:
    """The harmonic centrality of every vertex: the sum of the inverse distances *to* it, over all other vertices.

    The definition is that of networkx. ``harmonic_centrality(A.T.new())`` uses distances *from* the vertices.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are lengths, above zero; otherwise every edge counts 1.
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
    >>> from grblas_gpu.algorithms import harmonic_centrality
    >>> harmonic_centrality(generators.star(4)).to_dense().tolist()
    [3.0, 2.0, 2.0, 2.0]
    """
    result = Vector.from_scalar(0.0, A.nrows)
    if weighted:
        check_weights(A, "harmonic_centrality")
        reverse = A.T.new()
        for some in progress(vertices_in_batches(A.nrows, batch), "harmonic_centrality"):
            # result[some] = the sum of 1 / distance along a row, without the vertex itself
            distances = select.valuegt(distances_from(reverse, some), 0).new(FP64)
            result(binary.plus)[some] << unary.minv(distances).new().reduce_rowwise(monoid.plus).new()
        return result
    for arriving, missing in searches_as_bits(A.nrows, batch, "harmonic_centrality"):
        _arrivals(A.pattern(), arriving, missing, result)
    return result


@program
def _arrivals(edges: Matrix, arriving: Vector, missing: Vector, result: Vector) -> None:
    """Searches as bits: ``result`` grows by the inverse levels of the arriving searches."""
    count = Vector(UINT64, edges.nrows)
    for depth in loop(arriving):
        next_level(edges, arriving, missing)
        # result += number of bits / (depth + 1)
        count << bit_count()(arriving)
        result(binary.plus) << binary.truediv[FP64](count, depth + 1)
