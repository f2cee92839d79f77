"""Subgraph matching: where a small pattern occurs in a graph, directed or not, with kinds of vertices.

``subgraph_count`` returns the number of occurrences, ``subgraph_matches`` some of them, each as the list of the
vertices at which vertices 0, 1, ... of the pattern lie. Method: a table of partial matches grows by one vertex of the
pattern at a time. Row r of C has the vertices that extend match r: the product of S, which has the vertex of each
match, and the edges, with the C so far as its mask. The last C is only counted. Parts of the table are extended one
after the other.
Invariant: every occurrence is found once; among equivalent vertices of the pattern, the lowest lies lowest.
Cost: O(partial matches * degree). References: J. Ullmann, An algorithm for subgraph isomorphism, J. ACM 1976; J.
Grochow, M. Kellis, Network motif discovery using subgraph enumeration and symmetry-breaking, RECOMB 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .. import Graph, Matrix, Vector, binary, indexunary, io, select, semiring
from ..exceptions import InvalidValue
from ..plan.search_rules import rows_at_a_time
from .checks import graph_algorithm, with_labels
from .components import numbers
from .labels import called, labels_of
from .modularity import membership
from .patterns import Edges, Pattern
from .preparing import Start, by_vertex


@graph_algorithm
def subgraph_count(
    A: Matrix,
    pattern: Edges,
    *,
    kinds: Start = None,
    pattern_kinds: Sequence[int] | None = None,
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
    pattern_kinds: Sequence[int] | None = None,
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
    found = (match for table, last in search.extended([numbers(A.nrows)]) for match in search.listed(table, last))
    return list(islice(found, limit))


class Search(NamedTuple):
    """A pattern; the edges of the graph and of its transpose, all, to higher and to lower vertices; and the vertices
    that each vertex of the pattern may match."""

    pattern: Pattern
    ways: list[tuple[Matrix, Matrix]]
    allowed: list[Vector | None]
    induced: bool

    @classmethod
    def of(
        cls,
        A: Matrix,
        edges: Edges,
        kinds: Start,
        wanted: Sequence[int] | None,
        induced: bool,
        directed: bool | None,
    ) -> Search:
        pattern = Pattern.of(edges, wanted, directed is False)
        if (kinds is None) != (wanted is None):
            raise InvalidValue(f"{called()}kinds and pattern_kinds go together")
        allowed: list[Vector | None] = [None] * len(pattern.order)
        if kinds is not None:
            kinds = by_vertex(kinds, A.nrows, "kinds").to(A.backend)
            allowed = [select.valueeq(kinds, kind).new() for kind in wanted]
        E = A.pattern(loops=False, undirected=directed is False)
        both = (E, E if directed is False else E.T.new())
        above, below = (tuple(part(M, k).new() for M in both) for part, k in ((select.triu, 1), (select.tril, -1)))
        return cls(pattern, [both, above, below], allowed, induced)

    def extended(self, table: list[Vector]) -> Iterator[tuple[list[Vector], Matrix]]:
        """The matches of all vertices but the last, with the candidates for it, in parts of limited size."""
        first = self.allowed[self.pattern.order[0]]
        if len(table) == 1 and first is not None:
            table = [io.to_vectors(first)[0]]
        rows, E = table[0].size, self.ways[0][0]
        most = rows_at_a_time(E.nrows, E.nvals)
        for start in range(0, rows, most):
            part = [column[start : min(start + most, rows)].new() for column in table] if rows > most else table
            C = self.candidates(part)
            if len(part) + 1 == len(self.pattern.order):
                yield part, C
            elif C.nvals:
                row, vertex, _ = io.to_vectors(C)
                # column = column[row]: a row for every candidate
                yield from self.extended([*(column[row].new() for column in part), vertex])

    def candidates(self, table: list[Vector]) -> Matrix:
        """C_rj: whether vertex j extends match r."""
        at = self.pattern.order[len(table)]
        C, apart = None, []
        for u, column in zip(self.pattern.order, table, strict=False):
            S, side = membership(column, self.ways[0][0].nrows), self.pattern.side(u, at)
            joined = [(u, at) in self.pattern.edges, (at, u) in self.pattern.edges]
            for way, E in enumerate(self.ways[side]):
                if joined[way]:
                    # C<C> = S E: the neighbours of u that are candidates
                    C = semiring.any_pair[bool](S @ E).new(mask=None if C is None else C.S)
            apart.append((S, column, 0 if any(joined) else side, joined))
        assert C is not None  # the order is connected
        for S, column, side, joined in apart:
            if not any(joined):
                # C<!S> = C: not u itself
                C = C.dup(mask=~S.S)
            for way, E in enumerate(self.ways[0] if self.induced else ()):
                if not joined[way]:
                    # C<!(S E)> = C: no neighbours of u
                    C = C.dup(mask=~semiring.any_pair[bool](S @ E).new().S)
            if side:
                # C_rj where column_r < j, or above
                C = C.dup(mask=[binary.gt, binary.lt][side == 1](column & indexunary.colindex(C).new()).new().V)
        allowed = self.allowed[at]
        return C if allowed is None else binary.first(C & allowed).new()

    def listed(self, table: list[Vector], last: Matrix) -> Iterator[list[int]]:
        """The matches as lists, in the order of the vertices of the pattern."""
        row, vertex, _ = io.to_vectors(last)
        columns = [*(column[row].new().to_dense().tolist() for column in table), vertex.to_dense().tolist()]
        places = dict(zip(self.pattern.order, columns, strict=True))
        yield from map(list, zip(*(places[u] for u in sorted(places)), strict=True))
