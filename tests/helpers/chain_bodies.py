"""Bodies of loops in which several steps may run in one pass, as ``body(A, source, **options) -> (loop, results)``.

Options are those of the product at the beginning of each body. A push lists its results, unless there are too many; a
pull does not.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, indexunary, monoid, select, semiring, unary

Result = tuple[Any, list[Any]]


def relaxed(A: Matrix, source: int, **options) -> Result:
    """Bellman-Ford: a mask by value, its complement, replace, and a vector that changes in place."""
    found = Vector.from_coo([source], [0], int, size=A.nrows)
    frontier, nearer = found.dup(), Vector(int, A.nrows)
    loop = gb.loop(frontier)
    for _ in loop:
        nearer(**options) << semiring.min_plus(frontier @ A)
        known = binary.le(found & nearer).new()
        frontier(~known.V, replace=True) << nearer
        found(frontier.S) << frontier
    return loop, [found, frontier, nearer, known]


def buckets(A: Matrix, source: int, **options) -> Result:
    """Delta-stepping's inner loop: it overwrites the bucket twice, and the next operand, too."""
    found = Vector.from_coo([source], [0], int, size=A.nrows)
    bucket, nearer, settled = found.dup(), Vector(int, A.nrows), Vector(bool, A.nrows)
    loop = gb.loop(bucket)
    for _ in loop:
        settled(bucket.S) << True
        nearer(**options) << semiring.min_plus(bucket @ A)
        known = binary.le(found & nearer).new()
        bucket(~known.V, replace=True) << nearer
        found(bucket.S) << bucket
        bucket << select.valuele(bucket, 12)
    return loop, [found, bucket, settled]


def accumulated(A: Matrix, source: int, **options) -> Result:
    """Overwritten vectors are accumulated, changed through masks, and read again, all at the same positions."""
    n = A.nrows
    x, y, z = Vector.from_coo([source], [2], int, size=n), Vector(int, n), Vector.from_dense(np.arange(n) % 4)
    total = Vector.from_coo(np.arange(0, n, 2), np.arange(0, n, 2) % 3, int, size=n)
    loop = gb.loop(x, 5)
    for step in loop:
        x(**options) << semiring.max_first(x @ A)
        y << binary.plus(x & z)
        y(total.V, binary.minus) << x
        total(y.S, binary.max) << y
        y(~total.S, replace=True) << binary.times(y, 2)
        z(x.S) << step
        y(x.V, binary.plus) << z
        total(x.S) << y
    return loop, [x, y, z, total]


def by_position(A: Matrix, source: int, **options) -> Result:
    """Operators that read the index, the count of the loop, and a Scalar that the body computes."""
    n = A.nrows
    x, y, z, best = Vector.from_coo([source], [1], int, size=n), Vector(int, n), Vector(float, n), Vector(int, n)
    highest = Scalar.from_value(0)
    loop = gb.loop(x, 5)
    for step in loop:
        x(**options) << semiring.max_second(x @ A)
        y << indexunary.rowindex(x, 1)
        z << binary.truediv(y, step + 2)
        y << select.rowgt(y, 3)
        y << unary.ainv(y)
        highest << y.reduce(monoid.min)
        best(y.S) << highest
        z(best.S, binary.plus) << binary.plus(best, highest)
    return loop, [x, y, z, best, highest]


def levels_backward(A: Matrix, source: int, **options) -> Result:
    """The backward sweep of betweenness: all positions, a vector overwritten twice, and one with another list."""
    n = A.nrows
    levels = Vector.from_coo(np.arange(0, n, 2), np.arange(0, n, 2) % 4, int, size=n)
    delta, sigma = Vector.from_dense(np.arange(n) + 1.0), Vector.from_dense(np.arange(n) % 5 + 1)
    w, level = Vector(float, n), Vector(bool, n)
    loop = gb.loop(delta, 4)
    for step in loop:
        level << select.valueeq(levels, 3 - step)
        w(level.S, replace=True) << delta
        w << binary.truediv(w & sigma)
        level << select.valueeq(levels, 2 - step)
        w(level.S, replace=True, **options) << semiring.plus_first(w @ A.T)
        delta(binary.plus) << binary.times(w & sigma)
        sigma << binary.plus(sigma, 1)
    return loop, [w, level, delta, sigma]


def two_sizes(A: Matrix, source: int, **options) -> Result:
    """Steps over all positions of vectors of different sizes: no chain."""
    n = A.nrows
    x, short = Vector.from_dense(np.arange(n) % 7), Vector.from_coo([0, 2], [1, 3], int, size=5)
    y, other = Vector.from_dense(np.arange(n)), Vector.from_dense(np.arange(5))
    loop = gb.loop(x, 3)
    for step in loop:
        y << binary.plus(x & y)
        other << binary.times(other, 2)
        other(short.S) << step
        x << binary.minus(y, 1)
    return loop, [x, y, other]


def other_entries(A: Matrix, source: int, **options) -> Result:
    """A vector with entries outside of the product's result: steps over its entries run later."""
    n = A.nrows
    x, back = Vector.from_coo([source], [1], int, size=n), Vector.from_coo([source], [True], size=n)
    y, z = Vector(int, n), Vector(int, n)
    loop = gb.loop(x, 4)
    for step in loop:
        x(**options) << semiring.min_first(x @ A)
        back(**options) << semiring.any_pair[bool](back @ A.T)
        y << binary.plus(x, step)
        y(back.S) << step
        z(y.V) << y
        z(back.S, binary.plus) << y
    return loop, [x, back, y, z]


def rows(A: Matrix, source: int, **options) -> Result:
    """Steps run over a row of a matrix, and over the product of their result."""
    n = A.nrows
    level, w = Vector(int, n), Vector(float, n)
    delta, sigma = Vector.from_dense(np.arange(n) + 1.0), Vector.from_dense(np.arange(n) % 5 + 1)
    loop = gb.loop(delta, 6)
    for step in loop:
        level << A[step, :]
        w(level.S, replace=True) << delta
        w << binary.truediv(w & sigma)
        level << A[step + 1, :]
        w(level.S, replace=True, **options) << semiring.plus_first(w @ A.T)
        delta(binary.plus) << binary.times(w & sigma)
    return loop, [level, w, delta]


def complements(A: Matrix, source: int, **options) -> Result:
    """Entries are deleted in place: the next sum must not start from their old values."""
    x, total = Vector.from_coo([source], [1], int, size=A.nrows), Scalar.from_value(1)
    loop = gb.loop(x, 5)
    for _ in loop:
        x(**options) << semiring.min_first(x @ A)
        total << x.reduce(monoid.plus)
        x(~x.S, replace=True) << total
    return loop, [x, total]


def made_inside(A: Matrix, source: int, **options) -> Result:
    """New objects in every step, through a mask or an accumulator: they are empty before, so steps overwrite them."""
    found, settled = Vector.from_coo([source], [0], int, size=A.nrows), Vector(bool, A.nrows)
    frontier, total = found.dup(), Vector(int, A.nrows)
    loop = gb.loop(frontier)
    for _ in loop:
        nearer, once = Vector(int, A.nrows), Vector(int, A.nrows)
        nearer(~settled.S, **options) << semiring.min_plus(frontier @ A)
        known = binary.le(found & nearer).new()
        frontier(~known.V, replace=True) << nearer
        found(frontier.S) << frontier
        once(frontier.S, binary.minus) << nearer
        total(binary.plus) << once
        settled(total.V) << True
    return loop, [found, total, settled, nearer, once]


CHAINS: dict[str, Callable[..., Result]] = {
    body.__name__: body
    for body in (
        relaxed,
        buckets,
        accumulated,
        by_position,
        levels_backward,
        two_sizes,
        other_entries,
        rows,
        complements,
        made_inside,
    )
}
