"""Loops with gathers and scatters, each as ``body(A, source) -> (loop, results)``."""

from collections.abc import Callable
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, select, semiring

Result = tuple[Any, list[Any]]


def jumping(A: Matrix, source: int) -> Result:
    """Every vertex points to the one before it, and in the end to the first: ``parents[parents]``."""
    parents, changes = Vector.from_dense(np.maximum(np.arange(A.nrows) - 1, 0)), Scalar.from_value(1)
    loop = gb.loop(changes > 0)
    for _ in loop:
        before = parents.dup()
        parents << parents[parents]
        changes << binary.ne(parents & before).new().reduce(monoid.plus[int], allow_empty=False)
    return loop, [parents, changes]


def components(A: Matrix, source: int) -> Result:
    """FastSV."""
    parents = Vector.from_dense(np.arange(A.nrows))
    grandparents, again = parents.dup(), Scalar.from_value(True)
    loop = gb.loop(again)
    for _ in loop:
        lowest = semiring.min_second(A @ grandparents).new()
        parents(binary.min)[parents] << lowest
        parents(binary.min) << lowest
        parents(binary.min) << grandparents
        before = grandparents.dup()
        grandparents << parents[parents]
        again << binary.ne(grandparents & before).new().reduce(monoid.lor, allow_empty=False)
    return loop, [parents, grandparents, again]


def counted(A: Matrix, source: int) -> Result:
    """Histograms: of a number, of the count, of values, with each accumulator, through masks and with replace."""
    n = A.nrows
    index, gaps = (
        Vector.from_dense(np.arange(n) * 7 % 5),
        Vector.from_coo(np.arange(0, n, 3), np.arange(0, n, 3) // 2, size=n),
    )
    ones, steps, most, least = (Vector(int, n), Vector(int, n), Vector(float, n), Vector.from_dense(np.arange(n) * 1.5))
    some, product = Vector.from_coo(np.arange(0, n, 2), True, size=n), Vector.from_scalar(1, n)
    flags, loop = Vector(bool, n), gb.loop(ones, 3)
    ones[0] = 1
    for step in loop:
        ones(binary.plus)[index] << 1
        steps(binary.plus)[gaps] << step
        most(binary.max)[index] << least
        most(some.S, binary.plus, replace=True)[gaps] << 0.5
        least(~some.V, binary.min)[gaps] << most
        product(binary.times)[index] << steps
        flags(binary.lor)[gaps] << True
        index << binary.plus(index, 1)
    return loop, [ones, steps, most, least, product, flags, index]


def moved(A: Matrix, source: int) -> Result:
    """Scatters without an accumulator: a permutation, gaps in values (which delete) and in the index, numbers."""
    n = A.nrows
    turned = Vector.from_dense((np.arange(n) + 3) % n)
    x, y = Vector.from_dense(np.arange(n)), Vector.from_coo(np.arange(0, n, 2), np.arange(0, n, 2), size=n)
    some, none = Vector.from_coo(np.arange(0, n, 5), np.arange(0, n, 5) // 5, size=n), Scalar(int)
    other, gone = Vector(int, n), Vector.from_scalar(4, n)
    loop = gb.loop(x, 4)
    for step in loop:
        other[turned] << x
        x[turned] << y
        y(some.S)[turned] << other
        y[some] << step + 10
        other(~y.S)[some] << 7
        x(binary.minus)[turned] << other
        none << select.valuelt(y, -100).new().reduce(monoid.plus)
        gone[some] << none
        some << binary.plus(some, 1)
    return loop, [x, y, other, gone, some]


def followed(A: Matrix, source: int) -> Result:
    """A gather and a scatter over the entries of a product, while these are few."""
    n = A.nrows
    frontier, names = Vector.from_coo([source], [source], size=n), Vector.from_dense((np.arange(n) * 11 + 3) % n)
    found, pushed, seen = frontier.dup(), Vector(int, n), Vector(float, n)
    loop = gb.loop(frontier)
    for _ in loop:
        frontier(~found.S, replace=True) << semiring.min_secondi(frontier @ A)
        found(frontier.S) << frontier
        named = names[frontier].new()
        pushed(binary.max)[named] << frontier
        seen(binary.plus)[frontier] << 0.5
        named << found[named]
        pushed(named.S, binary.plus) << named
        frontier(pushed.V) << frontier[names]
    return loop, [frontier, found, pushed, seen]


def other_sizes(A: Matrix, source: int) -> Result:
    """From a short vector to a long one and back, in other types."""
    n = A.nrows
    short, long = Vector.from_dense(np.arange(5) * 1.5), Vector.from_dense(np.arange(n), dtype="INT32")
    down, up = Vector.from_dense(np.arange(n) % 5, dtype="UINT8"), Vector.from_dense(np.arange(5) * 3, dtype="INT16")
    total, loop = Scalar.from_value(0.0), gb.loop(short, 3)
    for _ in loop:
        long << short[down]
        short(binary.plus)[down] << long
        short << binary.times(short, 0.25)
        long(long.V, binary.plus) << short[down]
        total << long.reduce(monoid.plus)
        short(binary.min) << long[up]
    return loop, [short, long, total]


def heaviest(A: Matrix, source: int) -> Result:
    """The heaviest groups: of some rows, less handicaps times factors; of all rows; through a mask; added to what is
    there; with another diagonal."""
    n = A.nrows
    factors, diagonal = Vector.from_dense(np.arange(n) % 3 - 0.5), Vector.from_dense(np.arange(n) % 5)
    groups, handicaps = Vector.from_dense(np.arange(n) * 7 % n), Vector.from_dense(np.arange(n) % 3)
    rows, sums, ones = Vector.from_coo(np.arange(0, n, 2), True, size=n), Vector(int, n), Vector.from_scalar(0, n)
    best, every, own, pattern = Vector(int, n), Vector(float, n), Vector(int, n), A.pattern()
    loop = gb.loop(rows, 3)
    for step in loop:
        best << A.heaviest_groups(groups, handicaps, rows=rows, factors=factors, diagonal=diagonal)
        every << pattern.heaviest_groups(groups)
        own << pattern.heaviest_groups(groups, handicaps, diagonal=diagonal)
        sums(best.S, binary.plus) << A.heaviest_groups(ones, rows=best)
        groups(binary.second) << best
        handicaps << binary.plus(handicaps, step)
        rows << select.valuegt(rows.dup(int), step - 1).new(bool)
    return loop, [best, every, own, sums, groups]


GATHERS: dict[str, Callable[[Matrix, int], Result]] = {
    body.__name__: body for body in (jumping, components, counted, moved, followed, other_sizes)
}
