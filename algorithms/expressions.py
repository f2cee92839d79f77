"""Regular expressions over the names of edges, as automata without empty steps (Glushkov's).

Reference: V. Glushkov, The abstract theory of automata, Russian Mathematical Surveys 1961.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..exceptions import InvalidValue
from .labels import called


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
