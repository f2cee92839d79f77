"""One body of a recording: that of the loop itself, or of an inner loop or ``when``. It is recorded in passes until its
rounds can be compared (:mod:`.rounds`)."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FrameType

from ..exceptions import LoopError
from ..foundation.types import Loop
from ..ir.program import Program, line_of
from ..ir.recording import Count
from .python_state import BodyCode, PythonState
from .rounds import Difference, Round
from .steady import MOST_ROUNDS, Steady, assemble, compare


class RecordedBody:
    """The rounds of a body, and the Python variables that it can reach."""

    def __init__(self, loop: Loop, frame: FrameType, code: BodyCode | None, inside: bool) -> None:
        self.loop = loop
        self.number = 0  # the number of the loop in its recording
        self.rounds: list[Round] = []
        self.steady: Steady | None = None
        self._inside = inside
        self._frame = frame
        self._state = None if code is None else PythonState(frame, code)

    def begin_round(self, count: Count) -> None:
        self.round = Round(count)  # that is being recorded
        self.rounds.append(self.round)
        if self._state is not None:
            self.round.bindings = self._state.bindings(self._frame)
            self._names = self._state.bindings(self._frame, all_names=True) if self.loop.limit == 1 else []

    def changed(self) -> tuple[int, str] | None:
        """The first change that only Python sees in the first round: its line, and a sentence."""
        if self._state is None or len(self.rounds) > 1:
            return None
        may_not_run = self._inside and self.loop.limit == 1  # a `when`, or a loop of at most one step
        found = self._state.changed(self._frame, may_not_run=may_not_run)
        if found is None and may_not_run:
            found = self._rebound_to_others()
        if found is None:
            return None
        path, before, now = found
        line = self._state.line_of(path) or self._frame.f_lineno
        return line, f"`{path}` is {before} in the first round and {now} in the second"

    def _rebound_to_others(self) -> tuple[str, str, str] | None:
        """A name of an existing object that the body binds to another object."""
        assert self._state is not None
        before, made = dict(self._names), self.round.made
        for path, now in self._state.bindings(self._frame, all_names=True):
            if before.get(path, now) is not now and (id(now) not in made or path in dict(self.round.bindings)):
                return path, "an object", "another one"
        return None

    def end_round(self, code: CodeType, spelled: Callable[[object], str]) -> bool:
        """Complete a round; returns whether the body needs another one for comparison.

        ``spelled`` gives the name of an object in the code around the loop.
        """
        self.round.complete(self._inside)
        self.round.nodes += [] if self.loop.once else self.loop.recipe
        if self.loop.limit == 1:
            self.steady = compare(self.rounds[-1:])
            return False
        if len(self.rounds) == 1:
            return True
        try:
            self.steady = compare(self.rounds)
            if self.steady is None and len(self.rounds) == MOST_ROUNDS:
                raise Difference(
                    self.round.nodes[0], f"objects follow each other in no way that {MOST_ROUNDS} rounds show"
                )
        except Difference as difference:
            line = self._frame.f_lineno if difference.node is None else line_of(code, difference.node.place)
            raise LoopError(
                f"{code.co_filename}:{line}: {difference.said(spelled)}. A loop must do the same in every round: "
                "use the loop's number, a Scalar, or << into an object made before the loop"
            ) from None
        return self.steady is None

    def program(self, code: CodeType | None, count: Count, limit: int | None) -> Program:
        """The body as a loop with a condition and a limit, as Python would have run it."""
        assert self.steady is not None
        condition = self.loop.condition
        program = Program(tuple(assemble(self.steady, self.round)), condition, limit, count, code)
        self.check_end(program)
        return program

    def check_end(self, program: Program) -> None:
        """Check that a loop without a limit changes its condition."""
        condition = self.loop.condition
        parts: list[object] = condition.args if condition._role == "expression" else [condition]
        parts = [x for node in self.loop.recipe for x in node.operands] or parts
        if self.loop.limit is None and program.written.keys().isdisjoint(map(id, parts)):
            place = f"{self._frame.f_code.co_filename}:{self._frame.f_lineno}"
            raise LoopError(
                f"{place}: nothing in the body changes the condition of the loop, which would never end; change the "
                "object with <<, which binding its name to another one does not, or give a limit"
            )
