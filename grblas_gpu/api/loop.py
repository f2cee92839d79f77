"""``for depth in gb.loop(frontier): ...``: an ordinary loop that an engine may take over as a whole.

Where the engine runs whole loops (CUDA), Python goes through the body once. Every operation in it is recorded instead
of run; when the body ends, the engine gets the recording and repeats it on the device until the condition fails.
Elsewhere the loop iterates. While recording, values are not known: reading one that changes in the loop, or deciding
by it, is a :class:`LoopError` that names the line, or with ``fallback=True`` the end of recording and ordinary
iteration.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

from ..backends import interpreter as runs
from ..config import config
from ..errors import LoopError
from ..ir import record as recording
from ..ir.record import Number
from ..trace import records as trace
from . import execution
from .scalar import Scalar
from .vector import Vector

#: What a loop on a device can repeat, by the function that runs it alone.
KINDS: dict[Any, str] = {
    runs.run_vxm: "vxm",
    runs.run_mxv: "mxv",
    runs.run_ewise_add: "add",
    runs.run_ewise_mult: "mult",
    runs.run_ewise_union: "union",
    runs.run_apply: "apply",
    runs.run_apply_left: "apply_left",
    runs.run_apply_right: "apply_right",
    runs.run_apply_index: "apply_index",
    runs.run_select: "select",
    runs.run_select_mask: "select_mask",
    runs.run_reduce: "reduce",
}
OBJECTS = (Vector, Scalar)  # that a loop can change


class Step(NamedTuple):
    """One recorded operation: ``out<mask> (accum)= kind(args)``."""

    kind: str
    out: Any
    op: Any
    args: Any
    mask: Any
    accum: Any
    replace: bool
    desc: Any
    place: int  # of the operation in the code around the loop
    expr: Any  # that is assigned; None where the only argument is, or nothing

    def run(self) -> None:
        """The same operation, alone."""
        if self.expr is not None:
            execution.execute(self.out, self.expr, self.mask, self.accum, self.replace, self.desc)
        elif self.kind == "clear":
            self.out.clear()
        else:
            execution._update_plain(self.out, self.args[0], self.mask, self.accum, self.replace, None, None)


def loop(condition: Any, limit: int | None = None, *, fallback: bool = False) -> Loop:
    """Repeat the body of a ``for`` statement while the condition holds; the loop variable counts from 0.

    ``condition`` is a Vector or Matrix (it holds while there are entries), a Scalar, or a comparison of Scalars such as
    ``error > 1e-6``; it is looked at before every step, of which there are at most ``limit``. On a CUDA device the
    whole loop runs there. The body may then assign to Vectors and Scalars (``<<``), make new ones, and use the count;
    it is gone through once, so what is carried from one step to the next must be in objects that exist before the
    loop. A body that looks at values raises a LoopError there, or with ``fallback`` iterates as it does everywhere
    else.

    >>> import grblas_gpu as gb
    >>> A = gb.Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> levels, frontier = gb.Vector(int, 5), gb.Vector.from_coo([0], [True], size=5)
    >>> for depth in gb.loop(frontier):
    ...     levels(frontier.S) << depth
    ...     frontier(~levels.S, replace=True) << gb.semiring.lor_land(frontier @ A)
    >>> levels.to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    role = getattr(condition, "_role", None)
    if role not in ("object", "expression") and not hasattr(condition, "nvals"):
        raise TypeError(f"loop: the condition is a Vector, a Matrix or a comparison of Scalars; got {type(condition)}")
    if limit is not None and limit < 0:
        raise ValueError(f"loop: the limit must not be negative; got {limit}")
    return Loop(condition, limit, fallback)


class Loop:
    """What ``gb.loop`` returns: iterate over it once. ``steps`` counts the steps, ``mode`` says how they ran.

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

    def __init__(self, condition: Any, limit: int | None, fallback: bool) -> None:
        self.condition = condition
        self.limit = limit
        self._fallback = fallback

    def __iter__(self) -> Iterator[Any]:
        if recording.active and (recorder := recording.current()) is not None:
            recorder.refuse("a loop inside of a loop")
        condition = self.condition
        engine = condition.engine if _is_expression(condition) else getattr(condition, "_engine", None)
        matrices = condition.ndim == 2  # what changes matrices is not recorded
        if matrices or engine is None or not engine.runs_loops or config["loops"] == "iterated":
            return self._iterate()
        return self._record(engine, sys._getframe(1))

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
            yield Number(recorder, "step", _itself)
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
        recorder.check()
        steps = engine.run_loop(recorder)
        self.mode = "iterated" if steps is None else "fused"
        self.steps = recorder.repeat() if steps is None else steps
        recorder.step = max(0, self.steps - 1)
        recorder.forget()


def holds(condition: Any) -> bool:
    """Whether a condition is true now.

    >>> from grblas_gpu import Scalar, Vector
    >>> holds(Vector(int, 3)), holds(Scalar.from_value(2.5) > 1)
    (False, True)
    """
    if getattr(condition, "_is_scalar", False):
        return bool(condition if type(condition) is Scalar else condition.new())
    return bool(condition.nvals)


def _itself(step: int) -> int:
    return step


def _is_row(parent: Any, indexes: Any) -> bool:
    """Whether this extracts one row of a Matrix."""
    if parent.ndim != 2 or parent._is_transposed:
        return False
    rows, cols = indexes.axes
    return rows.size is None and cols.size is not None and cols.index is None


def _is_expression(condition: Any) -> bool:
    return getattr(condition, "_role", None) == "expression"


class Recorder:
    """The body of a loop, gone through once: its steps, and the objects that they change and read."""

    symbolic = True
    gave_up = False
    step = 0

    def __init__(self, loop: Loop, engine: Any, frame: FrameType, fallback: bool) -> None:
        self.loop = loop
        self.engine = engine
        self.steps: list[Step] = []
        self.written: dict[int, Any] = {}
        self.made: dict[int, Any] = {}
        self._frame: FrameType | None = frame
        self._code = frame.f_code
        self._fallback = fallback
        self._seen: dict[int, tuple[Any, str, int]] = {}
        self._bound = dict(frame.f_locals)

    # ---- what the rest of the library calls while recording ------------------------------------------------------

    def expression(self, out: Any, expr: Any, mask: Any, accum: Any, replace: bool, desc: Any) -> bool:
        """Note ``out(mask, accum, replace) << expr``; False if that is to be run at once: nothing changes it."""
        run = expr.run
        kind = KINDS.get(run)
        args = expr.args
        if kind is None:
            run = getattr(run, "on_vectors", run)
            kind = KINDS.get(run)
            if run is runs.run_extract and _is_row(*args):
                kind, args = "row", [args[0], Scalar.from_value(args[1].axes[0].index, name="")]
        if kind is None or type(out) not in OBJECTS or out._engine is not self.engine:
            operands = [arg for arg in expr.args if getattr(arg, "_engine", None) is not None]
            changing = [x for x in (*operands, getattr(mask, "parent", None), out) if id(x) in self.written]
            if not changing and id(out) in self.made and out.ndim == 2:
                return False
            self.refuse(f"{expr.method_name} into a {type(out).__name__}")
            return False
        if run is not expr.run or (kind != "reduce" and type(out) is Scalar):
            kind = f"scalar.{kind}"
        elif kind == "reduce" and expr._is_cscalar:  # the sum of nothing is a value as well
            kind = "reduce.identity"
        return self._add(kind, out, expr.op, args, mask, accum, replace, desc, expr)

    def plain(self, out: Any, value: Any, mask: Any, accum: Any, replace: bool) -> bool:
        """Note ``out(mask, accum, replace) << value`` for an object or a literal."""
        if type(out) not in OBJECTS or out._engine is not self.engine:
            self.refuse(f"an assignment to a {type(out).__name__}")
            return False
        counts = type(value) is Number and value.counts(self)
        if not counts and type(value) not in (type(out), Scalar):
            value = Scalar.from_value(value, is_cscalar=None, name="")
        if type(out) is Vector:
            kind = "copy" if type(value) is Vector else "assign"
        else:
            kind = "scalar.assign"
        return self._add(kind, out, None, [value], mask, accum, replace, None, None)

    def cleared(self, out: Any) -> bool:
        """Note that a Vector has no entries from here on; False if it is to be cleared at once."""
        return self._add("clear", out, None, [], None, None, False, None, None)

    def new(self, out: Any) -> None:
        """An object is made in the body: at every step again."""
        self.made[id(out)] = out
        if type(out) is Vector and out._engine is self.engine:
            self.cleared(out)

    def _add(
        self, kind: str, out: Any, op: Any, args: Any, mask: Any, accum: Any, replace: bool, desc: Any, expr: Any
    ) -> bool:
        if self._seen and (seen := self._seen.get(id(out))) is not None:
            if not self._fallback:
                self._error(f"{seen[1]} of {out.name} was read before, and here it changes", seen[2])
            self.give_up()  # what was read is right for the first step
            return False
        place = self._frame.f_lasti if self._frame is not None else 0  # its line is looked up where it matters
        self.steps.append(Step(kind, out, op, args, mask, accum, replace, desc, place, expr))
        self.written[id(out)] = out
        return True

    def line(self, step: Step) -> int:
        """The line of an operation."""
        return next((line for start, end, line in self._code.co_lines() if line and start <= step.place < end), 0)

    def read(self, what: str, obj: Any = None) -> None:
        """Somebody looks at a value: that is allowed for what does not change in the loop."""
        if obj is not None and id(obj) not in self.written:
            assert self._frame is not None
            self._seen[id(obj)] = (obj, what, self._frame.f_lineno)
            return
        name = "" if obj is None else f" of {obj.name}"
        self.refuse(f"{what}{name}, which is not known before the loop runs,")

    def engine_call(self, name: str) -> None:
        self.refuse(f"{name}, an operation that cannot be recorded,")

    def refuse(self, what: str) -> None:
        """This cannot be recorded: an error, or the end of recording."""
        if not self._fallback:
            self._error(
                f"{what} in the body of a loop that runs on the device; loop(..., fallback=True) iterates instead"
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
        for step in self.steps:
            step.run()

    def check(self) -> None:
        """The body is complete: is it a loop that ends, and that Python would have run the same way?"""
        frame, self._frame = self._frame, None
        assert frame is not None
        if self.made:
            self._check_names(frame)
        condition = self.loop.condition
        parts = condition.args if _is_expression(condition) else [condition]
        if self.loop.limit is None and self.written.keys().isdisjoint(map(id, parts)):
            raise LoopError(f"{frame.f_code.co_filename}: nothing in the body changes the condition of the loop")

    def _check_names(self, frame: FrameType) -> None:
        """A name that stands for another object at every step is not for the device."""
        for name, after in frame.f_locals.items():
            before = self._bound.get(name)
            if after is not before and id(after) in self.made and type(before) in OBJECTS and self._reads(before):
                raise LoopError(
                    f"{frame.f_code.co_filename}: the loop binds {name} to a new object at every step, which a loop on "
                    f"the device cannot do; write {name} << ... to change the object"
                )

    def forget(self) -> None:
        """Let go of the objects: the count, which may live on, knows this recorder."""
        self.steps = []
        self.written, self.made, self._seen, self._bound = {}, {}, {}, {}

    def _reads(self, obj: Any) -> bool:
        return any(
            obj is arg or obj is getattr(arg, "parent", None) for step in self.steps for arg in (*step.args, step.mask)
        )

    def repeat(self) -> int:
        """The loop, one operation after another: what an engine cannot run as a whole."""
        loop = self.loop
        self.step = 0
        while (loop.limit is None or self.step < loop.limit) and holds(loop.condition):
            for step in self.steps:
                step.run()
            self.step += 1
        return self.step
