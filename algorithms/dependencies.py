"""The dependencies of a source on all vertices: both stages of TurboBC, each a loop in a recorded program.

Forward, a breadth-first search counts the shortest paths sigma to every vertex; backward, each level passes
z = (1 + dependency) / sigma to the level above. Dependencies use only quotients of counts on neighbouring levels, so
each level may scale its counts: every LEVELS levels, the forward stage multiplies the frontier by a power of 2, and the
backward stage multiplies z by the same power there. So counts of 2**2000 paths and more stay within floats.
Invariant: before a backward step to level d, ``w`` holds z at the vertices of level d + 1, and ``z`` at all vertices
from there on; elsewhere it holds 1 / sigma. Cost: O(n + m), and O(n) for every level where these are selected by value.
References: O. Artiles, F. Saeed, TurboBC, ICPP Workshops 2021; U. Brandes, A faster algorithm for betweenness, 2001.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .. import BOOL, FP64, INT32, INT64, Matrix, Scalar, Vector, binary, loop, program, select, semiring, unary, when
from ..plan.search_rules import levels_by_value
from .preparing import by_level, largest, smallest

LEVELS = 512  # the number of levels between two scalings of the counts
TOP, BOTTOM = 1000, -900  # counts are between 2**BOTTOM and 2**TOP, and so is a scale
HEADROOM, SLACK = 256, 1.25  # bits by which counts may grow, and the factor by which growth may accelerate


class Search(NamedTuple):
    """The results of a search: levels, scaled path counts, the depth, and the scales: (first level, factor)."""

    levels: Vector
    sigma: Vector
    deepest: int
    scales: list[tuple[int, float]]


def dependencies_of(A: Matrix, frontier: Vector, factor: float | None = None) -> Vector | None:
    """1 + the dependency of each source on each vertex; ``frontier`` has a 1.0 at every source and is overwritten. With
    a ``factor``: the factor times the dependency, 0 at other vertices; both stages are one program if possible.

    There must be no path from one source to another. If scaled counts exceed floats (logarithms do not), the result is
    None, and the frontier is restored.

    >>> from grblas_gpu import Vector, generators
    >>> dependencies_of(generators.path(4), Vector.from_coo([0], [1.0], size=4)).to_dict()
    {0: 1.0, 1: 3.0, 2: 2.0, 3: 1.0}
    """
    levels, sigma, depth = nothing_found(A)
    found = both_stages(A, frontier, levels, sigma, depth, factor)
    if found is None:
        # frontier = 1 at level 0
        frontier << binary.second[FP64](select.valueeq(levels, 0).new(), 1.0)
    return found


def both_stages(
    A: Matrix, frontier: Vector, levels: Vector, sigma: Vector, depth: Scalar, factor: float | None
) -> Vector | None:
    """The dependencies; None if the counts do not fit."""
    if factor is None:
        search = searched(A, frontier, levels, sigma, depth)
        return None if search is None else passed_on(A, search)
    few, scale = min(LEVELS - 2, levels_by_value(A.nrows)), Scalar.from_value(factor, FP64)
    found = shallow_centralities(A, frontier, levels, sigma, depth, Scalar.from_value(few, INT64), scale)
    if depth.value <= few:
        return None if overflows(A, depth.value, 0) and smallest(sigma) == 0 else found  # sigma is 1 / sigma
    search = searched(A, frontier, levels, sigma, depth)
    return None if search is None else scaled(passed_on(A, search), scale)


def nothing_found(A: Matrix) -> tuple[Vector, Vector, Scalar]:
    """Levels, path counts and the last complete level, as they are before a search."""
    return Vector(INT32, A.nrows), Vector(FP64, A.nrows), Scalar.from_value(-1, INT64)


def searched(A: Matrix, frontier: Vector, levels: Vector, sigma: Vector, depth: Scalar) -> Search | None:
    """The forward stage, or the rest of it; None if the counts do not fit."""
    scales: list[tuple[int, float]] = []
    before = 0  # the exponent of the largest count when the last levels began
    while frontier.nvals:
        if depth.value >= 0:
            most = largest(frontier)
            if most == math.inf:
                return None
            exponent = math.frexp(most)[1]
            # Counts may grow as much as in the last levels, with some slack, and by HEADROOM bits in any case.
            room = max(HEADROOM, math.ceil(SLACK * (exponent - before)))
            scale = max(BOTTOM, min(0, TOP - room - exponent))
            before = exponent + scale
            if scale:
                if math.frexp(smallest(frontier))[1] + scale < BOTTOM:
                    return None
                scales.append((depth.value + 1, math.ldexp(1.0, scale)))
                # frontier = 2^scale frontier
                frontier << binary.times(frontier, scales[-1][1])
        count_paths_of_levels(A, frontier, levels, sigma, depth)
    if overflows(A, depth.value % LEVELS, before) and largest(sigma) == math.inf:
        return None
    return Search(levels, sigma, depth.value, scales)


def overflows(A: Matrix, steps: int, before: int) -> bool:
    """Whether counts below 2^before may overflow after this many steps: each multiplies by at most the degree."""
    return before + steps * math.log2(max(1, A.degree_statistics().max)) >= TOP


def passed_on(A: Matrix, found: Search) -> Vector:
    """The backward stage: 1 + the dependencies."""
    levels, y, deepest, scales = found
    # y = 1 / sigma
    y << unary.minv(y)
    z, w, level = y.dup(), Vector(FP64, A.nrows), Vector(BOOL, A.nrows)
    if deepest <= levels_by_value(A.nrows) and not scales:
        pass_on_by_value(A, levels, w, z, Scalar.from_value(deepest + 1, INT64))
        # delta = z sigma
        z << binary.truediv(z & y)
        return z
    rows, depth = by_level(levels, deepest), Scalar.from_value(deepest, INT64)
    # level = the vertices at the deepest level
    level << rows[deepest, :]
    for first, scale in reversed([(1, 1.0), *scales]):
        pass_on_by_rows(A, rows, level, w, z, depth, Scalar.from_value(first, INT64))
        if scale != 1:
            # w = 2^scale w
            w << binary.times(w, scale)
    # delta = z sigma
    z << binary.truediv(z & y)
    return z


@program
def shallow_centralities(
    A: Matrix, frontier: Vector, levels: Vector, y: Vector, depth: Scalar, few: Scalar, factor: Scalar
) -> Vector:
    """Both stages, if the search ends within ``few`` levels; otherwise its first levels. y contains sigma at first."""
    count_paths_of_levels.function(A, frontier, levels, y, depth)
    z, w, below = Vector(FP64, A.nrows), Vector(FP64, A.nrows), Scalar(INT64)
    for _ in when(depth <= few):
        # y = 1 / sigma
        y << unary.minv(y)
        # z = y
        z << y
        # below = depth + 1
        below << binary.plus(depth & Scalar.from_value(1, INT64))
        pass_on_by_value.function(A, levels, w, z, below)
        # delta = z sigma
        z << binary.truediv(z & y)
        scaled.function(z, factor)
    return z


@program
def scaled(delta: Vector, factor: Scalar) -> Vector:
    """The centralities due to one source, from 1 + its dependencies."""
    # delta = factor (delta - 1)
    delta << binary.minus(delta, 1)
    delta << binary.times(delta, factor)
    # delta<!delta> = 0
    delta(~delta.S) << 0.0
    return delta


@program
def count_paths_of_levels(A: Matrix, frontier: Vector, levels: Vector, sigma: Vector, depth: Scalar) -> None:
    """Some levels of the search; ``depth`` is the last complete level."""
    for _ in loop(frontier, LEVELS):
        # depth = depth + 1
        depth << binary.plus(depth & Scalar.from_value(1, INT64))
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # sigma<frontier> = frontier
        sigma(frontier.S) << frontier
        # frontier<!sigma> = frontier A: a path to a vertex goes on along each of its edges
        frontier(~sigma.S, replace=True) << semiring.plus_first[FP64](frontier @ A)


@program
def pass_on_by_value(A: Matrix, levels: Vector, w: Vector, z: Vector, depth: Scalar) -> None:
    """Backward from level ``depth`` - 1 to level 1; each step selects the vertices of a level from all vertices."""
    one = Scalar.from_value(1, INT64)
    level, above = Vector(BOOL, A.nrows), Scalar(INT64)
    # above = depth - 1; level = the vertices there
    above << binary.minus(depth & one)
    level << select.valueeq(levels, above)
    for _ in loop(depth > 1):
        # depth = above; above = depth - 1
        depth << binary.minus(depth & one)
        above << binary.minus(depth & one)
        # w<level> = w A'
        w(level.S, replace=True) << semiring.plus_first[FP64](w @ A.T)
        # z<level> += w
        z(level.S, binary.plus) << w
        # w<level> = z
        w(level.S, replace=True) << z
        # level = the vertices at the next depth, in the same pass over all vertices
        level << select.valueeq(levels, above)


@program
def pass_on_by_rows(A: Matrix, rows: Matrix, level: Vector, w: Vector, z: Vector, depth: Scalar, last: Scalar) -> None:
    """Backward from level ``depth``, whose vertices are in ``level``; row d of ``rows`` has the vertices of level d."""
    for _ in loop(depth >= last):
        # depth = depth - 1
        depth << binary.minus(depth & Scalar.from_value(1, INT64))
        # z<level> += w A'
        z(level.S, binary.plus) << semiring.plus_first[FP64](w @ A.T)
        # w<level> = z
        w(level.S, replace=True) << z
        # level = the vertices at the next depth
        level << rows[depth, :]
