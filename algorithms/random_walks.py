"""Random walks: uniform, by weight, and node2vec's, which remember where they come from.

Returns an INT64 Matrix with a row for every walk: its vertices in order, fewer if it ends where no edge leads on.
Method: all walks make a step at once. A step draws one of the edges of a vertex: any, or by weight with the sums of
weights before each edge. node2vec draws so, and keeps what it drew with a probability that depends on the vertex
before; what it rejects is drawn again.
Invariant: column t has the vertices after t steps. Cost: O(1) a step of a walk, O(log m) by weight; node2vec's are as
many draws as the ratio of its largest and smallest factor, at most, on average.
References: B. Perozzi, R. Al-Rfou, S. Skiena, DeepWalk, KDD 2014; A. Grover, J. Leskovec, node2vec, KDD 2016;
K. Yang et al., KnightKing: a fast distributed graph random walk engine, SOSP 2019 (rejection).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import Graph, Matrix, generators
from ..exceptions import InvalidValue
from .checks import Sources, check_sources, with_labels
from .labels import labels_of
from .preparing import check_weights


def walks_by_label(graph: Graph, walks: Matrix) -> list[list]:
    """A list of labels for every walk."""
    rows = walks.to_dicts()
    return [labels_of(graph, rows[row].values()) for row in range(walks.nrows)]


@with_labels(walks_by_label)
def random_walks(
    A: Matrix, sources: Sources, length: int, *, weighted: bool = False, p: float = 1.0, q: float = 1.0, seed: int = 1
) -> Matrix:
    """Walks of at most ``length`` edges, one from each of the sources, which may be there several times.

    The next edge is any of a vertex's, or drawn by its weight ``A[i, j]`` if ``weighted``. As in node2vec, ``p`` makes
    a step back to the vertex before less likely, ``q`` one to a vertex that is no neighbour of that. The same seed
    gives the same walks on every backend. For a Graph the result is a list of labels for every walk.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    length : int
        Steps of a walk.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    p : float
        Large values keep a walk from going back at once.
    q : float
        Large values keep a walk near where it came from.
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
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import random_walks
    >>> A = Matrix.from_coo([0, 1, 2, 3], [1, 2, 3, 0], True, nrows=5, ncols=5)
    >>> random_walks(A, [0, 2, 4], 3).to_dicts()
    {0: {0: 0, 1: 1, 2: 2, 3: 3}, 1: {0: 2, 1: 3, 2: 0, 3: 1}, 2: {0: 4}}
    """
    starts = check_sources(A, sources)
    if length < 0:
        raise InvalidValue(f"random_walks: the length must not be negative; got {length}")
    if not (0 < p < float("inf") and 0 < q < float("inf")):
        raise InvalidValue(f"random_walks: p and q must be positive numbers; got {p} and {q}")
    if weighted:
        check_weights(A, "random_walks")
    edges = Edges(A, weighted)
    at = np.asarray(starts, np.int64, like=edges.pointers)
    walk = np.arange(len(starts), like=edges.pointers)
    visited = [(walk, at)]
    before = None
    for step in range(length):
        going = edges.out[at] > 0
        walk, at, before = walk[going], at[going], None if before is None else before[going]
        draw = Draws(seed, step, walk)
        target = edges.draw(at, draw)
        if before is not None and (p != 1 or q != 1):
            target = edges.accepted(at, before, target, draw, p, q)
        before, at = at, target
        visited.append((walk, at))
    rows = np.concatenate([rows for rows, _ in visited])
    columns = np.concatenate([np.full_like(rows, step) for step, (rows, _) in enumerate(visited)])
    vertices = np.concatenate([vertices for _, vertices in visited])
    return Matrix.from_coo(rows, columns, vertices, int, nrows=len(starts), ncols=length + 1)


class Draws:
    """Random numbers from 0 to 1 for the walks at one step, another one each time."""

    def __init__(self, seed: int, step: int, walk: Any) -> None:
        self.stream = generators.randomness.Stream(seed, 1 + step)
        self.walk = walk.astype(np.uint64)
        self.times = 0

    def __call__(self, which: Any = slice(None)) -> Any:
        self.times += 1
        bits = self.stream.bits(self.walk[which] + np.uint64(self.times << 40))
        return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


class Edges:
    """The compressed sparse rows of a graph, wherever they are: from which the next vertices of walks are drawn."""

    def __init__(self, A: Matrix, weighted: bool) -> None:
        arrays = A.to(form="sparse").device_arrays()
        self.pointers, self.targets = arrays["indptr"].astype(np.int64), arrays["indices"]
        self.n = A.nrows
        self.sums = None
        self.out = np.diff(self.pointers)
        if weighted:
            weights = np.broadcast_to(arrays["values"], self.targets.shape).astype(np.float64)
            self.sums = np.concatenate([np.zeros(1, like=weights), np.cumsum(weights)])
            self.out = self.sums[self.pointers[1:]] - self.sums[self.pointers[:-1]]
        self.keys: Any = None

    def draw(self, at: Any, draw: Draws, which: Any = slice(None)) -> Any:
        """For each vertex one that an edge leads to."""
        share, first, end = draw(which), self.pointers[at], self.pointers[at + 1]
        if self.sums is None:
            edge = first + (share * (end - first)).astype(np.int64)
        else:
            # the edge at which the sum of weights exceeds a share of that of the vertex
            edge = np.searchsorted(self.sums, self.sums[first] + share * self.out[at], side="right") - 1
        return self.targets[np.minimum(np.maximum(edge, first), end - 1)].astype(np.int64)

    def accepted(self, at: Any, before: Any, target: Any, draw: Draws, p: float, q: float) -> Any:
        """The targets, drawn again until they are kept: by node2vec's factors, as shares of the largest."""
        largest = max(1 / p, 1.0, 1 / q)
        open_ = np.arange(len(at), like=at)
        while len(open_):
            back = target[open_] == before[open_]
            near = self.joined(before[open_], target[open_])
            factor = np.where(back, 1 / p, np.where(near, 1.0, 1 / q))
            open_ = open_[draw(open_) * largest >= factor]
            target[open_] = self.draw(at[open_], draw, open_)
        return target

    def joined(self, u: Any, v: Any) -> Any:
        """Whether an edge leads from u to v."""
        if self.keys is None:
            rows = np.repeat(np.arange(self.n, like=self.pointers), np.diff(self.pointers))
            self.keys = rows * self.n + self.targets
        wanted = u * self.n + v
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return self.keys[place] == wanted
