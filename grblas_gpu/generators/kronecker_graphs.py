"""Kronecker graphs (RMAT): the benchmark graphs of Graph500, generated in the memory of the engine."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..backends.registry import current_engine
from ..backends.stores.counting import counts
from .randomness import HALF, LOW, STEP, WORD, Array, Stream
from .structure import engine_array, key_bits, keys_of_edges, matrix_by_rows, pieces

if TYPE_CHECKING:
    from ..api.matrix import Matrix
    from ..backends.protocol import Backend

A, B, C = 0.57, 0.19, 0.19  # Graph500 specification, section 3; d is the rest


def kronecker(scale: int, edge_factor: int = 16, *, seed: int = 1, a: float = A, b: float = B, c: float = C) -> Matrix:
    """A Kronecker graph as in Graph500: ``2**scale`` vertices, at most ``edge_factor * 2**scale`` undirected edges.

    Duplicates and loops are dropped, so the graph has fewer edges than were drawn. ``a``, ``b``, ``c`` and the rest
    ``d`` are the probabilities of the quadrants of the adjacency matrix, at every level. On a device, large graphs are
    generated some rows at a time, to bound the workspace.

    Parameters
    ----------
    scale : int
        The graph has 2**scale vertices.
    edge_factor : int
        The number of edges drawn for each vertex.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.
    a : float
        The probability of the upper left quadrant.
    b : float
        The probability of the upper right quadrant.
    c : float
        The probability of the lower left quadrant.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> A = generators.kronecker(6, seed=3)
    >>> A.shape, A.dtype.name
    ((64, 64), 'BOOL')
    >>> A.isequal(A.T.new())
    True
    """
    if not 0 <= scale <= 31:
        raise ValueError(f"kronecker: scale must be from 0 to 31; got {scale}")
    if edge_factor < 0:
        raise ValueError(f"kronecker: edge_factor must not be negative; got {edge_factor}")
    if min(a, b, c) < 0 or a + b + c > 1:
        raise ValueError(f"kronecker: a, b and c must be probabilities with a sum of at most 1; got {a}, {b}, {c}")
    recipe = recipe_of(scale, edge_factor, seed, a, b, c)
    return matrix_by_rows(1 << scale, 2 * recipe.edges, partial(find_keys, current_engine(), recipe), engine_array())


def drawn_degrees(scale: int, edge_factor: int = 16, *, seed: int = 1) -> Array:
    """The ends of drawn edges at each vertex of :func:`kronecker`, with the repeated edges and loops that it drops.

    >>> int(drawn_degrees(5, 4).sum()) == 2 * 4 * 32
    True
    """
    recipe = recipe_of(scale, edge_factor, seed)
    degrees = np.zeros(1 << scale, np.int64, like=recipe.permutation)
    for start, stop in pieces(recipe.edges, recipe.permutation):
        counters = np.arange(start, stop, dtype=np.uint64, like=recipe.permutation)
        for end in recipe_edges(scale, seed, recipe.limits, counters):
            degrees += counts(recipe.permutation[end.view(np.int64)], len(degrees))
    return degrees


class Recipe(NamedTuple):
    """The parameters that determine edges 0, 1, ..."""

    scale: int
    edges: int
    seed: int
    limits: list[np.uint64]
    permutation: Array  # of the vertices, uint32

    @property
    def bits(self) -> np.uint64:
        """The number of bits of a column in a key."""
        return key_bits(1 << self.scale)

    @property
    def streams(self) -> list[int]:
        """The initial hash state for every second level (see Stream.bits)."""
        return [(Stream(self.seed, 2 + level).start + STEP) & WORD for level in range(0, self.scale, 2)]


def recipe_of(scale: int, edge_factor: int, seed: int, a: float = A, b: float = B, c: float = C) -> Recipe:
    # The recipe gives low numbers high degrees; a permutation removes this correlation.
    permutation = Stream(seed, 1).permutation(1 << scale, engine_array()).astype(np.uint32)
    return Recipe(scale, edge_factor << scale, seed, quadrant_limits(a, b, c), permutation)


def find_keys(engine: Backend, recipe: Recipe, low: int, high: int, keys: Array) -> int:
    """:func:`kronecker_keys`, by the engine's kernel if it has one."""
    found = engine.kronecker_keys(recipe, low, high, keys)
    return kronecker_keys(recipe, low, high, keys) if found is None else found


def kronecker_keys(recipe: Recipe, low: int, high: int, keys: Array) -> int:
    """Write the keys of the entries in rows ``low`` to ``high - 1``; returns their number (see matrix_by_rows)."""

    def ends(counters: Array) -> tuple[Array, Array]:
        source, target = recipe_edges(recipe.scale, recipe.seed, recipe.limits, counters)
        return recipe.permutation[source.view(np.int64)], recipe.permutation[target.view(np.int64)]

    return keys_of_edges(ends, recipe.edges, recipe.bits, low, high, keys)


def quadrant_limits(a: float, b: float, c: float) -> list[np.uint64]:
    """The thresholds of the quadrants b, c and d, in 32-bit random numbers."""
    return [np.uint64(min(round(sum(part) * 2**32), 2**32 - 1)) for part in ((a,), (a, b), (a, b, c))]


def recipe_edges(
    scale: int, seed: int, limits: list[np.unsignedinteger] | list[list[np.unsignedinteger]], counters: Array
) -> tuple[Array, Array]:
    """The edges with these numbers before the permutation: sources and targets as uint64.

    ``limits`` are those of all levels, or a list for each level.
    """
    source, target = np.zeros_like(counters), np.zeros_like(counters)
    for level in range(scale):
        if level % 2 == 0:  # one hash serves two levels
            random = Stream(seed, 2 + level).bits(counters)
            quadrant = random & LOW
        else:
            quadrant = random >> HALF
        # Quadrants c and d are below, quadrants b and d are at the right.
        of_a, of_b, of_c = limits[level] if isinstance(limits[0], list) else limits
        lower = quadrant >= of_b
        right = (quadrant >= of_a) ^ lower ^ (quadrant >= of_c)
        source += source
        source += lower
        target += target
        target += right
    return source, target
