"""Graphs of points in the plane: Delaunay triangulations, random geometric graphs, road-like grids."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..backends.registry import current_engine
from ..backends.stores.entries import ranges, repeat
from ..backends.stores.storage import INDEX
from ..foundation.types import Array
from .randomness import Stream
from .structure import check_probability, check_size, engine_array, matrix_of_keys, undirected

if TYPE_CHECKING:
    from ..api.matrix import Matrix

SIDE = 2**30  # points have integer coordinates below this: squared distances fit 64 bits, and no engine rounds
CANDIDATES = 2**26  # the approximate number of pairs of points that one step compares
DENSE_ENOUGH = 0.55  # makes nearly all random geometric graphs connected: DIMACS challenge 10


def delaunay(n: int, *, seed: int = 1) -> Matrix:
    """The Delaunay triangulation of ``n`` points drawn uniformly in the unit square (n >= 3).

    SciPy computes it on the host.

    Parameters
    ----------
    n : int
        The number of vertices.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.delaunay(100, seed=3).shape
    (100, 100)
    """
    if n < 3:
        raise ValueError(f"delaunay: n must be at least 3, the points of a triangle; got {n}")
    from scipy.spatial import Delaunay

    x, y = points(n, seed, np.zeros(0, np.uint64))
    corners = Delaunay(np.stack([x, y], axis=1) / SIDE).simplices.astype(np.int64)
    source, target = corners.ravel(), corners[:, [1, 2, 0]].ravel()
    engine = current_engine()
    return undirected(engine.array(source), engine.array(target), n)


def random_geometric(n: int, radius: float | None = None, *, seed: int = 1) -> Matrix:
    """``n`` points drawn uniformly in the unit square, joined when they are at most ``radius`` apart.

    By default the radius is ``0.55 sqrt(ln n / n)``, as in DIMACS challenge 10 (``rgg_n_2_24_s0`` and the like).
    Near vertices have near numbers: the numbering goes strip by strip.

    Parameters
    ----------
    n : int
        The number of vertices.
    radius : float, optional
        The largest distance of two joined points.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.random_geometric(100, 1.5).nvals
    9900
    """
    check_size("random_geometric", n)
    if radius is None:
        radius = DENSE_ENOUGH * math.sqrt(math.log(n) / n)
    if radius < 0:
        raise ValueError(f"random_geometric: radius must not be negative; got {radius}")
    reach = min(round(radius * SIDE), 2 * SIDE)
    like = engine_array()
    x, y = points(n, seed, like)
    # Squares are at least as wide as the reach, so all neighbours of a point are in nine of them.
    cells = max(1, min(SIDE // max(1, reach), math.isqrt(n) + 1))
    width = -(-SIDE // cells)
    cell = y // width * cells + x // width
    order = np.argsort(cell * n + np.arange(n, dtype=INDEX, like=like))  # all keys differ: the order is unique
    x, y, cell = x[order], y[order], cell[order]
    firsts = np.searchsorted(cell, np.arange(cells * cells + 1, dtype=INDEX, like=like))
    bits = np.uint64(max(n - 1, 1).bit_length())
    parts = []
    step = max(1, int(CANDIDATES / max(1.0, 9 * n / cells**2)))
    for start in range(0, n, step):
        vertex = np.arange(start, min(start + step, n), dtype=INDEX, like=like)
        parts.append(_near(vertex, x, y, firsts, cells, width, reach, bits))
    return matrix_of_keys(np.concatenate(parts), n, bits)


def road(nrows: int, ncols: int | None = None, keep: float = 0.7, *, seed: int = 1) -> Matrix:
    """A graph like a road network: a grid of crossings that keeps each of its streets with probability ``keep``.

    With 0.7 the mean degree is 2.8, that of roadNet-CA, the diameter is larger than that of the grid, and nearly all
    crossings are in one component. Select a source in it.

    Parameters
    ----------
    nrows : int
        The number of rows of the grid.
    ncols : int, optional
        The number of columns of the grid; that of the rows by default.
    keep : float
        The share of the streets of the grid that the graph keeps.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> A = generators.road(30, seed=3)
    >>> A.shape, 2.5 < A.nvals / A.nrows < 3.0
    ((900, 900), True)
    """
    ncols = nrows if ncols is None else ncols
    check_size("road", nrows, ncols)
    check_probability("road", "keep", keep)
    vertex = np.arange(nrows * ncols, dtype=INDEX, like=engine_array()).reshape(nrows, ncols)
    sources, targets = [], []
    for purpose, source, target in ((1, vertex[:, :-1], vertex[:, 1:]), (2, vertex[:-1], vertex[1:])):
        there = Stream(seed, purpose).happens(keep, source.ravel().astype(np.uint64))
        sources.append(source.ravel()[there])
        targets.append(target.ravel()[there])
    return undirected(np.concatenate(sources), np.concatenate(targets), nrows * ncols)


def points(n: int, seed: int, like: Array) -> tuple[Array, Array]:
    """Integer coordinates of n random points."""
    counters = np.arange(n, dtype=np.uint64, like=like)
    x, y = (Stream(seed, purpose).below(SIDE, counters).astype(INDEX) for purpose in (1, 2))
    return x, y


def _near(
    vertex: np.ndarray, x: Array, y: Array, firsts: np.ndarray, cells: int, width: int, reach: int, bits: np.uint64
) -> np.ndarray:
    """The keys of all pairs of a given vertex and a point within reach, in order; the vertices are consecutive."""
    column, line = x[vertex] // width, y[vertex] // width
    left, right = np.maximum(column - 1, 0), np.minimum(column + 1, cells - 1)
    found = []
    for above in (-1, 0, 1):
        inside = (line + above >= 0) & (line + above < cells)
        base = np.where(inside, line + above, 0) * cells
        # The points of the three squares in a strip are contiguous.
        begin = firsts[base + left]
        count = np.where(inside, firsts[base + right + 1] - begin, 0)
        other, this = ranges(begin, count), repeat(vertex, count)
        across, up = x[this] - x[other], y[this] - y[other]
        near = (across * across + up * up <= reach * reach) & (this != other)
        found.append(this[near].astype(np.uint64) << bits | other[near].astype(np.uint64))
    keys = np.concatenate(found)
    keys.sort()
    return keys
