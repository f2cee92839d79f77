"""Hybrid breadth-first search: top-down and bottom-up steps, chosen by counting edges, on a prepared graph.

Returns the same levels as bfs.py.
Method: ``Matrix.by_degree`` renumbers the vertices by falling in-degree and drops those without incoming edges, so that
a vertex looking for a visited neighbour tests hubs first; the matrix caches the result. A step goes bottom-up when the
frontier's edges exceed those of unvisited vertices over alpha = 48, and top-down again when the frontier has fewer than
n / beta vertices, beta = 20 (policy "edges"). Bottom-up steps look for neighbours in the set of all visited vertices;
with ``list_unvisited`` they list the unvisited ones first, as in the paper. A row of a selection S converts the source
to the new numbering; the same program as the search converts the levels back. Levels of graphs with hubs are bytes; in
the rare case of more than 255 levels the search is repeated with a wider type.
Invariant: that of bfs.py, in the numbering of the prepared graph. Cost: O(n + m), and a sort of the edges once.
Reference: T. Hiragushi, D. Takahashi, Efficient hybrid breadth-first search on GPUs, ICA3PP 2013.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import BOOL, UINT8, Matrix, Scalar, Vector, loop, program, semiring
from ..dtypes import DataType
from ..plan.search_rules import has_hubs
from .checks import check_source, graph_algorithm, level_type

if TYPE_CHECKING:
    from ..api.matrix_preparation import DegreeOrder

POLICY = "edges"  # alpha and beta
LISTING = "pull.compact"
LEVELS_IN_A_BYTE = 255
step = semiring.any_pair[BOOL]


@graph_algorithm
def hybrid_bfs(A: Matrix, source: int, *, list_unvisited: bool = False) -> Vector:
    """Levels of a breadth-first search; ``A[i, j]`` is the edge from i to j.

    The first search prepares the graph; later ones reuse the prepared graph. ``list_unvisited`` selects the paper's own
    kernel in bottom-up steps.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    list_unvisited : bool
        Whether unvisited vertices are listed, as in the paper.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import hybrid_bfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> hybrid_bfs(A, 0).to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    source, order = check_source(A, source), A.by_degree()
    by = {"policy": POLICY, "pull_strategy": LISTING if list_unvisited else None, "reuse_mask": "auto"}
    mean, most, _ = order.graph.degree_statistics()
    shallow = has_hubs(mean, most)
    if A.is_symmetric():
        return search_by_degree(order, source, shallow, **by)
    # A source without incoming edges has no number, but its neighbours have one.
    # rows = e A S, where e selects the row of the source
    e = Matrix.from_coo([0], [source], True, nrows=1, ncols=A.nrows)
    levels = search_from_rows(order, step(step(e @ A).new() @ order.selection).new(), 0, 1, shallow, **by)
    # levels(source) = 0, also if a cycle leads there
    levels[source] << 0
    return levels


def search_by_degree(order: DegreeOrder, source: int, shallow: bool, **by: str | bool) -> Vector:
    """The levels of an undirected graph, by a search in order of degree; ``shallow`` expects few levels."""
    levels = search_from_rows(order, order.selection, source, 0, shallow, **by)
    if not levels.nvals:  # a vertex without edges
        levels[source] << 0
    return levels


def search_from_rows(order: DegreeOrder, rows: Matrix, row: int, first: int, shallow: bool, **by: str | bool) -> Vector:
    """The levels; the vertices in the given row have level ``first``."""
    (graph, _, numbers), row = order, Scalar.from_value(row)
    frontier = Vector(bool, graph.nrows)
    if shallow:
        levels = levels_from(graph, rows, row, numbers, frontier, first, UINT8, LEVELS_IN_A_BYTE, **by)
        if not frontier.nvals:
            return levels
    return levels_from(graph, rows, row, numbers, frontier, first, level_type(graph), None, **by)


@program
def levels_from(
    graph: Matrix,
    rows: Matrix,
    row: Scalar,
    numbers: Vector,
    frontier: Vector,
    first: int,
    level: DataType,
    limit: int | None,
    **by: str | bool,
) -> Vector:
    """The search itself, from the vertices in a row: recorded once, for any graph of this size and type."""
    levels = Vector(level, graph.nrows)
    # frontier = rows(row, :)
    frontier << rows[row, :]
    for steps in loop(frontier, limit):
        depth = steps + first if first else steps
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!levels> = frontier (S' A S), or in a pull levels (S' A S)
        frontier(~levels.S, replace=True, **by) << step(frontier @ graph)
    # the levels of all vertices that have a number
    return levels[numbers].new(level_type(graph))
