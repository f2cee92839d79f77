"""Kronecker graphs (RMAT): the benchmark graphs of Graph500, made where they will live."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .randomness import HALF, LOW, Array, Stream
from .structure import EdgeKeys, engine_array, pieces

if TYPE_CHECKING:
    from ..matrix import Matrix

A, B, C = 0.57, 0.19, 0.19  # Graph500 specification, section 3; d is the rest


def kronecker(scale: int, edge_factor: int = 16, *, seed: int = 1, a: float = A, b: float = B, c: float = C) -> Matrix:
    """A Kronecker graph as in Graph500: ``2**scale`` vertices, at most ``edge_factor * 2**scale`` undirected edges.

    Duplicates and loops of the recipe are dropped, so there are fewer edges than the factor says. ``a``, ``b``, ``c``
    and the rest ``d`` are the probabilities of the quadrants of the adjacency matrix, at every level.

    >>> from grblas_gpu import generators
    >>> A = generators.kronecker(6, seed=3)
    >>> A.shape, A.dtype.name
    ((64, 64), 'BOOL')
    >>> A.isequal(A.T.new())
    True
    """
    if not 0 <= scale <= 31:
        raise ValueError(f"kronecker: scale must be from 0 to 31, got {scale}")
    if edge_factor < 0:
        raise ValueError(f"kronecker: edge_factor must not be negative, got {edge_factor}")
    if min(a, b, c) < 0 or a + b + c > 1:
        raise ValueError(f"kronecker: a, b, c must be probabilities that add up to at most 1, got {a}, {b}, {c}")
    like = engine_array()
    n, m = 1 << scale, edge_factor << scale
    limits = quadrant_limits(a, b, c)
    # The recipe gives low numbers high degrees; a permutation removes that hint.
    permutation = Stream(seed, 1).permutation(n, like).astype(np.uint64)
    edges = EdgeKeys(n, m, like)
    for start, stop in pieces(m, like):
        counters = np.arange(start, stop, dtype=np.uint64, like=like)
        source, target = recipe_edges(scale, seed, limits, counters)
        edges.add(permutation[source.view(np.int64)], permutation[target.view(np.int64)])
    return edges.matrix()


def quadrant_limits(a: float, b: float, c: float) -> list[np.uint64]:
    """Where the quadrants b, c and d begin, in 32-bit random numbers."""
    return [np.uint64(min(round(sum(part) * 2**32), 2**32 - 1)) for part in ((a,), (a, b), (a, b, c))]


def recipe_edges(scale: int, seed: int, limits: list[np.uint64], counters: Array) -> tuple[Array, Array]:
    """The edges of these numbers before the permutation: sources and targets as uint64."""
    source, target = np.zeros_like(counters), np.zeros_like(counters)
    for level in range(scale):
        if level % 2 == 0:  # one hash serves two levels
            random = Stream(seed, 2 + level).bits(counters)
            quadrant = random & LOW
        else:
            quadrant = random >> HALF
        # In one of the lower quadrants c and d; in one of those at the right, b and d.
        lower = quadrant >= limits[1]
        right = (quadrant >= limits[0]) ^ lower ^ (quadrant >= limits[2])
        source += source
        source += lower
        target += target
        target += right
    return source, target
