"""Spectral methods: the vectors of slowest change along edges, and the cut and the drawing that they give.

``fiedler_vector`` returns the second smallest eigenvalue of the Laplacian D - W and its vector, ``spectral_cut`` a
balanced cut, ``spectral_layout`` coordinates. Method: LOBPCG on products (eigenvectors.py). The
cut has the half of the vertices with the lower values on one side; a drawing has two vectors as coordinates.
Invariant: the vectors are orthogonal to the constant one. Cost: that of the products, O(n + m) per step; the number of
steps depends on the gap between eigenvalues.
References: M. Fiedler, Algebraic connectivity of graphs, Czechoslovak Mathematical Journal 1973; Y. Koren, Drawing
graphs by eigenvectors: theory and practice, Computers and Mathematics with Applications 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import Matrix, Vector, binary, io
from .checks import graph_algorithm
from .eigenvectors import slowest
from .preparing import NotConverged, largest


class Fiedler(NamedTuple):
    """The second smallest eigenvalue of the Laplacian, which is above 0 if the graph is connected, and its vector."""

    value: float
    vector: Vector


class Layout(NamedTuple):
    """Two coordinates of every vertex."""

    x: Vector
    y: Vector


@graph_algorithm
def fiedler_vector(
    A: Matrix, *, weighted: bool = False, tol: float = 1e-8, max_iterations: int = 2000, seed: int = 1
) -> Fiedler:
    """The algebraic connectivity, and its vector of length 1. Directions do not matter: A and its transpose are added,
    unless A is symmetric.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    tol : float
        The iteration ends when the residual is below this share of the largest degree.
    max_iterations : int
        The largest number of iterations; without convergence by then, NotConverged is raised.
    seed : int
        The seed of the vectors to begin with.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.
    NotConverged
        The result still changes after ``max_iterations`` steps.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import fiedler_vector
    >>> round(fiedler_vector(generators.path(3)).value, 6)
    1.0
    """
    values, X, error = slowest(A, 1, weighted, tol, max_iterations, seed)
    if error > tol:
        raise NotConverged(f"fiedler_vector: not converged after {max_iterations} iterations; raise them or tol")
    return Fiedler(float(values[0]), X[:, 0].new())


@graph_algorithm
def spectral_cut(A: Matrix, *, weighted: bool = False, tol: float = 1e-4, max_iterations: int = 500) -> Vector:
    """The side of every vertex, 0 or 1, of a cut with few edges between two halves: vertices by the Fiedler vector.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    tol : float
        The iteration ends when the residual is below this share of the largest degree.
    max_iterations : int
        The largest number of iterations; the last vector is good enough for a cut.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import spectral_cut
    >>> sorted(spectral_cut(generators.path(6)).to_dense().tolist())
    [0, 0, 0, 1, 1, 1]
    """
    _, X, _ = slowest(A, 1, weighted, tol, max_iterations, 1)
    order = np.argsort(io.to_array(X[:, 0].new()), kind="stable")
    side = np.zeros_like(order)
    side[order[(A.nrows + 1) // 2 :]] = 1
    return Vector.from_dense(side)


@graph_algorithm
def spectral_layout(A: Matrix, *, weighted: bool = False, tol: float = 1e-4, max_iterations: int = 500) -> Layout:
    """Coordinates for a drawing: the vectors of the second and third smallest eigenvalues, largest coordinate 1.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    tol : float
        The iteration ends when the residual is below this share of the largest degree.
    max_iterations : int
        The largest number of iterations; the last vectors are good enough for a drawing.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import spectral_layout
    >>> spectral_layout(generators.path(9)).x.size
    9
    """
    _, X, _ = slowest(A, 2, weighted, tol, max_iterations, 1)
    x, y = (binary.truediv(X[:, k].new(), largest(abs(X).new()) or 1.0).new() for k in range(2))
    return Layout(x, y)
