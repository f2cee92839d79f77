"""Loops of all kinds, each as ``body(A, source) -> (loop, results)``."""

from collections.abc import Callable
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, select, semiring, unary

Result = tuple[Any, list[Any]]


def levels_by(**options) -> Callable[[Matrix, int], Result]:
    def search(A: Matrix, source: int) -> Result:
        levels, frontier = Vector(int, A.nrows), Vector.from_coo([source], [True], size=A.nrows)
        loop = gb.loop(frontier)
        for depth in loop:
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True, **options) << semiring.lor_land(frontier @ A)
        return loop, [levels, frontier]

    return search


def levels_without_mask(A: Matrix, source: int) -> Result:
    levels, frontier = Vector(int, A.nrows), Vector.from_coo([source], [True], size=A.nrows)
    loop = gb.loop(frontier)
    for depth in loop:
        levels(frontier.S) << depth
        frontier << semiring.any_pair[bool](frontier @ A)
        frontier(~levels.S, replace=True) << frontier
    return loop, [levels]


def parents(A: Matrix, source: int) -> Result:
    frontier = Vector.from_coo([source], [source], size=A.nrows)
    found = frontier.dup()
    loop = gb.loop(frontier)
    for _ in loop:
        frontier(~found.S, replace=True) << semiring.min_secondi(frontier @ A)
        found(frontier.S) << frontier
    return loop, [found]


def distances(A: Matrix, source: int) -> Result:
    found = Vector.from_coo([source], [0], int, size=A.nrows)
    frontier = found.dup()
    loop = gb.loop(frontier)
    for _ in loop:
        nearer = semiring.min_plus(frontier @ A).new()
        known = binary.le(found & nearer).new()
        frontier(~known.V, replace=True) << nearer
        found(frontier.S) << frontier
    return loop, [found, frontier]


def ranks(A: Matrix, source: int) -> Result:
    n = A.nrows
    found, jump = Vector.from_scalar(1 / n, n), Vector.from_scalar(1 / n, n)
    out = A.dup(float).reduce_rowwise(monoid.plus).new()
    before, share = found.dup(), found.dup()
    error = Scalar.from_value(1.0)
    loop = gb.loop(error > 1e-6, 50)
    for _ in loop:
        before << found
        share << binary.truediv(before & out)
        share << binary.times(share, 0.85)
        found << binary.times(jump, 0.15)
        found(binary.plus) << semiring.plus_first(share @ A)
        before << binary.minus(found & before)
        error << unary.abs(before).new().reduce(monoid.plus)
    return loop, [found, error]


def dependencies(A: Matrix, source: int) -> Result:
    sigma = Vector.from_coo([source], [1], int, size=A.nrows)
    frontier, levels = sigma.dup(), Vector(int, A.nrows)
    for depth in gb.loop(frontier):
        levels(frontier.S) << depth
        frontier(~sigma.S, replace=True) << semiring.plus_first(frontier @ A)
        sigma(frontier.S) << frontier
    deepest = levels.reduce(monoid.max).new().value
    delta, w = unary.one[float](sigma).new(), Vector(float, A.nrows)
    loop = gb.loop(delta, max(0, deepest - 1))
    for step in loop:
        level = select.valueeq(levels, deepest - step).new()
        w(level.S, replace=True) << binary.truediv(delta & sigma)
        above = select.valueeq(levels, (deepest - 1) - step).new()
        w(above.S, replace=True) << semiring.plus_first(w @ A.T)
        delta(binary.plus) << binary.times(w & sigma)
    return loop, [sigma, levels, delta]


def cores(A: Matrix, source: int) -> Result:
    degree = A.reduce_rowwise(gb.agg.count).new()
    found, k, lowest = Vector.from_scalar(0, A.nrows), Scalar.from_value(0), Scalar(int)
    loop = gb.loop(degree)
    for _ in loop:
        lowest << degree.reduce(monoid.min)
        k << monoid.max(k | lowest)
        leaving = select.valuele(degree, k).new()
        found(leaving.S) << k
        degree(~leaving.S, replace=True) << degree
        degree(degree.S, binary.minus) << semiring.plus_pair["INT64"](leaving @ A)
    return loop, [found, k]


def lowest_labels(A: Matrix, source: int) -> Result:
    labels = Vector.from_dense(np.arange(A.nrows))
    frontier = labels.dup()
    loop = gb.loop(frontier)
    for _ in loop:
        low = semiring.min_first(frontier @ A).new()
        better = binary.lt(low & labels).new()
        frontier(better.V, replace=True) << low
        labels(frontier.S) << frontier
    return loop, [labels]


def powers(A: Matrix, source: int) -> Result:
    found = Vector.from_coo([source], [1.5], size=A.nrows)
    loop = gb.loop(found, 3)
    for _ in loop:
        found << semiring.plus_times(found @ A)
    return loop, [found]


def all_kinds(A: Matrix, source: int) -> Result:
    """Every element-wise operation, masks by value, accumulators, replace, and the count."""
    n = A.nrows
    x, y = Vector.from_dense(np.arange(n) % 7), Vector.from_coo(np.arange(0, n, 3), np.arange(0, n, 3) % 5, size=n)
    z, total = Vector(int, n), Scalar.from_value(0)
    loop = gb.loop(y, 4)
    for step in loop:
        z << monoid.plus(x | y)
        z(y.V) << binary.minus(z, step)
        z(~y.V, binary.plus) << binary.times(3, x)
        x(y.S, replace=True) << z
        x << gb.op.plus(x | y)
        y(x.V, replace=True) << unary.abs(z)
        z(binary.max) << y
        y << select.valuegt(y, 2 * step)
        z(y.S) << 2 * step + 1
        x << binary.minus(x | y, left_default=1, right_default=step)
        total << z.reduce(monoid.plus)
        total << binary.plus(total & 1)
    return loop, [x, y, z, total]


def sums(A: Matrix, source: int) -> Result:
    """Accumulated sums, and sums of empty vectors: no value, or the identity."""
    walkers, none = Vector.from_coo([source], [1], size=A.nrows), Vector(int, A.nrows)
    steps, missing, nothing = Scalar.from_value(0), Scalar(int), Scalar(int)
    first = Scalar(int)
    gone, kept, added = (Vector.from_coo([0, 1, source], [5, 6, 7], size=A.nrows) for _ in range(3))
    loop = gb.loop(walkers, 3)
    for _ in loop:
        walkers << semiring.plus_first(walkers @ A)
        none << select.valuelt(walkers, 0)
        steps(binary.plus) << walkers.reduce(monoid.plus)
        first(binary.first) << walkers.reduce(monoid.max)
        steps(binary.plus) << none.reduce(monoid.plus)
        nothing << none.reduce(monoid.plus, allow_empty=False)
        missing << none.reduce(monoid.plus)
        gone << missing
        kept(walkers.S) << missing
        added(binary.plus) << missing
    return loop, [walkers, steps, first, nothing, gone, kept, added]


def one_value_for_several(A: Matrix, source: int) -> Result:
    """Iso products written to vectors with several values, and sums with different initial values in one vector."""
    frontier = Vector.from_coo([0, 1, source], [2, 3, 4], size=A.nrows)
    totals, loop = frontier.dup(), gb.loop(frontier, 3)
    for _ in loop:
        totals(binary.plus) << frontier
        frontier << semiring.any_pair[int](frontier @ A)
        frontier << semiring.min_first(totals @ A)
        totals(binary.plus) << frontier
        frontier << semiring.any_pair[int](A @ frontier)
    return loop, [frontier, totals]


def accumulated_in_other_types(A: Matrix, source: int) -> Result:
    """Only values that an accumulator combines take its types."""
    walkers = Vector.from_coo([source], [1.5], size=A.nrows)
    large, halves, flags = (Vector.from_coo([0, source], [2**62 + 1, 5], size=A.nrows) for _ in range(3))
    loop = gb.loop(walkers, 3)
    for _ in loop:
        walkers << semiring.max_first(walkers @ A)
        large(binary.truediv) << walkers
        halves(binary.plus[float]) << walkers.apply(binary.times, right=0.5)
        flags(binary.gt) << walkers
        flags(walkers.S, binary.times["FP64"]) << 2.5
    return loop, [large, halves, flags]


BODIES: dict[str, Callable[[Matrix, int], Result]] = {
    "levels": levels_by(),
    "levels by pushing": levels_by(direction="push"),
    "levels by pulling": levels_by(direction="pull"),
    "levels, edges": levels_by(policy="edges"),
    "levels, edge-check": levels_by(policy="edge-check"),
    "levels, fraction": levels_by(policy="fraction"),
    "levels without mask": levels_without_mask,
    "parents": parents,
    "distances": distances,
    "ranks": ranks,
    "dependencies": dependencies,
    "cores": cores,
    "lowest labels": lowest_labels,
    "powers": powers,
    "all kinds": all_kinds,
    "sums": sums,
    "one value for several": one_value_for_several,
    "accumulated in other types": accumulated_in_other_types,
}
