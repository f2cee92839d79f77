"""``for depth in gb.loop(frontier): ...``: an ordinary loop that an engine may take over as a whole.

Python goes through the body once. Every operation in it is recorded instead of run; when the body ends, the engine gets
the recording and repeats it until the condition fails, as one kernel (CUDA) or one compiled function (CPU), or else one
node is run after another. While recording, values are not known: reading one that changes in the loop, or deciding by
it, is a :class:`LoopError` that names the line, or with ``fallback=True`` the end of recording and ordinary iteration.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

from ..backends import interpreter
from ..backends.interpreter import holds
from ..config import config
from ..display import escape, html_object
from ..errors import LoopError
from ..ir import ops, recording
from ..ir.node import Node, node_of
from ..ir.program import Program
from ..ir.recording import Count
from ..trace import records as trace
from .bodies import RecordedBody
from .expressions import BaseExpression, Delayed
from .matrix import Matrix, TransposedMatrix
from .scalar import Scalar
from .vector import Vector

OBJECTS = (Vector, Scalar, Matrix)  # that a loop can change


def loop(condition: Any, limit: int | None = None, *, fallback: bool = False) -> Loop:
    """Repeat the body of a ``for`` statement while the condition holds; the loop variable counts from 0.

    ``condition`` is a Vector or Matrix (it holds while there are entries), a Scalar, or a comparison of Scalars
    such as ``error > 1e-6``; it is looked at before every step, of which there are at most ``limit``. (In
    ``v.reduce() > 1`` the sum is computed once, where it is written; use a Scalar that the body changes.) The
    engine runs the loop as a whole, or from the recording. The body may change Vectors, Matrices and Scalars
    (``<<``), make new ones, and use the count; it is gone through once, so what is carried from one step to the
    next must be in objects that exist before the loop. A body that looks at values raises a LoopError, or with
    ``fallback`` iterates.

    Parameters
    ----------
    condition : Vector, Matrix, Scalar or comparison of Scalars
        While it has entries, or is true, there is a step.
    limit : int, optional
        At most so many steps.
    fallback : bool
        Whether a body that cannot be recorded iterates instead of raising a LoopError.

    Raises
    ------
    TypeError
        The condition is no object that can change.
    LoopError
        The body looks at a value, without ``fallback``.

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> A = gb.Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> levels, frontier = gb.Vector(int, 5), gb.Vector.from_coo([0], [True], size=5)
    >>> for depth in gb.loop(frontier):
    ...     levels(frontier.S) << depth
    ...     frontier(~levels.S, replace=True) << gb.semiring.lor_land(frontier @ A)
    >>> levels.to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    _check_condition(condition, "loop")
    return Loop(condition, None if limit is None else _whole(limit), fallback)


def when(condition: Any) -> Loop:
    """``for _ in when(condition): ...``: an ``if`` that a loop can hold. Its body runs once if the condition holds.

    The condition is one of :func:`loop`. It is a ``for`` because that is how Python lets us decide later: while a loop
    is recorded, an ``if`` would have to be decided at once.

    Parameters
    ----------
    condition : Vector, Matrix, Scalar or comparison of Scalars
        Whether the block runs: it has entries, or is true.

    Raises
    ------
    TypeError
        The condition is no object that can change.

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> total, rounds = gb.Scalar.from_value(100), gb.Vector.from_scalar(1, 3)
    >>> for _ in gb.loop(rounds, 3):
    ...     total << gb.binary.minus(total & 30)
    ...     for _ in gb.when(total < 50):
    ...         rounds << gb.binary.plus(rounds, 1)
    >>> total.value, rounds.to_dense().tolist()
    (10, [3, 3, 3])
    """
    _check_condition(condition, "when")
    return Loop(condition, 1, False, once=True)


def _check_condition(condition: Any, name: str) -> None:
    if not isinstance(condition, (*OBJECTS, TransposedMatrix, Delayed)):
        kind = type(condition)
        raise TypeError(f"{name}: the condition is a Vector, a Matrix or a comparison of Scalars; got {kind}")


def _whole(limit: Any) -> int:
    """A number of steps: an integer of any kind, not negative. 2.5 steps are a mistake, and so is True."""
    try:
        steps = None if isinstance(limit, (bool, np.bool_)) else operator.index(limit)
    except TypeError:
        steps = None
    if steps is None:
        raise TypeError(f"loop: the limit is a whole number of steps, or None for no limit; got {limit!r}")
    if steps < 0:
        raise ValueError(f"loop: the limit must not be negative; got {limit}")
    return steps


class Loop:
    """What ``gb.loop`` returns: iterate over it once. ``steps`` counts the steps, ``mode`` says how they ran.

    ``program`` is what was recorded, if the loop was; it prints as text.

    >>> import grblas_gpu as gb
    >>> left = gb.Vector.from_coo([0, 1, 2], [3, 1, 2])
    >>> rounds = gb.loop(left)
    >>> for _ in rounds:
    ...     left << gb.binary.minus(left, 1)
    ...     left << gb.select.valuegt(left, 0)
    >>> rounds.steps, rounds.mode
    (3, 'iterated')
    """

    steps = 0
    mode = "iterated"
    program: Program | None = None

    def __init__(self, condition: Any, limit: int | None, fallback: bool, once: bool = False) -> None:
        self.condition = condition._matrix if isinstance(condition, TransposedMatrix) else condition  # the same entries
        self.limit = limit
        self.once = once
        self._fallback = fallback

    def __iter__(self) -> Iterator[Any]:
        condition: Any = self.condition
        recorded = not isinstance(condition, Delayed) or _is_comparison(condition)
        if recording.active and (recorder := recording.current()) is not None:
            if not recorder.falls_back and recorded:
                return self._nest(recorder, sys._getframe(1))
            recorder.refuse("a loop inside of a loop")  # whether Python would go there at all is not known
        if self.once or not recorded or config["loops"] == "iterated":
            return self._iterate()  # a condition that is computed before every step is not recorded
        engine: Any = condition.engine if _is_comparison(condition) else condition._engine
        if engine is None:
            return self._iterate()
        return self._record(engine, sys._getframe(1))

    def _repr_html_(self) -> str:
        lines = "" if self.program is None else str(self.program)
        limit = "none" if self.limit is None else self.limit
        facts = {"steps": self.steps, "mode": self.mode, "limit": limit}
        return html_object("Loop", facts, f"<pre>{escape(lines)}</pre>" if lines else "")

    def _iterate(self, first: int = 0) -> Iterator[int]:
        self.steps = first
        while (self.limit is None or self.steps < self.limit) and holds(self.condition):
            yield self.steps
            self.steps += 1

    def _record(self, engine: Any, frame: FrameType) -> Iterator[Any]:
        if self._fallback and not ((self.limit is None or self.limit > 0) and holds(self.condition)):
            return
        recorder = Recorder(self, engine, frame, self._fallback)
        recording.begin(recorder)
        try:
            yield recorder.count.number()
            recorder.check_numbers()
        except GeneratorExit:  # the body was left: what it did so far has happened
            if recorder.symbolic:
                recorder.stop()
                if (self.limit is None or self.limit > 0) and holds(self.condition):
                    recorder.run_once()
                recorder.forget()
            raise
        finally:
            if recorder.symbolic:
                recorder.stop()
        if recorder.gave_up:
            yield from self._iterate(1)
            return
        program = self.program = recorder.program()
        asked = engine if interpreter.may_run_whole(program, engine) else None
        steps, whole = None if asked is None else asked.run_loop(program), True
        if steps is None:
            steps, whole = interpreter.Repeated(program, asked)()
        self.steps, self.mode = steps, "fused" if whole else "iterated"
        recorder.count.step = max(0, self.steps - 1)
        recorder.forget()

    def _nest(self, recorder: Recorder, frame: FrameType) -> Iterator[Any]:
        """A part of a recording."""
        self.mode = "recorded"
        count, finished = recorder.enter(self, frame), False
        try:
            yield count.number()
            recorder.check_numbers()
            finished = True
        finally:
            if recorder.symbolic:
                recorder.leave(finished)


def as_recorded(node: Node) -> Node:
    """A node with handles for numbers, and with rows of matrices by Scalars."""
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


def _is_row(parent: Any, indexes: Any) -> bool:
    """Whether this extracts one row of a Matrix."""
    if parent.ndim != 2 or parent._is_transposed:
        return False
    rows, cols = indexes.axes
    return rows.size is None and cols.size is not None and cols.index is None


def _is_comparison(condition: Any) -> bool:
    """Whether this is an expression of Scalars."""
    return isinstance(condition, BaseExpression) and not any(getattr(arg, "ndim", 0) for arg in condition.args)


class Recorder:
    """The body of a loop, gone through once: its steps, and the objects that they change and read."""

    symbolic = True
    gave_up = False

    def __init__(self, loop: Loop | None, engine: Any, frame: FrameType, fallback: bool) -> None:
        self.engine = engine
        self.count = Count(self)
        self._bodies = [RecordedBody(loop, self.count, frame)]  # the innermost is the last
        self._counted = 1  # loops
        self._left: int | None = None  # the line at which Python left a loop inside
        self.written: dict[int, Any] = {}
        self.made: dict[int, Any] = {}
        self._frame: FrameType | None = frame
        self._fallback = fallback
        self._seen: dict[int, tuple[Any, str, int]] = {}

    @property
    def nodes(self) -> list[Node]:
        return self._bodies[-1].nodes if self._bodies else []

    @property
    def falls_back(self) -> bool:
        return self._fallback

    # ---- what the rest of the library calls while recording ------------------------------------------------------

    def record(self, node: Node) -> bool:
        """Note a node; False if it is to be run at once: recording ends here."""
        node = as_recorded(node)
        out = node.out
        if out._engine is not self.engine:
            self.refuse(f"{node.op} into {out.name}, which is on another backend than the condition,")
            return False
        if self._seen and (seen := self._seen.get(id(out))) is not None:
            if not self._fallback:
                changes = f"{seen[1]} of {out.name} was read before, and here it changes"
                self._error(f"{changes}; loop(..., fallback=True) iterates instead", seen[2])
            self.give_up()  # what was read is right for the first step
            return False
        self.nodes.append(node_of((*node[:-1], self._place)))
        self.written[id(out)] = out
        return True

    @property
    def _place(self) -> int:
        """Of what is recorded now; its line is looked up where it matters."""
        return 0 if self._frame is None else self._frame.f_lasti

    def changes(self, obj: Any) -> bool:
        """Whether this changes an object, as far as it has come."""
        return id(obj) in self.written

    def new(self, out: Any) -> None:
        """An object is made in the body: at every step again."""
        self.made[id(out)] = self.written[id(out)] = out
        self._bodies[-1].begin(out, self._place)

    def new_scalar(self, out: Any) -> None:
        """A Scalar is made in the body: what it holds is known."""

    def read(self, what: str, obj: Any = None) -> None:
        """Somebody looks at a value: that is allowed for what does not change in the loop."""
        if obj is not None and id(obj) not in self.written:
            assert self._frame is not None
            self._seen[id(obj)] = (obj, what, self._frame.f_lineno)
            return
        name = "" if obj is None else f" of {obj.name}"
        self.refuse(f"{what}{name}, which is not known before the loop runs,")

    def refuse(self, what: str) -> None:
        """This cannot be recorded: an error, or the end of recording."""
        if not self._fallback:
            self._error(
                f"{what} in the body of a loop, which is gone through once; loop(..., fallback=True) iterates instead"
            )
        if trace.current() is not None:
            self._trace(what)
        self.give_up()

    def _trace(self, what: str) -> None:
        collector = trace.current()
        assert collector is not None and self._frame is not None
        reason = f"line {self._frame.f_lineno}: {what} in the body"
        collector.records.append(trace.Record("loop", 0.0, 0, "iterated", reason))

    def _error(self, message: str, line: int | None = None) -> None:
        frame = self._frame
        self.stop()
        self.forget()
        assert frame is not None
        raise LoopError(f"{frame.f_code.co_filename}:{frame.f_lineno if line is None else line}: {message}")

    def check_numbers(self) -> None:
        """The innermost body has been gone through: numbers of Python's that it changes would change at every step."""
        if self.symbolic and (name := self._bodies[-1].carried_number()) is not None:
            self.refuse(f"{name}, a number that every step changes for the next one and that should be a Scalar,")

    # ---- the end of recording ------------------------------------------------------------------------------------

    def stop(self) -> None:
        self.symbolic = False
        recording.end()

    def give_up(self) -> None:
        """Run what was recorded, as the first step; the body goes on from there."""
        self.stop()
        self.gave_up = True
        self.run_once()
        self.forget()

    def run_once(self) -> None:
        for body in self._bodies[-1:]:
            for node in body.first_step():
                interpreter.execute(node)

    def program(self) -> Program:
        """The whole recording."""
        frame, self._frame = self._frame, None
        assert frame is not None
        if self._left is not None:
            raise LoopError(f"{frame.f_code.co_filename}:{self._left}: `break` in a loop inside of a loop")
        return self._bodies[0].program(self.made, frame.f_code, OBJECTS)

    # ---- loops inside ----------------------------------------------------------------------------------------------

    def enter(self, loop: Loop, frame: FrameType) -> Count:
        """A loop inside begins: what follows is its body."""
        count = Count(self, f"step{self._counted}" if self._counted else "step")
        self._counted += 1
        self._bodies.append(RecordedBody(loop, count, frame))
        return count

    def leave(self, finished: bool) -> None:
        """It ends; or Python has left it half-way, after which this can only be run once, to tell what happened."""
        assert self._frame is not None
        body, code, place = self._bodies.pop(), self._frame.f_code, self._frame.f_lasti
        if finished:
            try:
                program = body.program(self.made, code, OBJECTS, inside=True)
            except LoopError:
                self.stop()
                self.forget()
                raise
        else:
            self._left = self._frame.f_lineno
            program = Program(tuple(body.nodes), body.loop.condition, 1, body.count, code)
        op = ops.WHEN if body.loop.once or not finished else ops.LOOP
        self.nodes.append(Node(op, None, None, (program,), place=place))

    def forget(self) -> None:
        """Let go of the objects: the count, which may live on, knows this recorder."""
        self._bodies, self.written, self.made, self._seen = [], {}, {}, {}
