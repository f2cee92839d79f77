"""The recorder of a loop: it receives the operations of a body instead of an engine, while Python executes the body."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType, GeneratorType
from typing import Any

import numpy as np

from ..backends.interpreter import run as interpreter
from ..exceptions import LoopError
from ..foundation.types import AnyTensor, Engine, Handle, Loop, Tensor
from ..ir import ops, recording
from ..ir.node import Node, node_of
from ..ir.program import Program
from ..ir.recording import Count, Number
from ..trace import records as trace
from . import handles
from .bodies import RecordedBody
from .indexing import Indexes
from .output import Watch
from .python_state import BodyCode, reachable
from .rounds import handles_of, move
from .scalar import Scalar
from .steady import Steady, compare, unrolled

ITERATES = "loop(..., fallback=True) iterates instead"


def as_recorded(node: Node) -> Node:
    """A node with Scalars in place of literals; the extraction of a row gets a Scalar as its index."""
    if node.op is ops.ASSIGN or node.op is ops.SCATTER:
        value, indexes = node.operands
        if isinstance(value, np.generic):
            return node._replace(operands=(Scalar.from_value(value, is_cscalar=None, name=""), indexes))
    elif node.op is ops.EXTRACT and _is_row(*node.operands):
        matrix, indexes = node.operands
        index = indexes.axes[0].index
        row = index if type(index) is Scalar else Scalar.from_value(index, name="")
        return node._replace(op=ops.EXTRACT_ROW, operands=(matrix, row))
    return node


def _is_row(parent: AnyTensor, indexes: Indexes) -> bool:
    """Whether this extracts one row of a Matrix."""
    if parent.ndim != 2 or parent._is_transposed:
        return False
    rows, cols = indexes.axes
    return rows.size is None and cols.size is not None and cols.index is None


class Recorder:
    """The recording of a loop's body: its rounds, and the objects that they change and read."""

    symbolic = True
    gave_up = 0  # the number of steps before recording ended early

    def __init__(self, loop: Any, engine: Engine, frame: FrameType, code: BodyCode | None, fallback: bool) -> None:
        self.engine = engine
        self._running: Callable[[], GeneratorType | None] = getattr(loop, "running", lambda: None)
        self._bodies = [RecordedBody(loop, frame, code, inside=False)]  # the innermost body is the last
        self._counted = 0  # the number of loops
        self._left: int | None = None  # the line at which Python left an inner loop
        self.written: dict[int, Handle] = {}
        self._earlier: dict[int, Handle | Count] = {}  # objects that earlier rounds created
        self._conditional: dict[int, Handle | Count] = {}  # objects created in completed bodies that may not run
        self._carried: dict[int, tuple[object, Handle]] = {}  # objects that inner loops rebind: before and after it
        self._frame: FrameType | None = frame
        self._fallback = fallback
        self._seen: dict[int, tuple[object, str, int]] = {}
        self._output = Watch()

    @property
    def nodes(self) -> list[Node]:
        return self._bodies[-1].round.nodes if self._bodies else []

    @property
    def falls_back(self) -> bool:
        return self._fallback

    @property
    def steady(self) -> Steady:
        steady = self._bodies[0].steady
        assert steady is not None
        return steady

    # ---- hooks that the rest of the library calls while recording ------------------------------------------------

    def record(self, node: Node) -> bool:
        """Record a node; False if recording ends here and the node must run at once."""
        node = as_recorded(node)
        out = node.out
        if out._engine is not self.engine:
            self.refuse(f"{node.op} into {out.name}, which is on another backend than the condition,")
            return False
        if self._seen and self._fallback and id(out) in self._seen:
            self.give_up()  # the values read so far are those of the first step
            return False
        self._check_objects(node)
        self._note(node_of((*node[:-1], self._place)))
        return True

    def _note(self, node: Node) -> None:
        self.nodes.append(node)
        out = node.out
        self.written[id(out)] = out
        for body in self._bodies:
            body.round.written[id(out)] = out

    def _check_objects(self, node: Node) -> None:
        """Refuse objects whose identity depends on whether a ``when`` or an inner loop ran."""
        if self._conditional:
            for x in filter(self.is_conditional, handles_of(node)):
                self.refuse(f"{self.spelled(x)}, made in a `when` or loop that may not run, and used after it,")
        if id(node.out) in self._carried:
            _, after = self._carried[id(node.out)]
            if node.out is after:
                self.refuse(f"{self.spelled(after)}, which a loop inside binds to a new object, is changed in place")
            self._conditional[id(after)] = after

    def is_conditional(self, x: object) -> bool:
        """Whether an object was created in a completed body that may not have run."""
        return id(x) in self._conditional

    def spelled(self, obj: Any) -> str:
        """The spelling of an object in the code around the loop, or its own name."""
        known = {} if self._frame is None else self._frame.f_locals
        return next((spelling for spelling, part in reachable(known) if part is obj), str(obj.name))

    @property
    def _place(self) -> int:
        """The instruction that is being recorded; errors and traces turn it into a line."""
        return 0 if self._frame is None else self._frame.f_lasti

    def changes(self, obj: Tensor) -> bool:
        """Whether the recording so far changes an object."""
        return id(obj) in self.written

    def new(self, out: Tensor) -> None:
        """Note that the body creates an object, a new one in every round."""
        self.written[id(out)] = out
        self._make(out)
        self._bodies[-1].round.begin(out, self._place)

    def new_scalar(self, out: Handle) -> None:
        """Note that the body creates a Scalar, which starts with its given value in every round."""
        self._make(out)
        self._bodies[-1].round.begin(out, self._place)

    def _make(self, out: Handle) -> None:
        for body in self._bodies:
            body.round.made[id(out)] = out

    def read(self, what: str, obj: object = None) -> None:
        """Note that a value is read: allowed if the loop does not change it."""
        if obj is not None and id(obj) not in self.written and id(obj) not in self._earlier:
            assert self._frame is not None
            self._seen[id(obj)] = (obj, what, self._frame.f_lineno)
            return
        name = "" if obj is None else f" of {self.spelled(obj)}"
        self.refuse(f"{what}{name}, which is not known before the loop runs,")

    def refuse(self, what: str) -> None:
        """Raise a LoopError for something that cannot be recorded, or with ``fallback`` end the recording."""
        if not self._fallback:
            self._error(f"{what} in the body of a loop, which is recorded before it runs; {ITERATES}")
        assert self._frame is not None
        trace.iterated(f"line {self._frame.f_lineno}: {what} in the body")
        self.give_up()

    def _error(self, message: str, line: int | None = None) -> None:
        frame = self._frame
        self.stop()
        self.forget()
        assert frame is not None
        raise LoopError(f"{frame.f_code.co_filename}:{frame.f_lineno if line is None else line}: {message}")

    # ---- rounds ----------------------------------------------------------------------------------------------------

    def begin_round(self) -> Number:
        """Start another pass through the innermost body; returns its number."""
        *outer, body = self._bodies
        self._counted = body.number
        count = Count(self, f"step{body.number or ''}")
        for each in outer:
            each.round.made[id(count)] = count
        body.begin_round(count)
        if not outer and len(body.rounds) == 1:
            self._output.begin()
        return count.number()

    def end_round(self) -> bool:
        """End a pass; returns whether the innermost body needs another one."""
        body, frame = self._bodies[-1], self._frame
        assert frame is not None
        changed = body.changed() if len(body.rounds) == 1 else None
        if len(self._bodies) == 1 and self._output.end():
            changed = changed or (frame.f_lineno, "the body prints or logs something")
        if changed is not None:
            line, what = changed
            if len(self._bodies) > 1:
                self._error(
                    f"{what}; a loop inside of another cannot repeat that: use the loop's number or a Scalar", line
                )
            elif body.loop.limit != 1 and not self._looked():
                trace.iterated(f"line {line}: {what}")
                self.give_up()
                return False
        if len(body.rounds) == 2 and len(self._bodies) == 1 and (seen := self._looked()):
            obj, what, line = seen
            self._error(f"{what} of {self.spelled(obj)} is read here, and the body changes it; {ITERATES}", line)
        try:
            more = body.end_round(frame.f_code, self.spelled)
            if body.steady is not None and body.steady.turns > 1 and len(self._bodies) > 1:
                token = body.steady.rotates
                assert token is not None
                self._error(
                    f"{self.spelled(token.value)} takes turns with others in a loop inside of another; copy with <<"
                )
        except LoopError:
            self.stop()
            self.forget()
            raise
        if more:
            self._earlier |= body.round.made
        return more

    def _looked(self) -> tuple[object, str, int] | None:
        """A read of an object that the body changes."""
        return next((seen for key, seen in self._seen.items() if key in self.written), None)

    # ---- the end of recording ------------------------------------------------------------------------------------

    def stop(self) -> None:
        """End recording, if it has not ended."""
        self._output.end()
        if self.symbolic:
            self.symbolic = False
            recording.end(self)

    def is_over(self) -> bool:
        """Whether Python has left the loop: an interrupt may have prevented :meth:`stop`."""
        generator = self._running()
        return generator is None or generator.gi_frame is None

    def give_up(self) -> None:
        """Run the recorded rounds as the first steps; Python continues the body from there."""
        self.stop()
        self.gave_up = len(self._bodies[0].rounds)
        if not self.run_recorded():
            frame = self._frame
            assert frame is not None
            self.forget()
            raise LoopError(
                f"{frame.f_code.co_filename}:{frame.f_lineno}: the loop ends after fewer rounds than recording needs; "
                f"{ITERATES}"
            )
        self.forget()

    def run_recorded(self) -> bool:
        """Run the recorded rounds in order; returns whether the condition held before each of them."""
        if not self._bodies:
            return True
        body = self._bodies[0]
        *before, last = body.rounds
        for step, round in enumerate(before):
            round.count.step = body.loop.steps = step
            if not body.loop.goes_on():
                return False
            for node in round.nodes:
                interpreter.execute(node)
        last.count.step = body.loop.steps = len(before)
        if not body.loop.goes_on():
            return False
        for inner in self._bodies[-1:]:
            for node in inner.round.happened():
                interpreter.execute(node)
        self._withdraw_conditional()
        return True

    def program(self) -> Program:
        """The whole recording."""
        frame, body = self._frame, self._bodies[0]
        assert frame is not None
        self._check_left(frame)
        program = body.program(frame.f_code, body.round.count, body.loop.limit)
        self._begin_carried()
        return program

    def unrolled(self, done: Scalar) -> Program:
        frame, body = self._frame, self._bodies[0]
        assert frame is not None
        self._check_left(frame)
        program = unrolled(self.steady, body.loop.condition, body.loop.limit, done, frame.f_code)
        body.check_end(program)
        self._begin_carried()
        return program

    def _check_left(self, frame: FrameType) -> None:
        if self._left is not None:
            raise LoopError(f"{frame.f_code.co_filename}:{self._left}: `break` in a loop inside of a loop")

    def _begin_carried(self) -> None:
        for carried in self.steady.carried.values():
            interpreter.execute(move(carried.handle, carried.initial[0], 0))

    # ---- the objects of names after the loop ---------------------------------------------------------------------

    @property
    def rounds(self) -> int:
        """The number of passes of Python through the body."""
        return len(self._bodies[0].rounds)

    def start(self) -> None:
        self.symbolic = True
        recording.begin(self)

    def end_dry_round(self) -> None:
        """End a pass that only updates names; its nodes are not run."""
        self._bodies[0].round.complete(inside=False)

    def adopt(self, steps: int) -> None:
        """Copy results into the objects that names refer to after the last pass; withdraw objects of earlier passes."""
        rounds, steady = self._bodies[0].rounds, self.steady
        everything = compare(rounds, ran=True) if len(rounds) > len(steady.rounds) else steady
        assert everything is not None
        last, ran = len(rounds) - 1, steady.number_of_turn(steps - 1)
        current = set(rounds[-1].made)
        for column in everything.columns:
            handles.give(column[last], column[ran])
        for carried in steady.carried.values():
            if type(carried.source) is int and len(carried.initial) > 1:
                first = steady.columns[carried.source][0]
                column = next(column for column in everything.columns if column[0] is first)
                handles.give(column[last + 1 - len(carried.initial)], carried.handle)
                current.add(id(column[last + 1 - len(carried.initial)]))
        rounds[-1].count.step = max(0, steps - 1)
        stale = [x for round in rounds[:-1] for key, x in round.made.items() if key not in current]
        for x in (*stale, *(rounds[-1].made.values() if steps == 0 else ())):
            handles.withdraw(x)
        self._withdraw_conditional()

    def _withdraw_conditional(self) -> None:
        """Withdraw objects of inner bodies: if a body did not run, Python would have other objects by these names."""
        for x in self._conditional.values():
            handles.withdraw(x)

    # ---- inner loops ---------------------------------------------------------------------------------------------

    def enter(self, loop: Loop, frame: FrameType, code: BodyCode) -> None:
        """Begin an inner loop: the following nodes belong to its body."""
        for node in loop.recipe:
            self.record(node)
        self._counted += 1
        self._bodies.append(RecordedBody(loop, frame, code, inside=True))
        self._bodies[-1].number = self._counted

    def leave(self, finished: bool) -> None:
        """End an inner loop. If Python left it early, the recording can only be run once, up to that point."""
        assert self._frame is not None
        code, place = self._frame.f_code, self._frame.f_lasti
        body = self._bodies.pop()
        if not finished:
            self._left = self._frame.f_lineno
            if not body.rounds:  # an interrupt came before its first
                return
            program = Program(tuple(body.round.happened()), body.loop.condition, 1, body.round.count, code)
            self.nodes.append(Node(ops.WHEN, None, None, (program,), place=place))
            self._note_conditional(body, set())
            return
        try:
            program = body.program(code, body.round.count, body.loop.limit)
        except LoopError:
            self.stop()
            self.forget()
            raise
        assert body.steady is not None
        carried = list(body.steady.carried.values())
        for each in carried:
            self._make(each.handle)
            self._note(move(each.handle, each.initial[0], place))
        op = ops.WHEN if body.loop.once else ops.LOOP
        self.nodes.append(Node(op, None, None, (program,), place=place))
        for out in program.written.values():
            for outer in self._bodies:
                outer.round.written[id(out)] = out
        kept: set[int] = set()
        for each in carried:
            last = body.steady.columns[each.source][-len(each.initial)] if type(each.source) is int else each.source
            if last is each.source or id(last) in kept:
                self._error(f"{self.spelled(last)} has other names, too, in a loop inside of another; copy with .dup()")
            if not each.in_place:
                self._note(move(last, each.handle, place))
            kept.add(id(last))
            self._carried[id(last)] = self._carried[id(each.initial[0])] = each.initial[0], last
        self._note_conditional(body, kept)

    def _note_conditional(self, body: RecordedBody, kept: set[int]) -> None:
        """Note the objects of an inner body, which Python has only if the body ran."""
        for round in body.rounds:
            for key, made in round.made.items():
                if key not in kept and (isinstance(made, Count) or not round.is_literal(made)):
                    self._conditional[key] = made

    def forget(self) -> None:
        """Release the objects: the count may outlive the loop, and it refers to this recorder."""
        self._bodies, self._frame = [], None
        self.written, self._seen, self._earlier, self._conditional, self._carried = {}, {}, {}, {}, {}
