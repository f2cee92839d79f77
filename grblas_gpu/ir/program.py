"""Programs: nodes in order, repeated while a condition holds.

A single call is one :class:`Node`; ``gb.loop`` records a :class:`Program`. An engine runs it as a whole if it can;
otherwise its nodes run one after another, like single calls.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, NamedTuple

from .node import Handle, Node
from .ops import CONTROL
from .text import program_text


class Program(NamedTuple):
    """The body of a loop, with its condition: a handle that must have entries, or an expression of scalars.

    Without a condition it is a function, which runs once.
    """

    nodes: tuple[Node, ...]
    condition: Handle | None
    limit: int | None
    count: Any  # of the loop, as operands name it
    code: CodeType | None = None  # that the nodes were recorded from
    unseen: frozenset[int] = frozenset()  # identities of handles that cannot be read after the run

    @property
    def written(self) -> dict[int, Handle]:
        """The handles that nodes write to, by identity."""
        written: dict[int, Handle] = {}
        for node in self.nodes:
            written |= node.operands[0].written if node.op in CONTROL else {id(node.out): node.out}
        return written

    @property
    def flat(self) -> list[Node]:
        """All nodes in order; a node with a body comes before the nodes of its body, and again after them."""
        found: list[Node] = []
        for node in self.nodes:
            found += [node, *node.operands[0].flat, node] if node.op in CONTROL else [node]
        return found

    @property
    def counts(self) -> frozenset[object]:
        """The counts of this loop and of those inside."""
        inside = [node.operands[0].counts for node in self.nodes if node.op in CONTROL]
        return frozenset((self.count, *self.count.copies)).union(*inside)

    def line(self, node: Node) -> int:
        """The source line of a node; 0 if it is not known."""
        return 0 if self.code is None else line_of(self.code, node.place)

    def __str__(self) -> str:
        return program_text(self.nodes, self.condition, self.limit)


def line_of(code: CodeType, place: int) -> int:
    """The source line of an instruction; 0 if it is not known."""
    return next((line for start, end, line in code.co_lines() if line and start <= place < end), 0)
