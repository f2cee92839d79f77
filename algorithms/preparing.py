"""Functions that several algorithms share: checks of weights, vertices by level, sums, the relaxation of distances."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from .. import FP64, Matrix, Scalar, Vector, binary, io, loop, monoid, program, select, semiring, unary
from ..exceptions import DimensionMismatch, DomainMismatch, GraphblasException, IndexOutOfBound, InvalidValue
from ..foundation.types import Computed, DTypeLike, OperatorLike
from ..plan.search_rules import levels_by_value
from .labels import called

#: Results of searches: a Vector for one, a Matrix with a row for each of several.
Values = TypeVar("Values", Matrix, Vector)
#: A value for each vertex: by position, or in a dictionary.
VertexValues: TypeAlias = Vector | Mapping[Hashable, float] | Sequence[float] | np.ndarray
Start: TypeAlias = VertexValues | None  # to begin with; or the result before a change


class NotConverged(GraphblasException):
    """An iteration did not converge within ``max_iterations``; ``result`` is the last iterate, if available.

    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import NotConverged, pagerank
    >>> try:
    ...     pagerank(generators.star(9), max_iterations=1)
    ... except NotConverged as error:
    ...     print(error)
    pagerank: not converged after 1 iterations; raise max_iterations or tol
    """

    def __init__(self, message: str, result: Vector | None = None) -> None:
        super().__init__(message)
        self.result = result


def check_weights(A: Matrix, what: str, *, negative: bool = False, weighted: bool = True) -> None:
    """Check that weights are real and finite, and not below zero unless ``negative`` is allowed.

    >>> check_weights(Matrix.from_coo([0], [1], [-1], nrows=2, ncols=2), "katz")
    Traceback (most recent call last):
    grblas_gpu.exceptions.InvalidValue: katz: weights must not be negative; the smallest is -1
    """
    kind = A.dtype.np_type.kind if weighted else "b"
    if kind in "cV":
        way_out = "pass abs(A).new(), or A.pattern() for none" if kind == "c" else "pass A.pattern() for none"
        raise DomainMismatch(f"{called(what)}weights must be real numbers, not {A.dtype}; {way_out}")
    if kind == "f" and not A.value_range().finite:
        raise InvalidValue(f"{called(what)}weights must be finite numbers; A has a NaN or an infinity")
    if not negative and kind in "fi" and A.nvals and A.value_range().min < 0:
        raise InvalidValue(f"{called(what)}weights must not be negative; the smallest is {A.value_range().min}")


def as_floats(A: Matrix) -> Matrix:
    """The weights as FP64. A Matrix of FP64 is returned itself, with its cached properties: do not change the result.

    >>> as_floats(Matrix.from_coo([0], [1], [7])).dtype
    FP64
    """
    return A if A.dtype == FP64 else A.dup(FP64)


def sum_type(A: Matrix, terms: int) -> type:
    """The type for sums of ``terms`` weights: int if the weights are integers and sums stay below 2**62, else float.

    >>> sum_type(Matrix.from_coo([0], [1], [2**60], nrows=3, ncols=3), 3)
    <class 'int'>
    >>> sum_type(Matrix.from_coo([0], [1], [2**61], nrows=3, ncols=3), 3)
    <class 'float'>
    """
    dtype = A.dtype.np_type
    if dtype.kind not in "biu":
        return float
    if dtype.itemsize < 8 and terms <= 2**30:
        return int
    low, high, _ = A.value_range()
    return float if max(-(low or 0), high or 0) * terms >= 2**62 else int


def reduced(x: Matrix | Vector, op: OperatorLike, empty: int = 0) -> Any:
    """All values of a Matrix or Vector combined, of the type that they have; ``empty`` without entries."""
    return (x.reduce_scalar(op) if x.ndim == 2 else x.reduce(op)).new().get(empty)


def smallest(x: Matrix | Vector) -> Any:
    """The smallest value of a Matrix or Vector; 0 without entries."""
    return reduced(x, monoid.min)


def largest(x: Matrix | Vector) -> Any:
    """The largest value of a Matrix or Vector; 0 without entries.

    >>> from grblas_gpu import Vector
    >>> largest(Vector.from_coo([0, 2], [5, 7]))
    7
    """
    return reduced(x, monoid.max)


def total(x: Matrix | Vector) -> Any:
    """The sum of all values of a Matrix or Vector; 0 without entries."""
    return reduced(x, monoid.plus)


def change(x: Vector, y: Vector) -> float:
    """The sum of all |x_i - y_i|, for two full vectors."""
    # sum_i |x_i - y_i|
    difference = binary.minus(x & y).new()
    return unary.abs(difference).new().reduce(monoid.plus).new().get(0.0)


def vertex_weights(given: VertexValues | None, n: int, what: str, dtype: DTypeLike | None = None) -> Vector:
    """Weights of all vertices that add up to 1, from a Vector, an array or a dictionary; None gives equal weights.

    >>> vertex_weights({0: 3, 2: 1}, 3, "start").to_dense().tolist(), vertex_weights([2, 2], 2, "start").to_dict()
    ([0.75, 0.0, 0.25], {0: 0.5, 1: 0.5})
    """
    dtype = FP64 if dtype is None else dtype
    if given is None:
        return Vector.from_scalar(1 / max(n, 1), n, dtype)
    given = by_vertex(given, n, what)
    weight = total(given)
    if not 0 < weight < float("inf") or smallest(given) < 0:
        raise InvalidValue(f"{what} must have no negative weight, and one above zero")
    full = Vector.from_scalar(0.0, n, dtype)
    # full += given / sum of given
    full(binary.plus) << binary.truediv(given, float(weight))
    return full


def every_label(labels: VertexValues, A: Matrix, what: str) -> Vector:
    """The labels of all vertices, on the backend of the graph."""
    found = by_vertex(labels, A.nrows, f"{what}: labels").to(A.backend)
    if found.nvals != A.nrows:
        raise DimensionMismatch(f"{what}: labels has {found.nvals} entries for {A.nrows} vertices")
    return found


def with_zeros(x: Vector | Computed, n: int, dtype: DTypeLike = FP64) -> Vector:
    """A vector of n numbers, with zeros where x has no entries."""
    full = Vector.from_scalar(0, n, dtype)
    full(binary.plus) << x
    return full


def by_vertex(given: VertexValues, n: int, what: str) -> Vector:
    """Values of vertices: a Vector stays; a dictionary by vertex, an array or a list becomes a Vector.

    >>> by_vertex({0: 2.5}, 3, "start").to_dict(), by_vertex([1, 2], 2, "start").to_dict()
    ({0: 2.5}, {0: 1, 1: 2})
    """
    if isinstance(given, Mapping):
        outside = [vertex for vertex in given if not 0 <= vertex < n]
        if outside:
            raise IndexOutOfBound(f"{what}: {outside[0]} is not a vertex: the graph has {n} vertices")
        return Vector.from_dict(dict(given), size=n)
    found = given if isinstance(given, Vector) else Vector.from_dense(given)
    if found.size != n:
        raise DimensionMismatch(f"{what} has {found.size} values for {n} vertices")
    return found


def vertices_at(levels: Matrix | Vector, deepest: int) -> Callable[[int], Computed]:
    """A function that finds the vertices at a level: by value if there are few levels, otherwise as a row of a matrix.

    A matrix of levels is always selected by value: its rows have many vertices per level.

    >>> vertices_at(Vector.from_coo([0, 1, 3], [0, 1, 1], size=4), 1)(1).new().to_coo()[0].tolist()
    [1, 3]
    """
    if levels.ndim == 2 or deepest <= levels_by_value(levels.size):
        return lambda depth: select.valueeq(levels, depth)
    rows = by_level(levels, deepest)
    return lambda depth: rows[depth, :]


def by_level(levels: Vector, deepest: int) -> Matrix:
    """The matrix whose row d has the vertices at level d; its number of rows is a power of 2, to limit the shapes.

    >>> by_level(Vector.from_coo([0, 1, 3], [0, 1, 1], size=4), 1).to_dicts()
    {0: {0: True}, 1: {1: True, 3: True}, 2: {2: True}}
    """
    level = io.to_array(levels, deepest + 1)  # unreached vertices are one more level
    rows = 1 << (deepest + 1).bit_length()
    each = Matrix.from_csr(np.arange(levels.size + 1, like=level), level, True, ncols=rows, dtype=bool)
    return each.T.new()


def relax(distances: Values, frontier: Values, A: Matrix, **options: str) -> None:
    """One step from the frontier, which becomes the smaller distances. Vectors, or matrices with a row per source.

    >>> A = Matrix.from_coo([0, 0, 1], [1, 2, 2], [4, 9, 3], nrows=3, ncols=3)
    >>> distances = Vector.from_coo([0], [0], size=3)
    >>> frontier = distances.dup()
    >>> relax(distances, frontier, A)
    >>> frontier.to_dict(), distances.to_dict()
    ({1: 4, 2: 9}, {0: 0, 1: 4, 2: 9})
    """
    # nearer = frontier min.+ A
    nearer = semiring.min_plus[distances.dtype](frontier @ A).new(**options)
    # known = distances <= nearer, where both are
    known = binary.le(distances & nearer).new()
    # frontier<!known> = nearer
    frontier(~known.V, replace=True) << nearer
    # distances<frontier> = frontier
    distances(frontier.S) << frontier


@program
def settle_in_buckets(
    A: Matrix,
    distances: Vector,
    waiting: Vector,
    width: Scalar,
    most: int | None,
    goal: Vector | None = None,
    best: Scalar | None = None,
) -> None:
    """Settle the waiting vertices bucket by bucket, in at most ``most`` buckets.

    With a ``goal``, a Vector with one entry, only as far as they are nearer; ``best`` gets its distance.
    """
    bucket = distances.dup(clear=True)
    lowest, limit = Scalar(distances.dtype), Scalar(distances.dtype)
    lowest << waiting.reduce(monoid.min)
    for _ in loop(waiting, most):
        # bucket = the waiting vertices within width of the nearest one
        limit << binary.plus(lowest & width)
        bucket << select.valuele(waiting, limit)
        for _ in loop(bucket):
            # distances = min(distances, bucket min.+ A); bucket = smaller distances within the bucket
            relax(distances, bucket, A, any_order=True)  # within a bucket the order of relaxations is arbitrary
            bucket << select.valuele(bucket, limit)
        # waiting = distances beyond the bucket; lowest = the nearest of them
        waiting << select.valuegt(distances, limit)
        if goal is not None:
            # best = the distance of the goal; waiting = those below it
            best(binary.min) << binary.first(distances & goal).new().reduce(monoid.min)
            waiting << select.valuelt(waiting, best)
        lowest << waiting.reduce(monoid.min)
