"""Distances from some nodes to all, a batch at a time; and the order in which a search finds nodes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from .. import Matrix
from ..algorithms.apsp import distances_from
from ..algorithms.bfs import bfs
from ..algorithms.dobfs import dobfs
from ..backends.stores.entries import ranges
from .graph import Graph

BATCH_ENTRIES = 2**22  # limit of the distances in memory at a time
NOT_FOUND = -1


def in_batches(
    G: Graph, sources: list[int] | None, weight: str | None, *, backward: bool = False, negative: bool = False
) -> Iterator[tuple[list[int], Matrix]]:
    """Sources (all nodes for None) and a Matrix of distances from them, a row for each.

    The first batches are small, for callers that stop early.
    """
    if weight is None:
        A = G.pattern(backward=backward)
    else:
        A = G.lengths(weight, backward=backward, negative=negative)
    chosen = list(range(len(G))) if sources is None else sources
    largest = max(1, BATCH_ENTRIES // max(len(G), 1))
    start, size = 0, min(8, largest)
    while start < len(chosen):
        some = chosen[start : start + size]
        yield some, distances_from(A, some, weighted=weight is not None)
        start, size = start + size, min(2 * size, largest)


def levels(G: Graph, source: int, *, cutoff: float | None = None, backward: bool = False) -> np.ndarray:
    """The number of edges from the source to every node; NOT_FOUND beyond the cutoff or without a path."""
    A = G.pattern(backward=backward)
    if cutoff is None or cutoff == math.inf:
        found = dobfs(A, source)
    else:
        # NetworkX continues while the level is below the cutoff; the cutoff may be a fraction.
        found = bfs(A, source, max_depth=math.ceil(cutoff) if cutoff > 0 else 0)
    return found.to_dense(NOT_FOUND)


def edges_from(layer: np.ndarray, pointers: np.ndarray, neighbours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of every edge from these nodes, in order."""
    starts, counts = pointers[layer], pointers[layer + 1] - pointers[layer]
    return np.repeat(layer, counts), neighbours[ranges(starts, counts)]


def tight_edges(
    G: Graph, level: np.ndarray, layer: np.ndarray, *, backward: bool = False
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each level, the edges to the next one in the order of NetworkX's visits; and a flag for tree edges.

    We assume that lists of predecessors are in the order of the nodes.
    """
    pointers, neighbours = G.incoming() if backward else (G.pointers, G.neighbours)
    position, depth = np.empty(len(G), np.int64), 0
    while len(layer):
        depth += 1
        parents, seen = edges_from(layer, pointers, neighbours)
        deeper = level[seen] == depth
        parents, seen = parents[deeper], seen[deeper]
        # The assignment keeps the last of repeated values: reverse them to keep the first.
        position[seen[::-1]] = np.arange(len(seen) - 1, -1, -1)
        first = position[seen] == np.arange(len(seen))
        yield parents, seen, first
        layer = seen[first]


def as_found(G: Graph, level: np.ndarray, first: np.ndarray, *, backward: bool = False) -> Iterator[np.ndarray]:
    """The nodes of each layer in the order in which NetworkX finds them, that of the lists of neighbours."""
    found = (seen[new] for _, seen, new in tight_edges(G, level, first, backward=backward))
    yield from (layer for layer in itertools.chain([first], found) if len(layer))


def nearest_first(
    G: Graph, where: np.ndarray, values: np.ndarray, cutoff: float | None = None, sources: Sequence[int] = ()
) -> dict:
    """Distances by node, nearest first, up to the cutoff; the sources are always included."""
    order = np.argsort(values, kind="stable")
    where, values = where[order], values[order]
    if cutoff is not None:
        near = (values <= cutoff) | np.isin(where, sources)
        where, values = where[near], values[near]
    return dict(zip(G.named(where), values.tolist(), strict=True))


def rows(distances: Matrix) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The entries of every row: columns and values."""
    pointers, columns, values = distances.to_csr()
    for start, stop in zip(pointers[:-1].tolist(), pointers[1:].tolist(), strict=True):
        yield columns[start:stop], values[start:stop]
