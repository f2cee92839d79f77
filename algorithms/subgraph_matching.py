"""Subgraph matching: where a small pattern occurs in a graph, directed or not, with kinds of vertices.

``subgraph_count`` returns the number of occurrences, ``subgraph_matches`` some of them, each as the list of the
vertices at which vertices 0, 1, ... of the pattern lie. Method: partial matches grow by one vertex of the pattern at a
time, by masked products (partial_matches.py); the candidates for the last vertex are only counted.
Cost: O(partial matches * degree). References: J. Ullmann, An algorithm for subgraph isomorphism, J. ACM 1976; J.
Grochow, M. Kellis, Network motif discovery using subgraph enumeration and symmetry-breaking, RECOMB 2007.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from .. import Graph, Matrix, Vector, io
from .checks import graph_algorithm, with_labels
from .components import numbers
from .labels import labels_of
from .partial_matches import Edges, Kinds, Search
from .preparing import Start


@graph_algorithm
def subgraph_count(
    A: Matrix,
    pattern: Edges,
    *,
    kinds: Start = None,
    pattern_kinds: Kinds = None,
    induced: bool = False,
    directed: bool | None = None,
) -> int:
    """The number of occurrences of a pattern: sets of edges of the graph that form it. Loops do not count.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    pattern : list of (int, int), Matrix or Graph
        The edges of a connected graph of 2 to 6 vertices, numbered from 0.
    kinds : Vector, array or dict, optional
        The kind of every vertex, a number.
    pattern_kinds : list of int, optional
        The kind of every vertex of the pattern; only vertices of this kind match it.
    induced : bool
        Whether vertices without an edge in the pattern must have none in the graph.
    directed : bool, optional
        Whether directions matter. By default they do, unless A is an undirected Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        The pattern is not connected, or has fewer than 2 or more than 6 vertices, or other numbers of kinds.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import subgraph_count
    >>> subgraph_count(generators.complete(5), [(0, 1), (1, 2), (2, 3), (3, 0)], directed=False)
    15
    """
    search = Search.of(A, pattern, kinds, pattern_kinds, induced, directed)
    return sum(last.nvals for _, last in search.extended([numbers(A.nrows)]))


def labels_of_each(graph: Graph, matches: list[list[int]]) -> list[list]:
    return [labels_of(graph, match) for match in matches]


@with_labels(labels_of_each)
def subgraph_matches(
    A: Matrix,
    pattern: Edges,
    limit: int = 10,
    *,
    kinds: Start = None,
    pattern_kinds: Kinds = None,
    induced: bool = False,
    directed: bool | None = None,
) -> list[list[int]]:
    """At most ``limit`` occurrences of a pattern: for each, the vertices at vertices 0, 1, ... of the pattern.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    pattern : list of (int, int), Matrix or Graph
        The edges of a connected graph of 2 to 6 vertices, numbered from 0.
    limit : int
        The most occurrences to return.
    kinds : Vector, array or dict, optional
        The kind of every vertex, a number.
    pattern_kinds : list of int, optional
        The kind of every vertex of the pattern; only vertices of this kind match it.
    induced : bool
        Whether vertices without an edge in the pattern must have none in the graph.
    directed : bool, optional
        Whether directions matter. By default they do, unless A is an undirected Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        The pattern is not connected, or has fewer than 2 or more than 6 vertices, or other numbers of kinds.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import subgraph_matches
    >>> A = Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4)
    >>> subgraph_matches(A, [(0, 1), (1, 2), (2, 0)])
    [[0, 1, 2]]
    """
    search = Search.of(A, pattern, kinds, pattern_kinds, induced, directed)
    parts = search.extended([numbers(A.nrows)], limit)
    return list(islice((match for table, last in parts for match in listed(search, table, last, limit)), limit))


def listed(search: Search, table: list[Vector], last: Matrix, limit: int) -> Iterator[list[int]]:
    """The first matches as lists, in the order of the vertices of the pattern."""
    row, vertex = (x[:limit].new() for x in io.to_vectors(last)[:2])
    columns = [*(column[row].new().to_dense().tolist() for column in table), vertex.to_dense().tolist()]
    places = dict(zip(search.pattern.order, columns, strict=True))
    yield from map(list, zip(*(places[u] for u in sorted(places)), strict=True))
