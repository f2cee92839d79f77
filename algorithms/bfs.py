"""Breadth-first search: the level of every vertex that can be reached from a source, or its parent in a search tree.

Returns an integer Vector (a Matrix with a row per source), without entries at vertices that cannot be reached.
Method: the frontier times the adjacency matrix gives the neighbours; the mask keeps those not seen before. Several
sources are the rows of a frontier matrix.
Invariant: before step d, ``levels`` holds the distance of every vertex at distance < d, and ``frontier`` is the set of
vertices at distance d. Cost: O(n + m), as every edge is visited once.
Reference: J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra, SIAM 2011.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, Vector, io, loop, program, search, semiring
from ..operators.call_types import SemiringCall
from ..plan.search_rules import is_long, may_search_alone
from .changed_paths import repaired
from .checks import Sources, check_source, check_sources, graph_algorithm, level_type, with_labels
from .labels import rows_by_label, vertex_by_label
from .preparing import Start, largest, settle_in_buckets


@graph_algorithm
def bfs(
    A: Matrix, source: int, *, max_depth: int | None = None, start: Start = None, changed: Matrix | None = None
) -> Vector:
    """Levels of a breadth-first search; ``A[i, j]`` is the edge from i to j.

    Returns a Vector with 0 at the source, the distance at every vertex that can be reached (in at most ``max_depth``
    steps, if given), and no entry elsewhere.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    max_depth : int, optional
        The largest level to search. Without it, :func:`search` chooses the order.
    start : Vector or dict, optional
        The levels before edges were inserted.
    changed : Matrix, optional
        The inserted edges, ``A`` minus the Matrix before: with ``start``, only lower levels are searched.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        ``changed`` has a removed edge.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import bfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> bfs(A, 0).to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    source = check_source(A, source)
    if start is not None or changed is not None:
        return repaired(A.pattern(), source, start, changed, level_type(A), max_depth)
    if max_depth is None:
        return search(levels_from, A, source, relax=settle_in_buckets)
    return levels_from(A, Vector.from_coo([source], [True], size=A.nrows), max_depth + 1)


@program
def levels_from(A: Matrix, frontier: Vector, limit: int | None, **by: str | bool | None) -> Vector:
    """The search itself: recorded once, for any graph of this size and type, any source and any options of a step."""
    levels = Vector(level_type(A), A.nrows)
    for depth in loop(frontier, limit):
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!levels> = frontier A
        frontier(~levels.S, replace=True, **by) << semiring.any_pair[bool](frontier @ A)
    return levels


@with_labels(vertex_by_label)
def bfs_parents(A: Matrix, source: int, *, max_depth: int | None = None, reproducible: bool = False) -> Vector:
    """The tree of a breadth-first search: the parent of each reached vertex; the source is its own parent.

    With ``reproducible`` a vertex with several candidates gets the lowest, otherwise the first one that was found.
    Parents are INT32, as levels are, up to 2**31 vertices.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    max_depth : int, optional
        The largest level to search.
    reproducible : bool
        Whether the parent is the lowest of several candidates.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import bfs_parents
    >>> A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], True, nrows=5, ncols=5)
    >>> bfs_parents(A, 0, reproducible=True).to_dict()
    {0: 0, 1: 0, 2: 0, 3: 1}
    """
    parent_of = semiring.min_secondi if reproducible else semiring.any_secondi
    source = check_source(A, source)
    frontier = Vector.from_coo([source], [source], size=A.nrows, dtype=level_type(A))
    return parents_from(A, frontier, parent_of, _levels(max_depth))


@program
def parents_from(A: Matrix, frontier: Vector, parent_of: SemiringCall, limit: int | None) -> Vector:
    """The search itself; the semiring ``parent_of`` selects one of several parents."""
    parents = Vector(frontier.dtype, A.nrows)
    for _ in loop(frontier, limit):
        # parents<frontier> = frontier
        parents(frontier.S) << frontier
        # frontier<!parents> = frontier A, where a product is the row of A's entry: the vertex that the edge leaves
        frontier(~parents.S, replace=True) << parent_of(frontier @ A)
    return parents


@with_labels(rows_by_label)
def bfs_multi(A: Matrix, sources: Sources, *, max_depth: int | None = None) -> Matrix:
    """Levels from several sources at once: row k is ``bfs(A, sources[k])``.

    ``sources`` are vertex numbers in a list, range or array, or a Vector with an entry at each source.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    max_depth : int, optional
        The largest level to search.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import bfs_multi
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> bfs_multi(A, [0, 3]).to_dicts()
    {0: {0: 0, 1: 1, 2: 2, 3: 2}, 1: {3: 0}}
    """
    sources = check_sources(A, sources)
    if len(sources) > 1 and may_search_alone(A.nrows):
        first = bfs(A, sources[0], max_depth=max_depth)
        if is_long(largest(first)):  # a level of all searches has too few vertices for a product of matrices
            return rows_of([first, *(bfs(A, source, max_depth=max_depth) for source in sources[1:])])
    frontier = Matrix.from_coo(range(len(sources)), sources, True, nrows=len(sources), ncols=A.ncols, dtype=bool)
    return levels_of_rows(A, frontier, _levels(max_depth))


def rows_of(vectors: list[Vector]) -> Matrix:
    """The Matrix with these rows.

    >>> rows_of([Vector.from_coo([1], [5], size=3), Vector(int, 3), Vector.from_dense([1, 2, 3])]).to_dicts()
    {0: {1: 5}, 2: {0: 1, 1: 2, 2: 3}}
    """
    if all(x.nvals == x.size > 0 for x in vectors):
        return Matrix.from_dense(np.stack([io.to_array(x, copy=False) for x in vectors]), dtype=vectors[0].dtype)
    columns, values = zip(*(x.to_coo() for x in vectors), strict=True)
    ends = np.cumsum([0, *map(len, columns)])
    parts = np.concatenate(columns), np.concatenate(values)
    return Matrix.from_csr(ends, *parts, ncols=vectors[0].size, dtype=vectors[0].dtype)


@program
def levels_of_rows(A: Matrix, frontier: Matrix, limit: int | None) -> Matrix:
    """The searches themselves: a row for each."""
    levels = Matrix(level_type(A), *frontier.shape)
    for depth in loop(frontier, limit):
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!levels> = frontier A
        frontier(~levels.S, replace=True) << semiring.any_pair(frontier @ A)
    return levels


def _levels(max_depth: int | None) -> int | None:
    """The number of levels up to a depth."""
    return None if max_depth is None else max_depth + 1
