"""One body of a recording: that of the loop itself, or of a loop or ``when`` inside of it."""

from __future__ import annotations

import dis
import re
from itertools import zip_longest
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..backends.interpreter import COMPUTE
from ..errors import LoopError
from ..ir.node import Node
from ..ir.ops import CLEAR, CONTROL
from ..ir.program import Program, line_of
from ..ir.recording import Count, Number

NUMBERS = (int, float, complex, np.number, np.bool_)
LOCAL_ACCESS = re.compile("(LOAD|STORE)_(?:FAST|NAME|DEREF)")  # what instructions do to local names; some do two


class RecordedBody:
    """The nodes of a body, in the order in which Python came to them, and what names meant before."""

    def __init__(self, loop: Any, count: Count, frame: FrameType) -> None:
        self.loop = loop
        self.count = count
        self.nodes: list[Node] = []
        self._begun: list[Node] = []  # those of them that begin an object which the body makes
        self._frame: FrameType | None = frame
        self._start = frame.f_lasti  # the instruction that asks for the next step
        self._bound = dict(frame.f_locals)

    def begin(self, made: Any, place: int) -> None:
        """An object is made: empty at the beginning of every step."""
        self._begun.append(Node(CLEAR, made, place=place))
        self.nodes.append(self._begun[-1])

    def first_step(self) -> list[Node]:
        """The nodes without those that have happened: what Python has made holds what it was filled with."""
        begun = set(map(id, self._begun))
        return [node for node in self.nodes if id(node) not in begun]

    def _complete(self, code: CodeType, inside: bool) -> tuple[Node, ...]:
        """All nodes, but nothing is emptied that never changes, nor a Matrix that the next node overwrites."""
        begun, nodes = set(map(id, self._begun)), self.nodes
        complete = []
        for node, then in zip_longest(nodes, nodes[1:]):
            if id(node) in begun:
                out = node.out
                if out._store.nvals:
                    if not (inside or writes(nodes, out, begun)):
                        continue  # made of given values, the same at every step
                    raise LoopError(
                        f"{code.co_filename}:{line_of(code, node.place)}: {out.name} is made of given values at every "
                        "step, and the body of a loop is gone through once; make it before the loop, and a .dup() of "
                        "it in the body if it changes there"
                    )
                if out.ndim == 2 and then is not None and overwrites(then, out):
                    continue
            complete.append(node)
        return tuple(complete)

    def program(self, made: dict[int, Any], code: Any, kinds: tuple[type, ...], inside: bool = False) -> Program:
        """The body is complete: is it a loop that ends, and that Python would have run the same way?

        What a loop ``inside`` of another makes may be changed by what follows it.
        """
        frame, self._frame = self._frame, None
        assert frame is not None
        if made:
            self._check_names(frame, made, kinds)
        condition, limit = self.loop.condition, self.loop.limit
        program = Program(self._complete(code, inside), condition, limit, self.count, code)
        parts = condition.args if getattr(condition, "_role", None) == "expression" else [condition]
        if limit is None and program.written.keys().isdisjoint(map(id, parts)):
            raise LoopError(
                f"{_place(frame)}: nothing in the body changes the condition of the loop, which would never end; "
                "change it with <<, or give a limit"
            )
        return program

    def carried_number(self) -> str | None:
        """The name of a number that the body reads and then changes, for the next step: only Python would see that."""
        assert self._frame is not None
        for name, after in self._frame.f_locals.items():
            before = self._bound.get(name)
            if isinstance(before, NUMBERS) and _is_another(after, before) and self._reads_first(name):
                return name
        return None

    def _reads_first(self, name: str) -> bool:
        """Whether the body reads a local name before it gives it another meaning."""
        assert self._frame is not None
        end = 0
        for instruction in dis.get_instructions(self._frame.f_code):
            if instruction.opname == "FOR_ITER" and 0 <= self._start - instruction.offset <= 2:  # 3.12 is behind it
                end = instruction.argval
            elif self._start < instruction.offset < end:
                names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
                for access, accessed in zip(LOCAL_ACCESS.findall(instruction.opname), names, strict=False):
                    if accessed == name:
                        return access == "LOAD"
        return False

    def _check_names(self, frame: FrameType, made: dict[int, Any], kinds: tuple[type, ...]) -> None:
        """A name that stands for another object at every step cannot be recorded."""
        for name, after in frame.f_locals.items():
            before = self._bound.get(name)
            if after is not before and id(after) in made and type(before) in kinds and reads(self.nodes, before):
                raise LoopError(
                    f"{_place(frame)}: the loop binds {name} to a new object at every step, and its body is gone "
                    f"through once; write {name} << ... to change the object"
                )


def _is_another(after: Any, before: Any) -> bool:
    """Whether this is a number, and another one than before; the count of a loop is not, which a ``for`` binds."""
    if isinstance(after, Number):
        return not after.text.isidentifier()
    return isinstance(after, NUMBERS) and after != before


def _place(frame: FrameType) -> str:
    """Where the loop is."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def reads(nodes: Any, obj: Any) -> bool:
    """Whether an object is an operand or the mask of one of the nodes, or of those inside of them."""
    for node in nodes:
        if node.op in CONTROL:
            if reads(node.operands[0].nodes, obj):
                return True
        elif any(refers_to(x, obj) for x in (*node.operands, node.mask)):
            return True
    return False


def writes(nodes: Any, obj: Any, apart: set[int]) -> bool:
    """Whether one of the nodes, or of those inside of them, writes to an object, ``apart`` from some."""
    for node in nodes:
        if node.op in CONTROL:
            if writes(node.operands[0].nodes, obj, apart):
                return True
        elif node.out is obj and id(node) not in apart:
            return True
    return False


def overwrites(node: Node, obj: Any) -> bool:
    """Whether nothing of an object matters to a node that writes to it."""
    whole = node.op in COMPUTE and node.mask is None and node.accum is None
    return whole and node.out is obj and not any(refers_to(x, obj) for x in node.operands)


def refers_to(x: Any, obj: Any) -> bool:
    """Whether an operand or a mask is an object, its transpose, its mask, or an index with it."""
    if x is obj or getattr(x, "parent", None) is obj or getattr(x, "_matrix", None) is obj:
        return True
    return any(axis.index is obj for axis in getattr(x, "axes", ()))
