"""Patterns, small graphs whose occurrences subgraph matching finds, and partial matches of them: a table that grows by
one vertex of the pattern at a time.

Method: the automorphisms of a pattern are found by trial. Of the vertices that these map to each other, the lowest one
must lie lowest in the graph, for one vertex after the other. Row r of C has the vertices that extend match r: the
product of S, which has the vertex of each match, and the edges, with the C so far as its mask. Parts of the table are
extended one after the other.
Invariant: exactly one of the mappings of an occurrence fulfils ``lower``, so every occurrence is found once.
Reference: J. Grochow, M. Kellis, Network motif discovery using subgraph enumeration and symmetry-breaking, RECOMB 2007.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

from .. import Graph, Matrix, Vector, binary, indexunary, io, select, semiring
from ..exceptions import InvalidValue
from ..plan.search_rules import rows_at_a_time
from .labels import called
from .modularity import membership
from .preparing import Start, by_vertex

MOST_VERTICES = 6  # of a pattern
Kinds: TypeAlias = Sequence[int] | None  # of the vertices
Edges = Matrix | Graph | Collection[tuple[int, int]]


class Pattern(NamedTuple):
    """The edges of a pattern, the order in which its vertices are matched, and pairs of which the first lies lower.

    >>> Pattern.of([(0, 1), (1, 2)], None, True)[1:]
    ([1, 0, 2], {(0, 2)})
    """

    edges: set[tuple[int, int]]
    order: list[int]
    lower: set[tuple[int, int]]

    @classmethod
    def of(cls, given: Edges, kinds: Kinds, undirected: bool) -> Pattern:
        matrix = given.matrix if isinstance(given, Graph) else given
        if isinstance(matrix, Matrix):
            rows, columns, _ = matrix.to_coo(values=False)
            matrix = list(zip(rows.tolist(), columns.tolist(), strict=True))
        edges = {(int(u), int(v)) for u, v in matrix}
        edges |= {(v, u) for u, v in edges} if undirected else set()
        k = 1 + max(map(max, edges), default=0)
        order = list[int]()
        while len(order) < k <= MOST_VERTICES:
            # next is the vertex with most edges to those before, then with most edges
            rest = set(range(k)) - set(order)
            order.append(max(sorted(rest), key=lambda v: (joined(edges, v, order), joined(edges, v, range(k)))))
            if len(order) > 1 and not joined(edges, order[-1], order[:-1]):
                break
        else:
            if 1 < k <= MOST_VERTICES and min(map(min, edges)) >= 0 and all(u != v for u, v in edges):
                if kinds is None or len(kinds) == k:
                    return cls(edges, order, lower_pairs(edges, list(kinds or [0] * k)))
                raise InvalidValue(f"{called()}pattern_kinds has {len(kinds)} kinds for {k} vertices of the pattern")
        said = f"a pattern is a connected graph of 2 to {MOST_VERTICES} vertices without loops; got {sorted(edges)}"
        raise InvalidValue(f"{called()}{said}")

    def side(self, u: int, v: int) -> int:
        """1 if v must lie above u, -1 if below, 0 if either."""
        return ((u, v) in self.lower) - ((v, u) in self.lower)


def joined(edges: set[tuple[int, int]], v: int, others: Collection[int]) -> int:
    """The number of edges between a vertex and others."""
    return sum((u, v) in edges or (v, u) in edges for u in others)


def lower_pairs(edges: set[tuple[int, int]], kinds: list[int]) -> set[tuple[int, int]]:
    """Pairs of vertices of which the first one lies lower, so that one of all equivalent mappings remains.

    >>> sorted(lower_pairs({(0, 1), (1, 2), (2, 0)}, [0, 0, 0]))
    [(0, 1), (0, 2)]
    """
    every = permutations(range(len(kinds)))
    same = [p for p in every if all((p[u], p[v]) in edges for u, v in edges) and [kinds[v] for v in p] == kinds]
    lower = set()
    for v in range(len(kinds)):
        lower |= {(v, p[v]) for p in same if p[v] != v}
        same = [p for p in same if p[v] == v]
    return lower


class Search(NamedTuple):
    """A pattern; the edges of the graph and of its transpose, all, to higher and to lower vertices; and the vertices
    that each vertex of the pattern may match."""

    pattern: Pattern
    ways: list[tuple[Matrix, Matrix]]
    allowed: list[Vector | None]
    induced: bool

    @classmethod
    def of(cls, A: Matrix, edges: Edges, kinds: Start, wanted: Kinds, induced: bool, directed: bool | None) -> Search:
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

    def extended(self, table: list[Vector], few: int | None = None) -> Iterator[tuple[list[Vector], Matrix]]:
        """The matches of all vertices but the last, with the candidates for it, in parts of limited size. With ``few``,
        the first part has that many matches, and each part twice as many as the one before.

        >>> from grblas_gpu import generators
        >>> edge = Search.of(generators.path(3), [(0, 1)], None, None, False, False)
        >>> [last.to_dicts() for _, last in edge.extended([Vector.from_dense([0, 1, 2])])]
        [{0: {1: True}, 1: {2: True}}]
        """
        first = self.allowed[self.pattern.order[0]]
        if len(table) == 1 and first is not None:
            table = [io.to_vectors(first)[0]]
        rows, E = table[0].size, self.ways[0][0]
        most, start = rows_at_a_time(E.nrows, E.nvals), 0
        size = most if few is None else max(1, min(few, most))
        while start < rows:
            whole = start == 0 and size >= rows
            part = table if whole else [column[start : start + size].new() for column in table]
            start, size = start + size, min(2 * size, most)
            C = self.candidates(part)
            if len(part) + 1 == len(self.pattern.order):
                yield part, C
            elif C.nvals:
                row, vertex, _ = io.to_vectors(C)
                # column = column[row]: a row for every candidate
                yield from self.extended([*(column[row].new() for column in part), vertex], few)

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
