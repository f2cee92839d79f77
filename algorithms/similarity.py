"""Similarity of two vertices: the share of their neighbours that they have in common.

Returns an FP64 Matrix with an entry for every given pair. Method: the product of A with its transpose, masked by the
pairs, counts common neighbours; few pairs use the product of their rows only. The counts are divided by degrees.
Cost: O(sum over all given pairs of the degrees), or for all pairs at distance two that of A A'.
References: P. Jaccard, Etude comparative de la distribution florale, 1901; L. Dice, Measures of the amount of ecologic
association between species, 1945; T. Sorensen, 1948; M. Vijaymeena, K. Kavitha, A survey on similarity measures, 2016.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import FP64, Matrix, Vector, agg, binary, io, monoid, select, semiring, unary
from ..plan.search_rules import reads_each_pair
from .checks import Pairs, check_pairs, graph_algorithm, vertex_set
from .components import numbers
from .preparing import Values, as_floats, check_weights, total

Formula = Callable[[Values, Values, Values], Values]  # Vectors have a value for every pair


@graph_algorithm
def jaccard(A: Matrix, pairs: Pairs | None = None) -> Matrix:
    """Common neighbours as a share of all neighbours of the two; ``A[i, j]`` makes j a neighbour of i.

    ``pairs`` is a Matrix with an entry at every pair, or a list or an array with two columns of vertices. None means
    all pairs of different vertices with a common neighbour. Pairs without neighbours have similarity 0.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    pairs : Matrix, or list of tuples, optional
        The pairs of vertices; by default all pairs with a common neighbour.

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

    def of_all(common: Values, own: Values, other: Values) -> Values:
        # similarity = common / (own + other - common)
        either = binary.plus(own & other).new()
        either << binary.minus(either & common)
        return share(common, either)

    return similarity(A, pairs, of_all)


@graph_algorithm
def overlap(A: Matrix, pairs: Pairs | None = None) -> Matrix:
    """Common neighbours as a share of the smaller of the two degrees; ``pairs`` as for ``jaccard``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    pairs : Matrix, or list of tuples, optional
        The pairs of vertices; by default all pairs with a common neighbour.

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
    # similarity = common / min(own, other)
    return similarity(A, pairs, lambda common, own, other: share(common, monoid.min(own & other).new()))


@graph_algorithm
def sorensen(A: Matrix, pairs: Pairs | None = None) -> Matrix:
    """Common neighbours as a share of the mean number of neighbours; ``pairs`` as for ``jaccard``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    pairs : Matrix, or list of tuples, optional
        The pairs of vertices; by default all pairs with a common neighbour.

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

    def of_mean(common: Values, own: Values, other: Values) -> Values:
        # similarity = 2 common / (own + other)
        return share(binary.times(common, 2.0).new(), binary.plus(own & other).new())

    return similarity(A, pairs, of_mean)


@graph_algorithm
def cosine(A: Matrix, pairs: Pairs | None = None, *, weighted: bool = False) -> Matrix:
    """The cosine of the angle between two rows of A: ones, or weights if ``weighted``; ``pairs`` as for ``jaccard``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    pairs : Matrix, or list of tuples, optional
        The pairs of vertices; by default all pairs with a common neighbour.
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
    check_weights(A, "cosine", negative=True, weighted=weighted)

    def of_lengths(common: Values, own: Values, other: Values) -> Values:
        # similarity = common / sqrt(own other)
        return share(common, unary.sqrt(binary.times(own & other).new()).new())

    return similarity(A, pairs, of_lengths, weighted=weighted)


def similarity(A: Matrix, pairs: Pairs | None, formula: Formula, *, weighted: bool = False) -> Matrix:
    """``formula`` for every pair, of the common entries of its two rows of A, and of the entries of each row."""
    rows = as_floats(A) if weighted else A.pattern()
    wanted = None if pairs is None else check_pairs(A, pairs)
    if isinstance(wanted, Matrix) and wanted.nvals <= A.nrows:
        first, second, _ = io.to_vectors(wanted)
        wanted = first, second
    if wanted is None or isinstance(wanted, Matrix):
        return of_matrix(rows, wanted, formula, weighted)
    return of_list(rows, *wanted, formula, weighted)


def of_matrix(rows: Matrix, wanted: Matrix | None, formula: Formula, weighted: bool) -> Matrix:
    """The similarity of the pairs of a Matrix; None means all pairs with a common neighbour."""
    multiply = (semiring.plus_times if weighted else semiring.plus_pair)[FP64]
    if wanted is None:
        # common = A A', off the diagonal
        common = select.offdiag(multiply(rows @ rows.T).new()).new()
    else:
        # common<wanted> = 0 + A A'
        common = binary.second(wanted, 0.0).new(FP64)
        common(wanted.S, binary.plus) << multiply(rows @ rows.T)
    size = products(rows, rows, weighted)
    # own_ij = size_i, other_ij = size_j
    return formula(common, binary.first(size & common).new(), binary.second(common & size).new())


def of_list(rows: Matrix, first: Vector, second: Vector, formula: Formula, weighted: bool) -> Matrix:
    """The similarity of listed pairs; it reads the rows of these vertices only."""
    # degree_i = entries in row i
    n, degree = rows.nrows, rows.reduce_rowwise(agg.count).new()
    if reads_each_pair(total(degree[first].new()) + total(degree[second].new()), rows.nvals):
        # F = A(first, :), S = A(second, :)
        F, S = rows[first, :].new(), rows[second, :].new()
        found = formula(products(F, S, weighted), products(F, F, weighted), products(S, S, weighted))
    else:  # vertices with long rows are in many pairs
        used, _ = io.to_vectors(binary.lor(vertex_set(first, n) | vertex_set(second, n)).new())
        place = Vector(int, n)
        # place[used] = 0, 1, ...
        place[used] << numbers(used.size)
        ends = [io.to_array(place[vertices].new()) for vertices in (first, second)]
        wanted = Matrix.from_coo(*ends, True, nrows=used.size, ncols=used.size)
        # similarity of the rows A(used, :)
        i, j, found = io.to_vectors(of_matrix(rows[used, :].new(), wanted, formula, weighted))
        first, second = used[i].new(), used[j].new()
    return io.from_vectors(first, second, found, nrows=n, ncols=n, dup_op=binary.any)


def products(first: Matrix, second: Matrix, weighted: bool) -> Vector:
    """The inner products of row i of both matrices, for every i; without weights the number of common columns.

    >>> A = Matrix.from_dense([[1.0, 2.0], [3.0, 4.0]])
    >>> products(A, A, True).to_dict(), products(A, select.diag(A).new(), False).to_dict()
    ({0: 5.0, 1: 25.0}, {0: 1.0, 1: 1.0})
    """
    found, both = Vector.from_scalar(0.0, first.nrows), first
    if weighted or first is not second:
        # both_ij = first_ij second_ij
        both = (binary.times if weighted else binary.pair)(first & second).new()
    # found_i = sum_j both_ij
    found(binary.plus) << both.reduce_rowwise(monoid.plus if weighted else agg.count)
    return found


def share(part: Values, whole: Values) -> Values:
    """part / whole, and 0 where whole is 0: of Matrices, or of Vectors."""
    result = binary.second(part, 0.0).new(FP64)
    # result<whole != 0> = part / whole
    result(binary.plus) << binary.truediv(part & select.valuene(whole, 0.0).new())
    return result
