"""Graphs to try things on.

Every generator returns a square Boolean adjacency ``Matrix``, symmetric, without loops or duplicates, whose stored
values are all True (one value, not an array). The ``*_edges`` functions are the array part: they return
``rows, cols, n`` with both directions of every edge, sorted by row then column, and need nothing but NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .matrix import Matrix

__all__ = ["complete", "grid_2d", "kronecker", "path", "star", "uniform_random"]

Indices = npt.NDArray[np.int64]
Edges = tuple[Indices, Indices, int]


def kronecker(scale: int, edge_factor: int = 16, *, seed: int = 1) -> Matrix:
    """A Kronecker graph as in Graph500: ``2**scale`` vertices, at most ``edge_factor * 2**scale`` undirected edges.

    Duplicates and loops of the recipe are dropped, so there are fewer edges than the factor says.

    >>> from grblas_gpu import generators
    >>> A = generators.kronecker(6, seed=3)
    >>> A.shape, A.dtype.name
    ((64, 64), 'BOOL')
    >>> A.isequal(A.T.new())
    True
    """
    return _matrix(kronecker_edges(scale, edge_factor, seed=seed))


def grid_2d(nrows: int, ncols: int | None = None) -> Matrix:
    """The grid of ``nrows`` by ``ncols`` vertices (square by default), each joined to its four neighbours.

    >>> from grblas_gpu import generators
    >>> generators.grid_2d(2, 3).nvals
    14
    """
    return _matrix(grid_2d_edges(nrows, ncols))


def path(n: int) -> Matrix:
    """The path 0 - 1 - ... - (n - 1).

    >>> from grblas_gpu import generators
    >>> generators.path(4).nvals
    6
    """
    return _matrix(path_edges(n))


def star(n: int) -> Matrix:
    """Vertex 0 joined to each of the other ``n - 1``.

    >>> from grblas_gpu import generators
    >>> generators.star(5).nvals
    8
    """
    return _matrix(star_edges(n))


def complete(n: int) -> Matrix:
    """Every two of ``n`` vertices joined.

    >>> from grblas_gpu import generators
    >>> generators.complete(4).nvals
    12
    """
    return _matrix(complete_edges(n))


def uniform_random(n: int, average_degree: float = 16.0, *, seed: int = 1) -> Matrix:
    """``n * average_degree / 2`` edges between vertices drawn uniformly; the loops and duplicates drawn are dropped.

    >>> from grblas_gpu import generators
    >>> generators.uniform_random(100, 4, seed=3).shape
    (100, 100)
    """
    return _matrix(uniform_random_edges(n, average_degree, seed=seed))


def kronecker_edges(scale: int, edge_factor: int = 16, *, seed: int = 1) -> Edges:
    """The array part of :func:`kronecker`.

    >>> rows, cols, n = kronecker_edges(6, 4, seed=3)
    >>> n, bool((rows != cols).all()), 0 < rows.size <= 2 * 4 * n
    (64, True, True)
    """
    if not 0 <= scale <= 31:
        raise ValueError(f"kronecker: scale must be from 0 to 31, got {scale}")
    if edge_factor < 0:
        raise ValueError(f"kronecker: edge_factor must not be negative, got {edge_factor}")
    n, m = 1 << scale, edge_factor << scale
    a, b, c = 0.57, 0.19, 0.19  # Graph500 specification, section 3
    rng = np.random.default_rng(seed)
    source, target = np.zeros(m, np.uint32), np.zeros(m, np.uint32)
    # Each bit picks one quadrant of the adjacency matrix: a | b over c | d. float32 halves the work.
    for bit in range(scale):
        quadrant = rng.random(m, np.float32)
        lower = quadrant >= a + b
        right = ((quadrant >= a) & ~lower) | (quadrant >= a + b + c)
        source |= lower.astype(np.uint32) << np.uint32(bit)
        target |= right.astype(np.uint32) << np.uint32(bit)
    # The recipe gives low numbers high degrees; a permutation removes that hint.
    permutation = rng.permutation(n).astype(np.uint32)
    return _undirected(permutation[source], permutation[target], n)


def grid_2d_edges(nrows: int, ncols: int | None = None) -> Edges:
    """The array part of :func:`grid_2d`.

    >>> rows, cols, n = grid_2d_edges(2, 2)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 0, 1, 1, 2, 2, 3, 3], [1, 2, 0, 3, 0, 3, 1, 2], 4)
    """
    ncols = nrows if ncols is None else ncols
    _check_size("grid_2d", nrows, ncols)
    vertex = np.arange(nrows * ncols, dtype=np.int64).reshape(nrows, ncols)
    source = np.concatenate([vertex[:, :-1].ravel(), vertex[:-1].ravel()])
    target = np.concatenate([vertex[:, 1:].ravel(), vertex[1:].ravel()])
    return _undirected(source, target, nrows * ncols)


def path_edges(n: int) -> Edges:
    """The array part of :func:`path`.

    >>> rows, cols, n = path_edges(3)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 1, 1, 2], [1, 0, 2, 1], 3)
    """
    _check_size("path", n)
    vertex = np.arange(n, dtype=np.int64)
    return _undirected(vertex[:-1], vertex[1:], n)


def star_edges(n: int) -> Edges:
    """The array part of :func:`star`.

    >>> rows, cols, n = star_edges(3)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 0, 1, 2], [1, 2, 0, 0], 3)
    """
    _check_size("star", n)
    leaves = np.arange(1, n, dtype=np.int64)
    return _undirected(np.zeros_like(leaves), leaves, n)


def complete_edges(n: int) -> Edges:
    """The array part of :func:`complete`.

    >>> rows, cols, n = complete_edges(3)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1], 3)
    """
    _check_size("complete", n)
    source, target = np.triu_indices(n, 1)
    return _undirected(source, target, n)


def uniform_random_edges(n: int, average_degree: float = 16.0, *, seed: int = 1) -> Edges:
    """The array part of :func:`uniform_random`.

    >>> rows, cols, n = uniform_random_edges(100, 4, seed=3)
    >>> n, bool((rows != cols).all()), 0 < rows.size <= 100 * 4
    (100, True, True)
    """
    _check_size("uniform_random", n)
    if average_degree < 0:
        raise ValueError(f"uniform_random: average_degree must not be negative, got {average_degree}")
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, n, size=(2, round(n * average_degree / 2)))
    return _undirected(source, target, n)


def _check_size(name: str, *sizes: int) -> None:
    for size in sizes:
        if size < 1:
            raise ValueError(f"{name}: a graph needs at least one vertex, got a size of {size}")


def _undirected(source: npt.NDArray[np.integer], target: npt.NDArray[np.integer], n: int) -> Edges:
    """Both directions of every edge, sorted, without loops and duplicates."""
    proper = source != target
    source, target = source[proper].astype(np.uint64), target[proper].astype(np.uint64)
    # One 64-bit key per entry: sorting keys is several times faster than sorting pairs.
    bits = np.uint64(max(n - 1, 1).bit_length())
    keys = np.concatenate([source << bits | target, target << bits | source])
    keys.sort()
    keys = keys[np.diff(keys, prepend=~np.uint64(0)) != 0] if keys.size else keys
    mask = (np.uint64(1) << bits) - np.uint64(1)
    return (keys >> bits).astype(np.int64), (keys & mask).astype(np.int64), n


def _matrix(edges: Edges) -> Matrix:
    from .matrix import Matrix  # the array part must work without the objects

    rows, cols, n = edges
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=indptr[1:])
    return Matrix.from_csr(indptr, cols, True, ncols=n, dtype=bool)
