"""Deterministic graphs: grids, paths, stars, complete and complete bipartite graphs, Mycielskians."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..backends.stores.storage import INDEX, column_type
from .structure import Array, check_size, engine_array, pieces, symmetric_matrix, undirected

if TYPE_CHECKING:
    from ..api.matrix import Matrix


def grid_2d(nrows: int, ncols: int | None = None) -> Matrix:
    """The grid of ``nrows`` by ``ncols`` vertices (square by default), each joined to its four neighbours.

    Parameters
    ----------
    nrows : int
        The number of rows of the grid.
    ncols : int, optional
        The number of columns of the grid; that of the rows by default.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.grid_2d(2, 3).nvals
    14
    """
    ncols = nrows if ncols is None else ncols
    check_size("grid_2d", nrows, ncols)
    vertex = np.arange(nrows * ncols, dtype=INDEX, like=engine_array()).reshape(nrows, ncols)
    source = np.concatenate([vertex[:, :-1].ravel(), vertex[:-1].ravel()])
    target = np.concatenate([vertex[:, 1:].ravel(), vertex[1:].ravel()])
    return undirected(source, target, nrows * ncols)


def path(n: int) -> Matrix:
    """The path 0 - 1 - ... - (n - 1).

    Parameters
    ----------
    n : int
        The number of vertices.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.path(4).nvals
    6
    """
    check_size("path", n)
    vertex = np.arange(n, dtype=INDEX, like=engine_array())
    return undirected(vertex[:-1], vertex[1:], n)


def star(n: int) -> Matrix:
    """Vertex 0 joined to each of the other ``n - 1``.

    Parameters
    ----------
    n : int
        The number of vertices.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.star(5).nvals
    8
    """
    check_size("star", n)
    leaves = np.arange(1, n, dtype=INDEX, like=engine_array())
    return undirected(leaves * 0, leaves, n)


def complete(n: int) -> Matrix:
    """Every two of ``n`` vertices joined.

    Parameters
    ----------
    n : int
        The number of vertices.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.complete(4).nvals
    12
    """
    check_size("complete", n)
    entry = np.arange(n * (n - 1), dtype=INDEX, like=engine_array())
    row = entry // max(1, n - 1)
    col = entry - row * (n - 1)
    col += col >= row  # without the diagonal
    indptr = np.arange(n + 1, dtype=INDEX, like=entry) * (n - 1)
    return symmetric_matrix(indptr, col)


def complete_bipartite(left: int, right: int) -> Matrix:
    """Each of ``left`` vertices (numbered first) joined to each of ``right`` vertices.

    Parameters
    ----------
    left : int
        The number of vertices of the left side.
    right : int
        The number of vertices of the right side.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.complete_bipartite(2, 3).to_dicts()[4]
    {0: True, 1: True}
    """
    check_size("complete_bipartite", left, right)
    entry = np.arange(left * right, dtype=INDEX, like=engine_array())
    cols = np.concatenate([left + entry % right, entry % left])
    degrees = np.concatenate([np.zeros(1, INDEX, like=entry), entry[:left] * 0 + right, entry[:right] * 0 + left])
    return symmetric_matrix(np.cumsum(degrees), cols)


def mycielskian(k: int) -> Matrix:
    """The Mycielskian graph of chromatic number k, free of triangles, as in the SuiteSparse collection.

    ``mycielskian(2)`` is an edge; each next one has ``2 n + 1`` vertices and ``3 m + n`` edges.

    Parameters
    ----------
    k : int
        The chromatic number, from 2 to 21.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> A = generators.mycielskian(3)
    >>> A.nrows, A.nvals
    (5, 10)
    """
    if not 2 <= k <= 21:
        raise ValueError(f"mycielskian: k, the chromatic number, must be from 2 to 21; got {k}")
    like = engine_array()
    indptr = np.arange(3, dtype=INDEX, like=like)
    cols = np.arange(2, dtype=INDEX, like=like)[::-1].astype(np.int32)
    for _ in range(k - 2):
        # Each vertex v gets a twin n + v joined to v's neighbours; vertex 2 n is joined to all twins. So the new list
        # of v is the old list and its twins, that of the twin is the old list and 2 n: sorted by construction.
        n, entries = len(indptr) - 1, len(cols)
        larger: Array = np.zeros(3 * entries + 2 * n, column_type(2 * n + 1), like=like)
        for start, stop in pieces(entries, like):
            entry = np.arange(start, stop, dtype=INDEX, like=like)
            row = np.searchsorted(indptr, entry, side="right") - 1
            old = cols[start:stop]
            larger[entry + indptr[row]] = old
            larger[entry + indptr[row + 1]] = old + np.int32(n)
            larger[2 * entries + entry + row] = old
        vertex = np.arange(n, dtype=INDEX, like=like)
        larger[2 * entries + indptr[1:] + vertex] = 2 * n
        larger[3 * entries + n :] = vertex + n
        twins = 2 * entries + indptr[1:] + vertex + 1
        indptr, cols = np.concatenate([2 * indptr, twins, twins[-1:] + n]), larger
    return symmetric_matrix(indptr, cols)
