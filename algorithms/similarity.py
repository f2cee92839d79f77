"""Similarity of two vertices: how many of their neighbours they have in common.

Returns an FP64 Matrix with an entry for every pair that was asked for. Method: the product of A with its transpose,
at these pairs only, counts the common neighbours; the degrees make shares of the counts.
Cost: O(sum over all pairs of the degrees), whatever else the graph has, or for all pairs at distance two that of A A'.
References: P. Jaccard, Etude comparative de la distribution florale, 1901; L. Dice, Measures of the amount of ecologic
association between species, 1945; T. Sorensen, 1948; M. Vijaymeena, K. Kavitha, A survey on similarity measures, 2016.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import FP64, Matrix, agg, binary, monoid, select, semiring, unary
from .checks import check_pairs, graph_algorithm
from .preparing import check_weights

FEW = 8  # vertices for each pair: where there are more, most rows are not looked at


@graph_algorithm
def jaccard(A: Matrix, pairs: Any = None) -> Matrix:
    """Common neighbours as a share of all neighbours of the two; ``A[i, j]`` makes j a neighbour of i.

    ``pairs`` is a Matrix with an entry at every pair to look at, or pairs of vertices in a list or an array with two
    columns; None means all pairs of different vertices that have something in common. Without any neighbours it is 0.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, whatever its value. With a Graph,
        vertices are labels.
    pairs : Matrix, or list of tuples, optional
        Which pairs of vertices.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import jaccard
    >>> jaccard(generators.path(4), [(0, 2), (1, 2)]).to_dicts()
    {0: {2: 0.5}, 1: {2: 0.0}}
    """
    common, own, other = counts(A, pairs)
    # similarity = common / (own + other - common)
    either = binary.plus(own & other).new()
    either << binary.minus(either & common)
    return share(common, either)


@graph_algorithm
def overlap(A: Matrix, pairs: Any = None) -> Matrix:
    """Common neighbours as a share of the neighbours of the one that has fewer; ``pairs`` as for ``jaccard``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, whatever its value. With a Graph,
        vertices are labels.
    pairs : Matrix, or list of tuples, optional
        Which pairs of vertices.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import overlap
    >>> overlap(generators.path(4), [(0, 2), (1, 2)]).to_dicts()
    {0: {2: 1.0}, 1: {2: 0.0}}
    """
    common, own, other = counts(A, pairs)
    # similarity = common / min(own, other)
    return share(common, monoid.min(own & other).new())


@graph_algorithm
def sorensen(A: Matrix, pairs: Any = None) -> Matrix:
    """Common neighbours as a share of the mean number of neighbours; ``pairs`` as for ``jaccard``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, whatever its value. With a Graph,
        vertices are labels.
    pairs : Matrix, or list of tuples, optional
        Which pairs of vertices.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import sorensen
    >>> sorensen(generators.path(4), [(1, 3)]).to_dicts()
    {1: {3: 0.6666666666666666}}
    """
    common, own, other = counts(A, pairs)
    # similarity = 2 common / (own + other)
    return share(binary.times(common, 2.0).new(), binary.plus(own & other).new())


@graph_algorithm
def cosine(A: Matrix, pairs: Any = None, *, weighted: bool = False) -> Matrix:
    """The cosine of the angle between two rows of A: ones, or weights if ``weighted``; ``pairs`` as for ``jaccard``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    pairs : Matrix, or list of tuples, optional
        Which pairs of vertices.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN or infinite.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import cosine
    >>> A = Matrix.from_coo([0, 0, 1, 1], [2, 3, 2, 3], [3.0, 4.0, 4.0, 3.0], nrows=4, ncols=4)
    >>> cosine(A, [(0, 1)]).to_dicts(), cosine(A, [(0, 1)], weighted=True).to_dicts()
    ({0: {1: 1.0}}, {0: {1: 0.96}})
    """
    if weighted:
        check_weights(A, "cosine", negative=True)
    common, own, other = counts(A, pairs, weighted=weighted)
    # similarity = common / sqrt(own other)
    return share(common, unary.sqrt(binary.times(own & other).new()).new())


def counts(A: Matrix, pairs: Any, *, weighted: bool = False) -> tuple[Matrix, Matrix, Matrix]:
    """For every pair what its rows of A have in common, what the first has, and what the second has."""
    multiply = (semiring.plus_times if weighted else semiring.plus_pair)[FP64]
    rows = A.dup(FP64) if weighted else A.pattern()
    if pairs is None:
        # common = A A', off the diagonal
        common = select.offdiag(multiply(rows @ rows.T).new()).new()
    else:
        wanted = check_pairs(A, pairs)
        if wanted.nvals * FEW < A.nrows:
            return of_few(rows, wanted, multiply, weighted)
        # common<wanted> = 0 + A A'
        common = binary.second(wanted, 0.0).new(FP64)
        common(wanted.S, binary.plus) << multiply(rows @ rows.T)
    return common, *sizes(rows, common, weighted)


def of_few(rows: Matrix, wanted: Matrix, multiply: Any, weighted: bool) -> tuple[Matrix, Matrix, Matrix]:
    """The same of few pairs: the vertices of these are numbered, and no other row is looked at."""
    first, second, _ = wanted.to_coo()
    used = np.unique(np.concatenate([first, second]))
    # R = A[used, :], common<wanted[used, used]> = 0 + R R'
    few, asked = rows[used, :].new(), wanted[used, used].new()
    common = binary.second(asked, 0.0).new(FP64)
    common(asked.S, binary.plus) << multiply(few @ few.T)
    found = []
    for part in (common, *sizes(few, common, weighted)):
        # whole[used, used] = part
        whole = Matrix(FP64, wanted.nrows, wanted.ncols)
        whole[used, used] << part
        found.append(whole)
    return found[0], found[1], found[2]


def sizes(rows: Matrix, common: Matrix, weighted: bool) -> tuple[Matrix, Matrix]:
    """For every pair what its first row has, and what its second has."""
    # size_i = sum_j A_ij^2
    squares = binary.times(rows & rows).new() if weighted else rows
    size = squares.reduce_rowwise(monoid.plus if weighted else agg.count).new(FP64)
    # own_ij = size_i, other_ij = size_j
    return binary.first(size & common).new(), binary.second(common & size).new()


def share(part: Matrix, whole: Matrix) -> Matrix:
    """part / whole, and 0 where there is no whole."""
    result = binary.second(part, 0.0).new(FP64)
    # result<whole != 0> = part / whole
    result(binary.plus) << binary.truediv(part & select.valuene(whole, 0.0).new())
    return result
