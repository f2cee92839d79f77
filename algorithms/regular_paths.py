"""Regular path queries: the vertices that are joined by paths whose edges spell a word of a regular expression.

Returns a BOOL Matrix with the rows of the sources. Method: every name in the expression is a state of an automaton
without empty steps (Glushkov's); the pairs of sources and vertices that reach a state are multiplied by the edges of
the states that may follow, until no state has new pairs. Invariant: pairs of a state are joined by the beginning of a
word that ends there.
Cost: O(m) for each state and source, in as many rounds as the longest of the shortest words has edges.
References: V. Glushkov, The abstract theory of automata, Russian Mathematical Surveys 1961; W3C, SPARQL 1.1 Query
Language (property paths).
"""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

from .. import Matrix, monoid, semiring
from ..exceptions import InvalidValue
from .checks import Sources, check_vertices, graph_algorithm, vertex_set
from .labels import called
from .named_edges import Others, by_name, with_same_vertices


@partial(graph_algorithm, others=with_same_vertices)
def regular_reachability(
    A: Matrix, expression: str, sources: Sources | None = None, *, others: Others = None
) -> Matrix:
    """True at (i, j) if a path from the source i to j spells a word of the expression.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    expression : str
        Names of edges with ``/`` for one after the other, ``|`` for a choice, ``*``, ``+``, ``?`` for repetition, and
        parentheses. Edges of the graph are called A, and ``^A`` goes from their ends to their beginnings.
    sources : list of int, array or Vector, optional
        The vertices to start from; by default all.
    others : dict, optional
        More graphs of the same vertices, by the names of their edges.

    Raises
    ------
    DimensionMismatch
        A Matrix is not square, or has another shape.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        The expression is incomplete, or has the name of no edges.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import regular_reachability
    >>> knows = Matrix.from_coo([0, 1], [1, 2], True, nrows=4, ncols=4)
    >>> works = Matrix.from_coo([1, 2], [3, 3], True, nrows=4, ncols=4)
    >>> regular_reachability(knows, "A+/works", [0], others={"works": works}).to_dicts()
    {0: {3: True}}
    """
    edges, automaton = by_name(A, others), Automaton(expression)
    matrices = [edges(name) for name in automaton.names]
    # start_ii = true for every source
    sources = range(A.nrows) if sources is None else sources
    start = vertex_set(check_vertices(A, sources, "sources"), A.nrows).diag()
    reached = [start.dup(clear=True) for _ in matrices]
    latest, follow = {-1: start}, {-1: automaton.whole.first, **dict(enumerate(automaton.follow))}
    while latest:
        arriving: dict[int, Matrix] = {}
        for state, found in latest.items():
            for after in follow[state]:
                new = arriving.setdefault(after, start.dup(clear=True))
                # new<!reached> |= latest any.pair A
                new(~reached[after].S, monoid.lor) << semiring.any_pair[bool](found @ matrices[after])
        latest = {state: found for state, found in arriving.items() if found.nvals}
        for state, found in latest.items():
            # reached<latest> = true
            reached[state](found.S) << True
    result = start if automaton.whole.empty else start.dup(clear=True)
    for state in automaton.whole.last:
        # result |= reached, where words end
        result(monoid.lor) << reached[state]
    return result


class Part(NamedTuple):
    """Whether a part of an expression matches no edge, and the states that begin and end its words."""

    empty: bool
    first: set[int]
    last: set[int]


class Automaton:
    """``names`` of the edges to each state, ``follow``: the states after it, ``whole``: the Part of all states.

    >>> automaton = Automaton("A/(^A|b)*")
    >>> automaton.names, automaton.follow, automaton.whole
    (['A', '^A', 'b'], [{1, 2}, {1, 2}, {1, 2}], Part(empty=False, first={0}, last={0, 1, 2}))
    """

    def __init__(self, expression: str) -> None:
        self.names: list[str] = []
        self.follow: list[set[int]] = []
        self.words = [*re.findall(r"\^?\w+|\S", expression), ""]
        self.expression = expression
        self.whole = self.choice()
        if self.words[0]:
            raise self.error(f"goes on with {self.words[0]!r}, which follows nothing")

    def choice(self) -> Part:
        part = self.sequence()
        while self.takes("|"):
            other = self.sequence()
            part = Part(part.empty or other.empty, part.first | other.first, part.last | other.last)
        return part

    def sequence(self) -> Part:
        part = self.repeated()
        while self.takes("/"):
            after = self.repeated()
            for state in part.last:
                self.follow[state] |= after.first
            first = part.first | after.first if part.empty else part.first
            part = Part(part.empty and after.empty, first, after.last | part.last if after.empty else after.last)
        return part

    def repeated(self) -> Part:
        if self.takes("("):
            part = self.choice()
            if not self.takes(")"):
                raise self.error("lacks a parenthesis")
        elif re.fullmatch(r"\^?\w+", self.words[0]):
            part = Part(False, {len(self.names)}, {len(self.names)})
            self.names.append(self.words.pop(0))
            self.follow.append(set())
        else:
            raise self.error(f"lacks a name before {self.words[0] or 'its end'!r}")
        while (sign := self.words[0]) and sign in "*+?":
            self.words.pop(0)
            for state in part.last if sign != "?" else ():
                self.follow[state] |= part.first
            part = part._replace(empty=part.empty or sign != "+")
        return part

    def takes(self, word: str) -> bool:
        return self.words[0] == word and bool(self.words.pop(0))

    def error(self, problem: str) -> InvalidValue:
        return InvalidValue(f"{called()}the expression {self.expression!r} {problem}")
