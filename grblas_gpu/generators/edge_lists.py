"""The same graphs as lists of entries in NumPy arrays: ``rows, cols, n``, both directions of every edge, in order.

For programs that need edges instead of a Matrix. The arrays are on the host for every backend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..backends.registry import using
from .kronecker_graphs import kronecker
from .plane_graphs import delaunay
from .random_graphs import uniform_random
from .regular_graphs import complete, grid_2d, mycielskian, path, star

if TYPE_CHECKING:
    from ..api.matrix import Matrix

Indices = npt.NDArray[np.int64]
Edges = tuple[Indices, Indices, int]


def edge_list(generator: Callable[..., Matrix], *args: object, **options: object) -> Edges:
    """The graph of a generator with these arguments, as ``rows, cols, n``.

    Parameters
    ----------
    generator : callable
        A generator of this module.
    *args : any
        Its arguments.
    **options : any
        Its keywords.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> rows, cols, n = generators.edge_list(generators.star, 3)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 0, 1, 2], [1, 2, 0, 0], 3)
    """
    with using("numpy"):
        A = generator(*args, **options)
        rows, cols, _ = A.to_coo(values=False)
    return rows.astype(np.int64), cols.astype(np.int64), A.nrows


def kronecker_edges(scale: int, edge_factor: int = 16, *, seed: int = 1) -> Edges:
    """The entries of :func:`kronecker`.

    Parameters
    ----------
    scale : int
        The graph has 2**scale vertices.
    edge_factor : int
        The number of edges drawn for each vertex.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> rows, cols, n = kronecker_edges(6, 4, seed=3)
    >>> n, bool((rows != cols).all()), 0 < rows.size <= 2 * 4 * n
    (64, True, True)
    """
    return edge_list(kronecker, scale, edge_factor, seed=seed)


def grid_2d_edges(nrows: int, ncols: int | None = None) -> Edges:
    """The entries of :func:`grid_2d`.

    Parameters
    ----------
    nrows : int
        The number of rows of the grid.
    ncols : int, optional
        The number of columns of the grid; that of the rows by default.

    Examples
    --------
    >>> rows, cols, n = grid_2d_edges(2, 2)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 0, 1, 1, 2, 2, 3, 3], [1, 2, 0, 3, 0, 3, 1, 2], 4)
    """
    return edge_list(grid_2d, nrows, ncols)


def path_edges(n: int) -> Edges:
    """The entries of :func:`path`.

    Parameters
    ----------
    n : int
        The number of vertices.

    Examples
    --------
    >>> rows, cols, n = path_edges(3)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 1, 1, 2], [1, 0, 2, 1], 3)
    """
    return edge_list(path, n)


def star_edges(n: int) -> Edges:
    """The entries of :func:`star`.

    Parameters
    ----------
    n : int
        The number of vertices.

    Examples
    --------
    >>> rows, cols, n = star_edges(3)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 0, 1, 2], [1, 2, 0, 0], 3)
    """
    return edge_list(star, n)


def complete_edges(n: int) -> Edges:
    """The entries of :func:`complete`.

    Parameters
    ----------
    n : int
        The number of vertices.

    Examples
    --------
    >>> rows, cols, n = complete_edges(3)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1], 3)
    """
    return edge_list(complete, n)


def mycielskian_edges(k: int) -> Edges:
    """The entries of :func:`mycielskian`.

    Parameters
    ----------
    k : int
        The chromatic number, from 2 to 21.

    Examples
    --------
    >>> rows, cols, n = mycielskian_edges(2)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 1], [1, 0], 2)
    """
    return edge_list(mycielskian, k)


def delaunay_edges(n: int, *, seed: int = 1) -> Edges:
    """The entries of :func:`delaunay`.

    Parameters
    ----------
    n : int
        The number of vertices.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> rows, cols, n = delaunay_edges(3)
    >>> rows.tolist(), cols.tolist(), n
    ([0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1], 3)
    """
    return edge_list(delaunay, n, seed=seed)


def uniform_random_edges(n: int, average_degree: float = 16.0, *, seed: int = 1) -> Edges:
    """The entries of :func:`uniform_random`.

    Parameters
    ----------
    n : int
        The number of vertices.
    average_degree : float
        The mean number of edges drawn at each vertex.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> rows, cols, n = uniform_random_edges(100, 4, seed=3)
    >>> n, bool((rows != cols).all()), 0 < rows.size <= 100 * 4
    (100, True, True)
    """
    return edge_list(uniform_random, n, average_degree, seed=seed)
