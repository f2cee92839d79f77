"""Breadth-first searches that the planner runs: the library selects the order of vertices and edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import semiring
from ..plan import search_rules
from .loop import loop
from .program import program
from .scalar import Scalar
from .vector import Vector

if TYPE_CHECKING:
    from .matrix import Matrix
    from .matrix_preparation import DegreeOrder


def search(
    levels_from: Callable[[Matrix, Vector, int | None], Vector],
    A: Matrix,
    source: int,
    *,
    relax: Callable[[Matrix, Vector, Vector, Scalar, int | None], None],
    by_degree: Callable[[DegreeOrder, int], Vector] | None = None,
) -> Vector:
    """The levels of a breadth-first search, computed in the order of vertices and edges that suits graph and engine.

    Most searches are one call of ``levels_from``. On a device, a graph of large diameter continues after some levels
    with shortest paths over edges of length one, without a barrier per level. A large graph with hubs is searched in
    :meth:`~grblas_gpu.Matrix.by_degree` order.

    Parameters
    ----------
    levels_from : callable
        ``levels_from(A, frontier, limit)`` returns the levels of at most ``limit`` steps and leaves the next frontier.
    A : Matrix
        The graph.
    source : int
        The vertex to start from.
    relax : callable
        ``relax(A, distances, waiting, width, limit)`` lowers distances from waiting vertices, in buckets of ``width``.
    by_degree : callable, optional
        ``by_degree(order, source)`` runs the search in order of degree.

    Examples
    --------
    >>> from grblas_gpu import generators, search
    >>> from grblas_gpu.algorithms.bfs import levels_from, settle_in_buckets
    >>> search(levels_from, generators.path(4), 1, relax=settle_in_buckets).to_dict()
    {0: 1, 1: 0, 2: 1, 3: 2}
    """
    if by_degree is not None and (order := A.search_order()) is not None:
        return by_degree(order, source)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    if not A.follows_in_any_order():
        return levels_from(A, frontier, None)
    first = search_rules.LONG
    levels = levels_from(A, frontier, first)
    left = frontier.nvals
    if not left:
        return levels
    if search_rules.relaxes(left):
        # levels<frontier> = waiting<frontier> = the depth
        levels(frontier.S) << first
        waiting = Vector(levels.dtype, A.nrows)
        waiting(frontier.S) << first
        together = Scalar.from_value(search_rules.TOGETHER, dtype=levels.dtype)
        relax(A.pattern(), levels, waiting, together, None)
    else:
        _continue(A, frontier, levels, first)
    return levels


@program
def _continue(A: Matrix, frontier: Vector, levels: Vector, first: int) -> None:
    """Continue a search level by level."""
    for number in loop(frontier):
        # levels<frontier> = depth
        levels(frontier.S) << number + first
        # frontier<!levels> = frontier A
        frontier(~levels.S, replace=True) << semiring.any_pair[bool](frontier @ A)
