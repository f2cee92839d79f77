"""Operations that change an object, for tests that let them fail or interrupt them: ``run(*objects)``."""

from collections.abc import Callable
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, agg, binary, monoid, semiring, unary

Operation = Callable[..., Any]

#: Functions of an output, an operand and a mask.
VECTORS: dict[str, Operation] = {
    "replace": lambda w, u, m: w(m.S, replace=True) << u.apply(unary.ainv),
    "replace outside": lambda w, u, m: w(~m.S, replace=True) << u.apply(unary.ainv),
    "write": lambda w, u, m: w(m.V) << u.apply(unary.ainv),
    "accumulate": lambda w, u, m: w(binary.plus) << u.apply(unary.ainv),
    "accumulate a copy": lambda w, u, m: w(binary.plus) << u,
    "accumulate masked": lambda w, u, m: w(m.S, binary.plus) << u.apply(unary.ainv),
    "accumulate and replace": lambda w, u, m: w(m.S, binary.plus, replace=True) << u.apply(unary.ainv),
    "copy": lambda w, u, m: w(m.S) << u,
    "union": lambda w, u, m: w << u.ewise_add(m, binary.plus),
    "union with defaults": lambda w, u, m: w << u.ewise_union(m, binary.minus, 1, 2),
    "intersection": lambda w, u, m: w << u.ewise_mult(m, binary.plus),
    "select": lambda w, u, m: w(m.S) << u.select("<", 5),
    "select by a mask": lambda w, u, m: w << u.select(m.S),
    "apply with positions": lambda w, u, m: w << u.apply("index", 1),
    "apply with a value": lambda w, u, m: w(binary.plus) << u.apply(binary.minus, right=2),
    "extract": lambda w, u, m: w << u[::-1],
    "extract through a mask": lambda w, u, m: w(m.S) << u[::-1],
    "assign": lambda w, u, m: w(m.S) << 5,
    "assign outside": lambda w, u, m: w(~m.S) << 5,
    "assign and accumulate": lambda w, u, m: w(m.S, binary.plus) << 5,
    "assign everywhere": lambda w, u, m: w.__lshift__(5),
    "assign a region": lambda w, u, m: w[[3, 5, 70]](binary.plus) << 5,
    "assign to a slice": lambda w, u, m: w[::2].__lshift__(5),
    "set an element": lambda w, u, m: w.__setitem__(17, 4),
    "delete an element": lambda w, u, m: w.__delitem__(17),
    "clear": lambda w, u, m: w.clear(),
    "resize": lambda w, u, m: w.resize(2000),
    "grow": lambda w, u, m: w.resize(w.size + 1000),
    "build": lambda w, u, m: w.build([5, 3], [1.0, 2.0], clear=True),
}

#: Functions of a matrix, and vectors of its size.
MATRICES: dict[str, Operation] = {
    "product": lambda A, w, u: w(u.S, binary.plus) << semiring.plus_times(A @ u),
    "product outside": lambda A, w, u: w(~u.S, replace=True) << semiring.min_plus(u @ A),
    "product, replacing": lambda A, w, u: w << semiring.any_pair(A @ u),
    "reduce": lambda A, w, u: w(u.S, replace=True) << A.reduce_rowwise("plus"),
    "reduce columns": lambda A, w, u: w(binary.plus) << A.reduce_columnwise(monoid.max),
    "accumulate sums": lambda A, w, u: w(binary.plus) << A.reduce_rowwise("plus"),
    "assign a row": lambda A, w, u: A[7, :] << u,
    "accumulate in a column": lambda A, w, u: A[:, 7](u.S, binary.plus) << 2,
    "set an element": lambda A, w, u: A.__setitem__((7, 8), 3),
    "delete an element": lambda A, w, u: A.__delitem__((7, 8)),
    "select": lambda A, w, u: A << A.select("<", 0.5),
    "apply": lambda A, w, u: A(binary.plus) << A.apply(unary.ainv),
    "transpose": lambda A, w, u: A << A.T,
    "union": lambda A, w, u: A << A.ewise_add(A.T, binary.plus),
    "masked": lambda A, w, u: A(A.T.new().S, replace=True) << A.apply(binary.plus, right=1),
    "multiply": lambda A, w, u: A(A.S) << semiring.plus_times(A @ A),
    "extract a row": lambda A, w, u: w << A[3, :],
    "extract": lambda A, w, u: A << A[::-1, :],
    "cut rows out": lambda A, w, u: A << gb.ss.concat([[A[9:, :].new()], [A[:9, :].new()]]),
    "assign a block": lambda A, w, u: A[5:90, 7:80].__lshift__(2),
    "assign rows": lambda A, w, u: A[[5, 3, 17], :] << A[:3, :],
    "count": lambda A, w, u: w << A.reduce_rowwise(agg.count),
    "diagonal": lambda A, w, u: A.setdiag(1.0),
    "resize": lambda A, w, u: A.resize(2000, 2500),
    "clear": lambda A, w, u: A.clear(),
}


def vector(seed: int, size: int, fill: int) -> Vector:
    random = np.random.default_rng(seed)
    index = np.sort(random.permutation(size)[:fill])
    return Vector.from_coo(index, random.integers(1, 9, fill).astype(float), size=size)


def matrix(size: int, seed: int = 4) -> Matrix:
    """A matrix of sixteenths: sums and products are exact, so that the order of additions does not matter."""
    random = np.random.default_rng(seed)
    rows, cols = random.integers(0, size, (2, 3 * size))
    values = random.integers(1, 16, 3 * size) / 16
    return Matrix.from_coo(rows, cols, values, nrows=size, ncols=size, dup_op=binary.plus)


def same(found, wanted) -> bool:
    """Whether objects have the same entries and counts."""
    return all(x.shape == y.shape and x.nvals == y.nvals and x.isequal(y) for x, y in zip(found, wanted, strict=True))
