"""Random graphs of a given structure: blocks of vertices, or degrees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from ..backends.registry import current_engine
from ..foundation.types import ArrayLike
from .randomness import Stream
from .structure import EdgeKeys, check_probability, check_size, engine_array, pieces, undirected

if TYPE_CHECKING:
    from ..api.matrix import Matrix


def stochastic_block_model(sizes: Sequence[int], probabilities: ArrayLike, *, seed: int = 1) -> Matrix:
    """Blocks of vertices, numbered one after the other: a pair is an edge with the probability of its two blocks.

    Pairs are drawn with replacement, a Poisson number of them for each two blocks. So every pair is drawn or not
    independently of all others, and the time depends on the edges, not on the pairs.
    Reference: P. Holland, K. Laskey, S. Leinhardt, Stochastic blockmodels: first steps, Social Networks 1983.

    Parameters
    ----------
    sizes : list of int
        The number of vertices of each block.
    probabilities : array
        A symmetric matrix: the probability of an edge between a vertex of block a and one of block b.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> A = generators.stochastic_block_model([20, 30], [[1, 0], [0, 0.5]])
    >>> A[:20, :20].new().nvals, A[:20, 20:].new().nvals
    (380, 0)
    """
    name = "stochastic_block_model"
    check_size(name, *sizes)
    chances = np.asarray(probabilities, float)
    if chances.shape != (len(sizes), len(sizes)) or (chances != chances.T).any():
        raise ValueError(f"{name}: probabilities must be a symmetric matrix of {len(sizes)} x {len(sizes)} numbers")
    for chance in chances.flat:
        check_probability(name, "probabilities", float(chance))
    starts, like = np.cumsum([0, *sizes]), engine_array()
    draw = np.random.default_rng(seed)
    blocks = [(a, b, *_draws(sizes[a], sizes[b], a == b, chances[a, b], draw)) for a, b in _pairs(len(sizes))]
    edges = EdgeKeys(int(starts[-1]), sum(count for *_, count in blocks), like)
    for number, (a, b, everything, count) in enumerate(blocks):
        rows, columns = Stream(seed, 2 * number), Stream(seed, 2 * number + 1)
        for start, stop in pieces(count, like):
            edge = np.arange(start, stop, dtype=np.uint64, like=like)
            if everything:
                source, target = edge // np.uint64(sizes[b]), edge % np.uint64(sizes[b])
            else:
                source, target = rows.below(sizes[a], edge), columns.below(sizes[b], edge)
            edges.add(source + np.uint64(starts[a]), target + np.uint64(starts[b]))
    return edges.matrix()


def configuration_model(degrees: ArrayLike, *, seed: int = 1) -> Matrix:
    """Given degrees: ends of edges, as many at each vertex as its degree, are joined in random pairs.

    Loops and duplicates are dropped, so a few vertices have a lower degree. Without an even sum, one end is left over.
    Reference: M. Newman, S. Strogatz, D. Watts, Random graphs with arbitrary degree distributions and their
    applications, Physical Review E 2001.

    Parameters
    ----------
    degrees : list or array of int
        The degree of every vertex.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.configuration_model([1] * 6).degree_statistics().max
    1
    """
    given = np.asarray(degrees)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu" or (given < 0).any():
        raise ValueError("configuration_model: degrees must be whole numbers, one for each vertex, not below zero")
    ends = current_engine().array(np.repeat(np.arange(len(given)), given))
    ends = ends[Stream(seed, 1).permutation(len(ends), ends)]
    half = len(ends) // 2
    return undirected(ends[:half], ends[half : 2 * half], len(given))


def _pairs(count: int) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(count), 2))


def _draws(rows: int, columns: int, same: bool, chance: float, draw: np.random.Generator) -> tuple[bool, int]:
    """Whether every pair of two blocks is an edge; and the number of pairs to draw.

    If that is Poisson distributed with mean pairs * rate, a pair is drawn with probability 1 - exp(-rate).
    In one block both orders of a pair are drawn.
    """
    if chance == 1:
        return True, rows * columns
    rate = -np.log1p(-chance) / (2 if same else 1)
    return False, int(draw.poisson(rows * columns * rate))
