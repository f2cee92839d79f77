"""Neighbour sampling: some random edges of every vertex around the sources, to train graph neural networks.

Returns a Matrix with the drawn edges and their weights. Method: in every hop all vertices of the frontier draw at once,
by Floyd's method: to draw k of d places, draw one of the first d - k + 1, then one of the first d - k + 2, and so on; a
place that was drawn before is replaced by the last one of the range. Weighted draws use the exponential race: edge e
finishes at time -log(random) / weight, and the first edges are drawn. Their targets are the next frontier.
Invariant: every vertex is expanded once, in the hop after it was reached. Cost: O(k) steps for all vertices together,
for any degrees; by weight a sort of the edges of the frontier.
References: W. Hamilton, R. Ying, J. Leskovec, Inductive representation learning on large graphs, NeurIPS 2017;
J. Bentley, R. Floyd, Programming pearls: a sample of brilliance, Communications of the ACM 1987;
P. Efraimidis, P. Spirakis, Weighted random sampling with a reservoir, Information Processing Letters 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .. import Matrix, Vector, binary, generators, io
from ..exceptions import InvalidValue
from ..foundation.types import Array
from .checks import Sources, as_index, check_sources, graph_algorithm
from .preparing import check_weights

Stream = generators.randomness.Stream


@graph_algorithm
def sample_neighbors(
    A: Matrix, sources: Sources, fanouts: int | Sequence[int], *, weighted: bool = False, seed: int = 1
) -> Matrix:
    """At most ``fanouts[0]`` edges of every source, ``fanouts[1]`` of every vertex that these lead to, and so on.

    Edges are drawn without replacement, uniformly or, if ``weighted``, by weight (edges of weight 0 are never drawn).
    The same seed gives the same edges on every backend.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    fanouts : list of int
        The largest number of neighbours per vertex at each hop.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    seed : int
        The seed of the random choices: the same seed gives the same result on every backend.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
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
    starts = np.unique(np.asarray(check_sources(A, sources), np.int64))
    frontier = io.to_array(Vector.from_dense(starts))
    expanded, drawn = frontier, [(frontier[:0], frontier[:0])]
    for hop, fanout in enumerate(hops):
        if not len(frontier):
            break
        rows = Rows.of(A, frontier)
        draw = rows.some_by_weight if weighted else rows.some
        row, place = draw(fanout, Stream(seed, 1 + hop), frontier)
        targets = rows.targets[place].astype(np.int64)
        drawn.append((frontier[row], targets))
        frontier = np.unique(targets)
        frontier = frontier[~np.isin(frontier, expanded)]
        expanded = np.concatenate([expanded, frontier])
    i, j = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    # result<drawn> = A
    return binary.second(Matrix.from_coo(i, j, True, bool, nrows=n, ncols=n) & A).new()


class Rows(NamedTuple):
    """Some rows of a graph: the positions at which each begins, its length, and the columns at all positions."""

    first: Array
    length: Array
    targets: Array
    weights: Array

    @classmethod
    def of(cls, A: Matrix, vertices: Array) -> Rows:
        arrays = A[vertices, :].new().to(form="sparse").device_arrays()
        pointers = arrays["indptr"].astype(np.int64)
        return cls(pointers[:-1], np.diff(pointers), arrays["indices"], arrays["values"])

    def entries(self) -> tuple[Array, Array]:
        """Every entry of these rows: the number of its row, and its position."""
        ends = np.cumsum(self.length)
        row = np.repeat(np.arange(len(ends), like=ends), self.length)
        return row, np.arange(len(row), like=ends) + (self.first - ends + self.length)[row]

    def take(self, some: Array) -> Rows:
        return self._replace(first=self.first[some], length=self.length[some])

    def some(self, fanout: int, stream: Stream, vertices: Array) -> tuple[Array, Array]:
        """At most ``fanout`` entries of every row: the number of the row, and the position of the entry."""
        short, long = np.flatnonzero(self.length <= fanout), np.flatnonzero(self.length > fanout)
        row, place = self.take(short).entries()
        if not len(long):
            return short[row], place
        first, length, vertices = self.first[long], self.length[long], vertices[long].astype(np.uint64)
        chosen = np.zeros((fanout, len(long)), np.int64, like=place) - 1
        for k in range(fanout):
            last = length - fanout + k
            # number = one of 0 to last
            number = stream.below((last + 1).astype(np.uint64), vertices + np.uint64(k << 40)).astype(np.int64)
            chosen[k] = np.where((chosen == number).any(axis=0), last, number)
        every = np.broadcast_to(long, chosen.shape).ravel()
        return np.concatenate([short[row], every]), np.concatenate([place, (first + chosen).ravel()])

    def some_by_weight(self, fanout: int, stream: Stream, vertices: Array) -> tuple[Array, Array]:
        """At most ``fanout`` entries of every row, by weight: the number of the row, and the position of the entry."""
        row, place = self.entries()
        weight = np.broadcast_to(self.weights, self.targets.shape)[place].astype(np.float64)
        some = np.flatnonzero(weight)
        row, place, weight = row[some], place[some], weight[some]
        if not len(row):
            return row, place
        # share = (random bits / 2^11 + 1) / 2^53, from above 0 to 1
        counters = ((place - self.first[row]) << 32) + vertices[row]
        bits = stream.bits(counters.astype(np.uint64))
        share = ((bits >> np.uint64(11)).astype(np.float64) + 1.0) * 2.0**-53
        time, rows = -np.log(share) / weight, len(self.first)
        # sort only candidates below a time bound; a row with too few of them sorts all its entries
        early = time * np.bincount(row, weight, minlength=rows)[row] <= 4.0 * (fanout + 4)
        short = np.bincount(row[early], minlength=rows) < fanout
        some = np.flatnonzero(early | short[row])
        row, place, time = row[some], place[some], time[some]
        order = np.lexsort(np.stack([time, row.astype(np.float64)]))
        row, place = row[order], place[order]
        rank = np.arange(len(row), like=row) - np.searchsorted(row, row)
        taken = np.flatnonzero(rank < fanout)
        return row[taken], place[taken]
