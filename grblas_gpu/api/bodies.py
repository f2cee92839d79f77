"""One body of a recording: that of the loop itself, or of a loop or ``when`` inside of it."""

from __future__ import annotations

from types import FrameType
from typing import Any

from ..errors import LoopError
from ..ir.node import Node
from ..ir.ops import CONTROL
from ..ir.program import Program
from ..ir.recording import Count


class RecordedBody:
    """The nodes of a body, in the order in which Python came to them, and what names meant before."""

    def __init__(self, loop: Any, count: Count, frame: FrameType) -> None:
        self.loop = loop
        self.count = count
        self.nodes: list[Node] = []
        self._frame: FrameType | None = frame
        self._bound = dict(frame.f_locals)

    def program(self, made: dict[int, Any], code: Any, kinds: tuple[type, ...]) -> Program:
        """The body is complete: is it a loop that ends, and that Python would have run the same way?"""
        frame, self._frame = self._frame, None
        assert frame is not None
        if made:
            self._check_names(frame, made, kinds)
        condition, limit = self.loop.condition, self.loop.limit
        program = Program(tuple(self.nodes), condition, limit, self.count, code)
        parts = condition.args if getattr(condition, "_role", None) == "expression" else [condition]
        if limit is None and program.written.keys().isdisjoint(map(id, parts)):
            raise LoopError(
                f"{_place(frame)}: nothing in the body changes the condition of the loop, which would never end; "
                "change it with <<, or give a limit"
            )
        return program

    def _check_names(self, frame: FrameType, made: dict[int, Any], kinds: tuple[type, ...]) -> None:
        """A name that stands for another object at every step cannot be recorded."""
        for name, after in frame.f_locals.items():
            before = self._bound.get(name)
            if after is not before and id(after) in made and type(before) in kinds and reads(self.nodes, before):
                raise LoopError(
                    f"{_place(frame)}: the loop binds {name} to a new object at every step, and its body is gone "
                    f"through once; write {name} << ... to change the object"
                )


def _place(frame: FrameType) -> str:
    """Where the loop is."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def reads(nodes: Any, obj: Any) -> bool:
    """Whether an object is an operand or the mask of one of the nodes, or of those inside of them."""
    for node in nodes:
        if node.op in CONTROL:
            if reads(node.operands[0].nodes, obj):
                return True
        elif any(obj is arg or obj is getattr(arg, "parent", None) for arg in (*node.operands, node.mask)):
            return True
    return False
