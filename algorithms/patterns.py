"""Patterns: small graphs whose occurrences subgraph matching finds, and what is known of them before a search.

Method: the automorphisms of a pattern are found by trial. Of the vertices that these map to each other, the lowest one
must lie lowest in the graph, for one vertex after the other; so each occurrence is found once.
Invariant: exactly one of the mappings of an occurrence fulfils ``lower``.
Reference: J. Grochow, M. Kellis, Network motif discovery using subgraph enumeration and symmetry-breaking, RECOMB 2007.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

from .. import Graph, Matrix
from ..exceptions import InvalidValue
from .labels import called

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
