"""``for depth in gb.loop(frontier): ...``: an ordinary loop that an engine can run as a whole.

Python executes the body twice or more often, and every operation in it is recorded instead of run. If these rounds are
the same, an engine repeats them until the condition fails, as one kernel (CUDA) or one compiled function (CPU), or else
node by node. If a round changes state that only Python sees (a number, a list), the loop is iterated. While recording,
values are unknown: reading a value that changes in the loop, or branching on it, raises a :class:`LoopError` that names
the line; with ``fallback=True`` it ends the recording, and Python iterates the loop.
"""

from __future__ import annotations

import operator
import sys
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any, SupportsIndex

import numpy as np

from ..backends.interpreter import run as interpreter
from ..backends.interpreter.run import holds
from ..config import config
from ..foundation.display import escape, html_object
from ..foundation.types import Computed, Engine, Handle
from ..ir import recording
from ..ir.node import Node
from ..ir.program import Program
from ..trace.records import iterated
from .expressions import BaseExpression, Delayed
from .matrix import Matrix, TransposedMatrix
from .python_state import BodyCode, body_code
from .recorder import Recorder
from .scalar import Scalar
from .vector import Vector

OBJECTS = (Vector, Scalar, Matrix)  # kinds that a loop can change


def loop(condition: Handle | Computed, limit: int | None = None, *, fallback: bool = False) -> Loop:
    """Repeat the body of a ``for`` statement while the condition holds; the loop variable counts from 0.

    ``condition`` is a Vector or Matrix (it holds while there are entries), a Scalar, or a comparison of Scalars
    such as ``error > 1e-6`` or ``v.reduce() > 1``. It is evaluated before every step; there are at most ``limit``
    steps. The engine runs the loop as a whole, or from the recording. The body may change Vectors, Matrices and
    Scalars (``<<``), create new ones, bind names to them, and use the count. It is recorded before it runs. A body that
    reads changing values raises a LoopError, or iterates with ``fallback``. A body that changes numbers or lists of
    Python is iterated.

    Parameters
    ----------
    condition : Vector, Matrix, Scalar or comparison of Scalars
        The loop takes a step while this has entries, or is true.
    limit : int, optional
        The largest number of steps.
    fallback : bool
        Whether to iterate a body that cannot be recorded, instead of raising a LoopError.

    Raises
    ------
    TypeError
        The condition is not an object that can change.
    LoopError
        The body reads a changing value, without ``fallback``, or its rounds differ in a way that cannot be repeated.

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


def when(condition: Handle | Computed) -> Loop:
    """``for _ in when(condition): ...``: an ``if`` inside a loop. Its body runs once if the condition holds.

    The condition is one of :func:`loop`. It is a ``for`` statement because the decision can then be recorded; Python
    decides an ``if`` at once, while the loop is recorded.

    Parameters
    ----------
    condition : Vector, Matrix, Scalar or comparison of Scalars
        The block runs if this has entries, or is true.

    Raises
    ------
    TypeError
        The condition is not an object that can change.

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


def _check_condition(condition: object, name: str) -> None:
    if not isinstance(condition, (*OBJECTS, TransposedMatrix, Delayed)):
        kind = type(condition)
        raise TypeError(f"{name}: the condition is a Vector, a Matrix or a comparison of Scalars; got {kind}")


def _whole(limit: SupportsIndex) -> int:
    """Check a number of steps: a non-negative integer of any type. Errors: 2.5 and True."""
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
    """The result of ``gb.loop``: iterate over it once. ``steps`` counts the steps, ``mode`` says how they ran.

    ``program`` is the recording, if there is one; it prints as text.

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

    def __init__(self, condition: object, limit: int | None, fallback: bool, once: bool = False) -> None:
        # a transpose has the same entries
        self.condition: Any = condition._matrix if isinstance(condition, TransposedMatrix) else condition
        self.limit = limit
        self.once = once
        self.recipe = _recipe(condition)  # nodes that recompute the condition
        self._fallback = fallback

    def __iter__(self) -> Iterator[int]:
        condition = self.condition
        recorded = not isinstance(condition, Delayed) or _is_comparison(condition)
        frame = sys._getframe(1)
        code = body_code(frame)
        if recording.active and (recorder := recording.current()) is not None:
            if not recorder.falls_back and recorded and code is not None:
                return self._nest(recorder, frame, code)
            recorder.refuse(
                "a loop inside of a loop" if code is not None else "a loop inside of a call, such as enumerate,"
            )
        if self.once or not recorded or config["loops"] == "iterated":
            return self._iterate()  # a condition that is computed before every step cannot be recorded
        engine: Engine = condition.engine if _is_comparison(condition) else condition._engine
        if code is None:
            iterated(f"line {frame.f_lineno}: the loop is inside of a call, such as enumerate")
        if engine is None or code is None:
            return self._iterate()
        found = self._record(engine, frame, code)
        self.running = weakref.ref(found)
        return found

    def _repr_html_(self) -> str:
        lines = "" if self.program is None else str(self.program)
        limit = "none" if self.limit is None else self.limit
        facts = {"steps": self.steps, "mode": self.mode, "limit": limit}
        return html_object("Loop", facts, f"<pre>{escape(lines)}</pre>" if lines else "")

    def goes_on(self) -> bool:
        """Whether there is another step."""
        if self.limit is not None and self.steps >= self.limit:
            return False
        for node in self.recipe:
            interpreter.execute(node)
        return holds(self.condition)

    def _is_over(self) -> bool:
        """Whether the host knows, without waiting for a device, that there is no step."""
        if self.limit == 0:
            return True
        condition = self.condition
        parts = [condition] if condition._role == "object" else condition.args
        return all(map(_is_on_host, parts)) and not self.goes_on()

    def _iterate(self, first: int = 0) -> Iterator[int]:
        self.steps = first
        while self.goes_on():
            yield self.steps
            self.steps += 1

    def _record(self, engine: Engine, frame: FrameType, code: BodyCode) -> Iterator[Any]:
        if (self._fallback and not self.goes_on()) or self._is_over():
            return
        recorder = Recorder(self, engine, frame, code, self._fallback)
        recording.begin(recorder)
        try:
            while True:
                yield recorder.begin_round()
                if not recorder.symbolic or not recorder.end_round():
                    break
        except GeneratorExit:  # Python left the body: run the steps so far
            if recorder.symbolic:
                recorder.stop()
                recorder.run_recorded()
                recorder.forget()
            raise
        finally:
            recorder.stop()
        if recorder.gave_up:
            yield from self._iterate(recorder.gave_up)
            return
        turns = recorder.steady.turns
        if turns == 1:
            self._run_plain(engine, recorder)
        else:
            self._run_turns(engine, recorder, turns)
        while (self.steps - recorder.rounds) % turns:  # until names refer to the objects that they have after all steps
            recorder.start()
            try:
                yield recorder.begin_round()
            finally:
                recorder.stop()
            recorder.end_dry_round()
        recorder.adopt(self.steps)
        recorder.forget()

    def _run_plain(self, engine: Engine, recorder: Recorder) -> None:
        program = self.program = recorder.program()
        self.steps = self._run(engine, program)

    def _run_turns(self, engine: Engine, recorder: Recorder, turns: int) -> None:
        """Run rounds in which objects rotate: one turn of all of them is one body."""
        done = Scalar.from_value(0)
        program = self.program = recorder.unrolled(done)
        rounds = self._run(engine, program)
        self.steps = int(done.value)
        if self.limit is not None and self.steps == turns * rounds:
            program.count.step = rounds
            for nodes in recorder.steady.turned[: self.limit - self.steps]:  # an incomplete turn
                if not self.goes_on():
                    break
                for node in nodes:
                    interpreter.execute(node)
                self.steps += 1

    def _run(self, engine: Engine, program: Program) -> int:
        fusing = engine if interpreter.may_run_whole(program, engine) else None
        steps, whole = None if fusing is None else fusing.run_loop(program), True
        if steps is None:
            steps, whole = interpreter.Repeated(program, fusing)()
        self.mode = "fused" if whole else "iterated"
        return int(steps)

    def _nest(self, recorder: Recorder, frame: FrameType, code: BodyCode) -> Iterator[Any]:
        """Record this loop as a part of an outer recording."""
        self.mode = "recorded"
        recorder.enter(self, frame, code)
        finished = False
        try:
            while True:
                yield recorder.begin_round()
                if not recorder.end_round():
                    break
            finished = True
        finally:
            if recorder.symbolic:
                recorder.leave(finished)


def _is_on_host(part: Handle) -> bool:
    """Whether a part of a condition can be read without waiting for a device."""
    if part.ndim == 0:
        return getattr(part, "_later", None) is None
    return getattr(part._store, "known_nvals", None) is not None


def _recipe(condition: object) -> list[Node]:
    """The nodes that compute the operands of a condition: ``v.reduce() > 1`` is evaluated before every step."""
    nodes: list[Node] = []
    for arg in getattr(condition, "args", ()):
        origin = getattr(arg, "_origin", None)
        if origin is not None:
            nodes += [*_recipe(origin), Node(origin.ir_op, arg, origin.op, tuple(origin.args))]
    return nodes


def _is_comparison(condition: object) -> bool:
    """Whether this is an expression of Scalars only."""
    return isinstance(condition, BaseExpression) and not any(getattr(arg, "ndim", 0) for arg in condition.args)
