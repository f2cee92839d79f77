"""Random walks: uniform, by weight, and those of node2vec, which depend on the previous vertex.

Returns an INT64 Matrix with a row for every walk: its vertices in order, fewer if it ends at a vertex without edges.
Method: in each round every walk draws one edge of its vertex: uniformly, or by weight with prefix sums of the weights.
node2vec accepts a draw with a probability that depends on the previous vertex (rejection sampling). A walk that rejects
its draw stays and draws again in the next round, while others advance. The rounds do not test whether a walk has ended:
such a walk continues at arbitrary vertices, which are removed after the last round.
Invariant: the vertices of a walk are contiguous, at most one more per round. Cost: O(1) per step of a walk, O(log m) by
weight. node2vec needs on average at most as many draws as the ratio of its largest and smallest factor.
References: B. Perozzi, R. Al-Rfou, S. Skiena, DeepWalk, KDD 2014; A. Grover, J. Leskovec, node2vec, KDD 2016;
K. Yang et al., KnightKing: a fast distributed graph random walk engine, SOSP 2019 (rejection).
"""

from __future__ import annotations

import functools

import numpy as np

from .. import Graph, Matrix, generators
from ..exceptions import InvalidValue
from ..foundation.types import Array
from ..plan.search_rules import WALK_ROUNDS
from .checks import Sources, check_sources, with_labels
from .labels import labels_of
from .preparing import check_weights

EDGE, COIN = 1, 2  # the purposes of random numbers


def walks_by_label(graph: Graph, walks: Matrix) -> list[list]:
    """A list of labels for every walk."""
    rows = walks.to_dicts()
    return [labels_of(graph, rows[row].values()) for row in range(walks.nrows)]


@with_labels(walks_by_label)
def random_walks(
    A: Matrix, sources: Sources, length: int, *, weighted: bool = False, p: float = 1.0, q: float = 1.0, seed: int = 1
) -> Matrix:
    """Walks of at most ``length`` edges, one from each of the sources, which may repeat.

    A step draws an edge uniformly, or by its weight ``A[i, j]`` if ``weighted``. As in node2vec, a large ``p`` makes
    steps back to the previous vertex less likely, a large ``q`` steps to vertices that are not its neighbours. The same
    seed gives the same walks on every backend. For a Graph the result is a list of labels for every walk.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    length : int
        The largest number of steps of a walk.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    p : float
        Large values make an immediate step back less likely.
    q : float
        Large values keep a walk near its previous vertex.
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
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import random_walks
    >>> A = Matrix.from_coo([0, 1, 2, 3], [1, 2, 3, 0], True, nrows=5, ncols=5)
    >>> random_walks(A, [0, 2, 4], 3).to_dicts()
    {0: {0: 0, 1: 1, 2: 2, 3: 3}, 1: {0: 2, 1: 3, 2: 0, 3: 1}, 2: {0: 4}}
    """
    starts = check_sources(A, sources)
    if length < 0:
        raise InvalidValue(f"random_walks: length must not be negative; got {length}")
    if not (0 < p < float("inf") and 0 < q < float("inf")):
        raise InvalidValue(f"random_walks: p and q must be positive numbers; got {p} and {q}")
    check_weights(A, "random_walks", weighted=weighted)
    if not starts:
        return Matrix(int, 0, length + 1)
    edges = Edges(A, weighted)
    start = np.asarray(starts, np.int64, like=edges.pointers)
    if not A.nvals:
        paths = start[None]
    elif p == 1 and q == 1:
        paths = straight(edges, start, length, seed)
    else:
        paths = with_memory(edges, start, length, seed, p, q)
    return without_what_follows_an_end(paths, edges.out, length)


def straight(edges: Edges, at: Array, length: int, seed: int) -> Array:
    """The vertices of walks that accept every draw, a row for every step."""
    paths, walk = [at], np.arange(len(at), like=at)
    for first in range(0, length, WALK_ROUNDS):
        for share in shares(seed, EDGE, first, walk)[: length - first]:
            at = edges.draw(at, share)
            paths.append(at)
    return np.stack(paths)


def with_memory(edges: Edges, start: Array, length: int, seed: int, p: float, q: float) -> Array:
    """The vertices of node2vec's walks, a row for every step; walks advance independently."""
    largest = max(1 / p, 1.0, 1 / q)
    back, near, far = 1 / p / largest, 1 / largest, 1 / q / largest
    count, walk = len(start), np.arange(len(start), like=start)
    paths = np.zeros((length + 2) * count, np.int64, like=start)  # the last row receives the steps of finished walks
    # the first step has no previous vertex
    before, at = start, edges.draw(start, shares(seed, EDGE, 0, walk)[0])
    paths[walk] = start
    slot = walk + count
    paths[slot] = at
    first = 1
    while len(left := np.flatnonzero((slot < length * count) & (edges.out[at] > 0))):
        walk, at, before, slot = walk[left], at[left], before[left], slot[left]
        done = walk + (length + 1) * count
        coins = shares(seed, COIN, first, walk)
        unclear = (coins >= min(near, far)) & (coins < max(near, far))  # needs the test of neighbours
        for share, coin, look in zip(shares(seed, EDGE, first, walk), coins, unclear, strict=True):
            target = edges.draw(at, share)
            factor = np.where(edges.joined(before, target, look), near, far) if q != 1 else near
            keeps = coin < np.where(target == before, back, factor)
            before, at = np.where(keeps, at, before), np.where(keeps, target, at)
            slot = np.minimum(slot + count * keeps, done)
            paths[slot] = at
        first += WALK_ROUNDS
    return paths.reshape(length + 2, count)[:-1]


def without_what_follows_an_end(paths: Array, out: Array, length: int) -> Matrix:
    """A row for every walk, up to the first vertex without edges."""
    step = np.arange(len(paths), like=paths)
    # end = the first step at a vertex without edges
    end = np.where(out[paths] > 0, len(paths) - 1, step[:, None]).min(axis=0)
    there = step <= end[:, None]
    pointers = np.zeros(len(end) + 1, np.int64, like=paths)
    pointers[1:] = np.cumsum(end + 1)
    columns = np.broadcast_to(step, there.shape)[there]
    return Matrix.from_csr(pointers, columns, paths.T[there], int, ncols=length + 1)


def shares(seed: int, purpose: int, first: int, walk: Array) -> Array:
    """Random numbers from 0 to 1 for each walk, a row for each of WALK_ROUNDS rounds."""
    rounds = np.arange(first, first + WALK_ROUNDS, dtype=np.uint64, like=walk) << np.uint64(40)
    counters = rounds[:, None] + walk.astype(np.uint64)
    bits = generators.randomness.Stream(seed, purpose).bits(counters)
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


class Edges:
    """The compressed sparse rows of a graph, on any device, from which walks draw their next vertices."""

    def __init__(self, A: Matrix, weighted: bool) -> None:
        arrays = A.to(form="sparse").device_arrays()
        self.pointers, self.targets = arrays["indptr"].astype(np.int64), arrays["indices"]
        self.n = A.nrows
        # the positions of edges; a vertex without edges gets that of another one, for walks that have ended
        self.last = np.maximum(self.pointers[1:] - 1, 0)
        self.first = np.minimum(self.pointers[:-1], self.last)
        self.out, self.sums = np.diff(self.pointers), None
        if weighted:
            sums = np.zeros(len(self.targets) + 1, like=self.pointers)
            sums[1:] = np.cumsum(np.broadcast_to(arrays["values"], self.targets.shape), dtype=np.float64)
            self.before, self.sums = sums[self.pointers[:-1]], sums[1:]
            self.out = sums[self.pointers[1:]] - self.before

    def draw(self, at: Array, share: Array) -> Array:
        """A random successor of each vertex; shares are below 1, and share * degree rounds below the degree."""
        if self.sums is None:
            return self.targets[self.first[at] + (share * self.out[at]).astype(np.int64)].astype(np.int64)
        # the first edge at which the prefix sum of weights exceeds the share of the vertex's total
        edge = np.searchsorted(self.sums, self.before[at] + share * self.out[at], side="right")
        return self.targets[np.minimum(edge, self.last[at])].astype(np.int64)

    def joined(self, u: Array, v: Array, wanted: Array) -> Array:
        """Whether an edge leads from u to v, where ``wanted``; elsewhere it looks up one fixed key, which is cheap."""
        pairs = np.where(wanted, u * self.n + v, 0)
        return self.keys[np.searchsorted(self.keys, pairs)] == pairs

    @functools.cached_property
    def keys(self) -> Array:
        """The key n i + j of every edge from i to j, in increasing order, and a final key above all."""
        counts = np.diff(self.pointers, append=self.pointers[-1:] + 1)
        found = np.repeat(np.arange(self.n + 1, like=counts), counts)
        found *= self.n
        found[:-1] += self.targets
        return found
