"""Bodies of loops that read changing values: ``body(A, frontier, **options)`` is an error, unless the loop iterates."""

from __future__ import annotations

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, monoid, semiring


def looks_at_entries(A: Matrix, frontier: Vector, **options) -> None:
    for _ in gb.loop(frontier, **options):
        frontier << semiring.lor_land(frontier @ A)
        if frontier.nvals > 3:
            break


def looks_before(A: Matrix, frontier: Vector, **options) -> None:
    for _ in gb.loop(frontier, **options):
        if frontier.nvals > 3:
            break
        frontier << semiring.lor_land(frontier @ A)


def looks_at_the_count(A: Matrix, frontier: Vector, **options) -> None:
    for depth in gb.loop(frontier, **options):
        if depth > 3:
            break
        frontier << semiring.lor_land(frontier @ A)


def looks_at_a_scalar(A: Matrix, frontier: Vector, **options) -> None:
    found = Scalar(bool)
    for _ in gb.loop(frontier, **options):
        frontier << semiring.lor_land(frontier @ A)
        found << frontier.reduce(monoid.lor)
        if found.value:
            break


def builds(A: Matrix, frontier: Vector, **options) -> None:
    for _ in gb.loop(frontier, 2, **options):
        frontier << semiring.lor_land(frontier @ A)
        frontier.build([4, 7], [True, True], clear=True)


LOOKING = [looks_at_entries, looks_before, looks_at_the_count, looks_at_a_scalar, builds]
