"""Partial matches of a pattern, as a table that grows by one vertex of the pattern at a time.

Row r of C has the vertices that extend match r: the product of S, which has the vertex of each match, and the edges,
with the C so far as its mask. Parts of the table are extended one after the other.
Invariant: every occurrence is found once; among equivalent vertices of the pattern, the lowest lies lowest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .. import Matrix, Vector, binary, indexunary, io, select, semiring
from ..exceptions import InvalidValue
from ..plan.search_rules import rows_at_a_time
from .labels import called
from .modularity import membership
from .patterns import Edges, Kinds, Pattern
from .preparing import Start, by_vertex


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

    def extended(self, table: list[Vector]) -> Iterator[tuple[list[Vector], Matrix]]:
        """The matches of all vertices but the last, with the candidates for it, in parts of limited size.

        >>> from grblas_gpu import generators
        >>> edge = Search.of(generators.path(3), [(0, 1)], None, None, False, False)
        >>> [last.to_dicts() for _, last in edge.extended([Vector.from_dense([0, 1, 2])])]
        [{0: {1: True}, 1: {2: True}}]
        """
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
