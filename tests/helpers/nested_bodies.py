"""Loops with loops and conditions inside, each as ``body(A, source) -> (loop, results)``."""

from collections.abc import Callable
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, select, semiring

Result = tuple[Any, list[Any]]


def colouring(A: Matrix, source: int) -> Result:
    """Strongly connected components: spread colours, then search backward from their vertices, until none is left."""
    n = A.nrows
    left, found = Vector.from_dense(np.arange(n)), Vector(int, n)
    colours, frontier = Vector(int, n), Vector(int, n)
    loop = gb.loop(left)
    for _ in loop:
        colours << left
        frontier << left
        for _ in gb.loop(frontier):
            frontier(left.S, replace=True) << semiring.min_first(frontier @ A)
            lower = binary.lt(frontier & colours).new()
            frontier(lower.V, replace=True) << frontier
            colours(frontier.S) << frontier
        own = binary.eq(colours & left).new()
        frontier(own.V, replace=True) << colours
        reached = frontier.dup()
        for _ in gb.loop(frontier):
            frontier(colours.S, replace=True) << semiring.max_second(A @ frontier)
            same = binary.eq(frontier & colours).new()
            frontier(same.V, replace=True) << frontier
            frontier(~reached.S, replace=True) << frontier
            reached(frontier.S) << frontier
        found(reached.S) << reached
        left(~reached.S, replace=True) << left
    return loop, [found, left]


def counted(A: Matrix, source: int) -> Result:
    """The counts of all loops, together and apart; limits; a loop that is not entered at all."""
    n = A.nrows
    x, total, never = Vector.from_scalar(0, n), Scalar.from_value(0), Vector(int, n)
    loop = gb.loop(x, 3)
    for outer in loop:
        x << binary.plus(x, outer)
        for inner in gb.loop(x, 4):
            x << binary.plus(x, 10 * outer + inner)
            total << binary.plus(total & 1)
            for last in gb.loop(x, 2):
                x << binary.minus(x, last)
        for _ in gb.loop(never):
            never << binary.plus(never, 1)
            total << binary.plus(total & 1000)
        for again in gb.loop(x, 2):
            x << binary.times(x, again + 1)
        x << binary.plus(x, outer - 1)
    return loop, [x, total, never]


def decided(A: Matrix, source: int) -> Result:
    """Conditions by value: one and the other, one in another, one first and one last in the body."""
    n = A.nrows
    x, y = Vector.from_dense(np.arange(n)), Vector(int, n)
    total, few, many = Scalar.from_value(0), Scalar.from_value(True), Scalar.from_value(False)
    loop = gb.loop(total < 40 * n, 30)
    for step in loop:
        for _ in gb.when(few):
            x << binary.plus(x, 1)
            y(x.V) << step
        total << x.reduce(monoid.plus)
        few << binary.lt(total & 20 * n)
        for _ in gb.when(total >= 20 * n):
            many << True
            x << binary.plus(x, 3)
            for _ in gb.when(total > 30 * n):
                y << binary.plus(y | x)
                x << semiring.max_first(x @ A)
                x(~x.S) << 5
        for _ in gb.when(y):
            y << select.valuegt(y, step - 3)
    return loop, [x, y, total, few, many]


def phases(A: Matrix, source: int) -> Result:
    """Consecutive loops in one body; each continues from the result of the last one."""
    n = A.nrows
    seen, frontier, rounds = Vector(int, n), Vector.from_coo([source], [True], size=n), Scalar.from_value(0)
    back, index = Vector(bool, n), Vector.from_dense((np.arange(n) * 3 + 1) % n)
    counts = Vector.from_scalar(0, n)
    loop = gb.loop(rounds < 3)
    for outer in loop:
        for depth in gb.loop(frontier):
            seen(frontier.S) << depth + 100 * outer
            frontier(~seen.S, replace=True) << semiring.any_pair[bool](frontier @ A)
        back(seen.V, replace=True) << True
        for _ in gb.loop(back, 2):
            back << semiring.lor_land(A @ back)
            counts(binary.plus)[index] << back
        seen << select.valuegt(seen, 1)
        frontier(seen.S, replace=True) << True
        counts << counts[index]
        seen.clear()
        rounds << binary.plus(rounds & 1)
    return loop, [seen, frontier, back, counts, rounds]


def peeled(A: Matrix, source: int) -> Result:
    """The lowest vertices are selected from all positions, many of them at first, and remove others."""
    n = A.nrows
    height, order, lowest, lower = Vector.from_dense(np.arange(n) % 7), Vector(int, n), Vector(int, n), Vector(int, n)
    least, gone = Scalar.from_value(0), 1000
    loop = gb.loop(least < gone)
    for _ in loop:
        lowest << select.valuele(height, least)
        for _ in gb.loop(lowest):
            height(lowest.S) << gone
            order(lowest.S) << lowest
            lower(~order.S, replace=True) << semiring.plus_pair["INT64"](lowest @ A)
            height(lower.S, binary.minus) << lower
            lowest(lower.S, replace=True) << binary.max(height, least)
            lowest << select.valuele(lowest, least)
        least << height.reduce(monoid.min)
    return loop, [height, order]


NESTED: dict[str, Callable[[Matrix, int], Result]] = {
    body.__name__: body for body in (colouring, counted, decided, peeled, phases)
}
