"""``@gb.program``: a function that is recorded once for each kind of arguments; later calls run the recording.

Matrices, Vectors and Scalars among the arguments are the inputs of the recording. While recording, *formal* objects
replace them: of the same type and shape, without contents. A call gives the formal objects the stores of its arguments,
runs the recorded nodes and loops, and moves the stores back.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import partial, update_wrapper
from types import CodeType, FrameType
from typing import Any, Generic, NoReturn, ParamSpec, Self, TypeVar

import numpy as np

from ..backends.interpreter import run as interpreter
from ..backends.programs.unfusable import unfusable_reason
from ..backends.programs.whole import Whole
from ..backends.registry import current_engine
from ..config import config
from ..exceptions import LoopError
from ..foundation.types import Engine, Handle, Loop, Tensor, Udf
from ..ir import ops, recording
from ..ir.node import Node, node_of
from ..ir.program import Program, line_of
from ..ir.recording import Count
from . import handles
from .matrix import Matrix
from .python_state import BodyCode
from .recorder import Recorder, as_recorded
from .rounds import Difference, Round
from .scalar import Scalar
from .sized_handles import SizedHandles
from .sizes import Shape, Sizes, numbers_of, pattern
from .steady import compare
from .vector import Vector

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
INPUTS = (Matrix, Vector, Scalar)
MOST_RECORDINGS = 64  # per function; for more kinds of arguments, the oldest recordings are dropped
MOST_CALLS = 4  # kinds of calls that are recognized without a key, for calls that alternate


def program(function: Callable[Parameters, Result]) -> RecordedFunction[Parameters, Result]:
    """Record a function once for each kind of arguments, and run the recording at later calls.

    Matrices, Vectors and Scalars among the arguments are inputs: a later call may pass others of the same types and
    backend. Other shapes share the recording, unless the function looks at the number of a size. All other arguments
    are static: they must be hashable, and another value is another recording. The function may change its inputs,
    create objects, contain loops (:func:`loop`) and conditions (:func:`when`), and return inputs, new objects, or
    tuples of them. It is recorded without values, so it cannot read any. It can change only objects that it created or
    received.

    Parameters
    ----------
    function : callable
        The function to record.

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> @gb.program
    ... def reached(A, frontier):
    ...     visited = gb.Vector(bool, A.nrows)
    ...     for _ in gb.loop(frontier):
    ...         visited(frontier.S) << True
    ...         frontier(~visited.S, replace=True) << gb.semiring.lor_land(frontier @ A)
    ...     return visited
    >>> A = gb.Matrix.from_coo([0, 1, 3], [1, 2, 0], True, nrows=4, ncols=4)
    >>> for source in (1, 3):
    ...     print(reached(A, gb.Vector.from_coo([source], [True], size=4)).to_coo()[0])
    [1 2]
    [0 1 2 3]
    >>> reached.recordings
    1
    """
    return RecordedFunction(function)


class RecordedFunction(Generic[Parameters, Result]):
    """A function with recordings: the result of ``gb.program``. ``recordings`` counts those of this thread."""

    def __init__(self, function: Callable[Parameters, Result]) -> None:
        self.function = function
        self._local = threading.local()  # per thread: the formal objects of a recording serve one call at a time
        update_wrapper(self, function)

    @property
    def recordings(self) -> int:
        return sum(each is not None for each in self._recorded().values())

    def _recorded(self) -> dict[Hashable, Recording | None]:
        try:
            return self._local.recorded
        except AttributeError:
            self._local.recorded = {}
            return self._local.recorded

    def clear(self) -> None:
        """Delete this thread's recordings."""
        self._recorded().clear()
        self._local.calls = ()

    def __get__(self, instance: Any, owner: object = None) -> Self | partial[Result]:
        return self if instance is None else partial(self, instance)

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        if config["loops"] == "iterated" or (recording.active and recording.current() is not None):
            return self.function(*args, **kwargs)  # iterated, or a part of an outer recording
        given: tuple[Any, ...] = (*args, *kwargs.values()) if kwargs else args
        calls: tuple[_KnownCall, ...] = getattr(self._local, "calls", ())
        for at, call in enumerate(calls):
            same = call.inputs_of(given, kwargs)
            if same is not None and not call.recording.running:
                if at:  # the next call is likely of the same kind
                    self._local.calls = (call, *calls[:at], *calls[at + 1 :])
                return call.recording.run(same)
        inputs: list[Handle] = []
        key: list[object] = [current_engine(), *kwargs]
        for arg in given:
            kind: type = type(arg)
            if kind in INPUTS:
                key += kind, arg.dtype, arg._engine
                inputs.append(arg)
            else:
                key.append(_static(arg))
        repeated = _repeated(inputs)
        if repeated:  # the key says which inputs are the same object
            key.append(tuple(next(n for n, other in enumerate(inputs) if other is one) for one in inputs))
        shapes = [arg.shape for arg in inputs]
        try:
            found = self._found((True, pattern(shapes), *key), args, kwargs, inputs, Sizes(shapes))
        except TypeError:
            name = self.function.__name__
            raise TypeError(f"{name}: an argument is neither an input (Matrix, Vector, Scalar) nor hashable") from None
        if found is None:  # the function looks at sizes
            found = self._found((False, tuple(shapes), *key), args, kwargs, inputs, None)
            assert found is not None
        if found.running:
            return self.function(*args, **kwargs)  # a recursive call, perhaps from an operator
        if not repeated:
            self._local.calls = (_KnownCall(found, given, kwargs), *calls[: MOST_CALLS - 1])
        return found.run(inputs)

    def _found(
        self, key: tuple, args: tuple, kwargs: dict[str, Any], inputs: list[Handle], sizes: Sizes | None
    ) -> Recording | None:
        """The recording for this key, made now if there is none. With ``sizes``, it serves all that are as different:
        None if the function looks at one."""
        recorded = self._recorded()
        try:
            return recorded[key]
        except KeyError:
            pass
        if len(recorded) >= MOST_RECORDINGS:
            del recorded[next(iter(recorded))]
        found: Recording | None
        try:
            found = Recording(self.function, args, kwargs, inputs, sizes)
        except Exception:
            if sizes is None:
                raise
            found = None  # the error may be about a Size: sizes as numbers give the function's own
        if sizes is not None and sizes.seen:
            found = None
        recorded[key] = found
        return found


class _KnownCall:
    """The kinds of the arguments of a call: most later calls match them, which needs no key."""

    __slots__ = ("_alike", "_count", "_engine", "_inputs", "_names", "_static", "recording")

    def __init__(self, recording: Recording, args: Sequence[Any], names: Iterable[str]) -> None:
        self.recording = recording
        self._engine = current_engine()
        self._count, self._names = len(args), list(names)
        numbered = list(enumerate(args))
        self._inputs = [(n, type(x), x.dtype, x._engine, x.shape) for n, x in numbered if type(x) in INPUTS]
        self._static = [(n, x) for n, x in numbered if type(x) not in INPUTS]
        self._alike = len({kind for _, kind, *_ in self._inputs}) < len(self._inputs)  # two inputs could be one object

    def inputs_of(self, args: Sequence[Any], names: Collection[str]) -> list[Handle] | None:
        """The inputs among the arguments, if all have these kinds, static ones are equal, and no input occurs twice.

        ``names`` are those of the last arguments, which are passed by keyword.
        """
        if len(args) != self._count or current_engine() is not self._engine:
            return None
        if (names or self._names) and list(names) != self._names:
            return None
        for n, given in self._static:  # first, because alternating calls differ in these
            arg = args[n]
            if arg is given:
                continue
            kind = type(arg)
            if kind is not type(given) or kind in INPUTS:
                return None
            if arg != given if kind is str else _static(arg) != _static(given):
                return None
        inputs: list[Handle] = []
        for n, kind, dtype, engine, shape in self._inputs:
            arg = args[n]
            if type(arg) is not kind or arg.dtype is not dtype or arg._engine is not engine:
                return None
            if arg.shape != shape:
                return None
            inputs.append(arg)
        return None if self._alike and _repeated(inputs) else inputs


class Recording:
    """The recorded operations of a function on inputs of one kind."""

    def __init__(
        self, function: Udf, args: Sequence[object], kwargs: dict[str, Any], inputs: list[Handle], sizes: Sizes | None
    ) -> None:
        self.running = False
        shapes = [one.shape if sizes is None else sizes.of(one.shape) for one in inputs]
        formal = {id(one): handles.formal(one, shape) for one, shape in zip(inputs, shapes, strict=True)}
        self.formals = [formal[id(one)] for one in inputs]
        engine = inputs[0]._engine if inputs else current_engine()
        rounds, results = [], []
        for sized in (False, True):  # twice, to check that a later call, and one with other sizes, would do the same
            for one, shape in zip(self.formals, shapes, strict=True):
                if one.ndim:
                    one._shape = shape if sized else numbers_of(shape)
            recorder = FunctionRecorder(function, self.formals, engine)
            recording.begin(recorder)
            try:
                results.append(
                    function(
                        *(formal.get(id(arg), arg) for arg in args),
                        **{name: formal.get(id(arg), arg) for name, arg in kwargs.items()},
                    )
                )
            finally:
                recorder.stop()
            rounds.append(recorder.complete())
            if len(rounds) == 1:
                recorder.forget()  # it refers to frames, which refer to it
        result: Any = results[-1]
        returned = list(_returned_objects(function, result))
        seen = sizes is not None and sizes.seen
        _check_the_same(function, rounds, [list(_returned_objects(function, each)) for each in results])
        if sizes is not None:
            sizes.seen = seen  # comparing sizes with numbers looks at them
        unseen = frozenset(recorder.made) - set(map(id, returned))
        self.program = recorder.program()._replace(unseen=unseen)
        self._made = recorder.begun
        self._given = [(n, one) for n, one in enumerate(self.formals) if one.ndim]
        self._given_scalars = [(n, one) for n, one in enumerate(self.formals) if not one.ndim]
        self._written = [(n, one) for n, one in self._given if id(one) in recorder.written]
        self._written_scalars = [(n, one) for n, one in self._given_scalars if id(one) in recorder.written]
        self._new: Any = None
        self._engine = recorder.engine
        numbers = {id(one): n for n, one in enumerate(self.formals)}
        self._numbers, self._result = numbers, result
        self._makes_result = type(result) in INPUTS and id(result) not in numbers
        for one in returned:
            if recorder.is_conditional(one):
                raise LoopError(f"{function.__name__} returns an object made in a loop or `when` that may not run")
            if id(one) not in numbers and id(one) not in recorder.written:
                if id(one) not in recorder.made:
                    raise LoopError(f"{function.__name__} returns {one.name}, which it neither made nor was given")
                self._made.append((one, handles.contents(one)))
        recorder.forget()
        every = (*self.formals, *(made for made, _ in self._made))
        self._collections = [one for one in every if one.ndim]
        self._scalars = [one for one in every if not one.ndim]
        self._sized = None if sizes is None else SizedHandles(self.program, every, self._made, sizes)
        self._empty = [(one, initial) for one, initial in self._made if handles.is_empty_list(initial)]
        self._made = [(one, initial) for one, initial in self._made if not handles.is_empty_list(initial)]
        self._release()
        self._prepared: dict[tuple[Shape, ...], tuple[list[Callable[[], object]], Whole | None]] = {}
        self._shapes: list[Shape] = []  # of the last call

    def _resize(self, shapes: list[Shape]) -> None:
        """Give all objects the shapes that they have in a call with arguments of these, and select their plan."""
        if self._sized is not None:
            self._sized.resize(shapes)
        self._shapes, key = shapes, tuple(shapes)
        if key not in self._prepared:
            if len(self._prepared) >= MOST_RECORDINGS:
                del self._prepared[next(iter(self._prepared))]
            steps = _steps(self.program, self._engine, self._make_result)
            # the whole function at once: its loops, and the nodes between them
            whole = self._engine.runs_functions and len(steps) > 1
            self._prepared[key] = steps, Whole(self.program, self._engine, self._make_result) if whole else None
        self._steps, self._whole = self._prepared[key]

    def run(self, inputs: Sequence[Any]) -> Any:
        self.running = True
        try:
            shapes = [one.shape for one in inputs]
            if shapes != self._shapes:
                self._resize(shapes)
            for n, one in self._given:
                one._stored = inputs[n]._store
            for n, one in self._given_scalars:
                one._content = inputs[n]._content
            for one, initial in self._empty:
                one._stored = handles.empty_list(initial, one._shape[0])
            for one, initial in self._made:
                handles.begin(one, initial)
            try:
                if self._whole is None or not self._whole.runs():
                    for step in self._steps:
                        step()
            finally:  # also after an error: keep the changes so far
                for n, one in self._written:
                    inputs[n]._stored = one._stored
                for n, one in self._written_scalars:
                    inputs[n]._content = one._content
            if not self._makes_result:
                return self._returned(self._result, inputs, {})
            new = self._new
            if new is None:
                return handles.same(self._result)
            new._stored = self._result._stored
            return new
        finally:
            self.running = False
            self._release()

    def _make_result(self) -> None:
        """Create the Vector or Matrix that this call returns; it gets its contents at the end."""
        if self._makes_result and self._result.ndim:
            self._new = handles.same(self._result)

    def _release(self) -> None:
        """Release all contents between calls."""
        self._new = None
        for one in self._collections:
            one._stored = None
        for one in self._scalars:
            one._content = None

    def _returned(self, result: object, inputs: Sequence[object], new: dict[int, object]) -> object:
        """The result of a call; an object that occurs twice in it is created once, in ``new``."""
        kind = type(result)
        if kind in INPUTS:
            number = self._numbers.get(id(result))
            if number is not None:
                return inputs[number]
            if id(result) not in new:
                new[id(result)] = handles.same(result)
            return new[id(result)]
        if isinstance(result, tuple):
            parts = [self._returned(part, inputs, new) for part in result]
            return tuple(parts) if kind is tuple else kind(*parts)
        return result


class FunctionRecorder(Recorder):
    """The recorder of a function's body, which runs without values."""

    def __init__(self, function: Udf, formals: Sequence[object], engine: Engine) -> None:
        super().__init__(None, engine, sys._getframe(), None, False)
        self._caller: FrameType | None = sys._getframe(1)
        self._bodies[0].number = -1  # its first loop is not an inner loop
        self.begin_round()
        self._name = function.__name__
        self._code: CodeType | None = getattr(function, "__code__", None)
        self._formals = {id(one): one for one in formals}
        self.begun: list[tuple[Any, Any]] = []  # objects that the function creates, with their initial contents

    @property
    def made(self) -> dict[int, Handle | Count]:
        return self._bodies[0].round.made

    @property
    def frame(self) -> FrameType:
        """The current frame of the function."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code is not self._code:
            frame = frame.f_back
        return frame or sys._getframe(1)

    def is_over(self) -> bool:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame is not self._caller:
            frame = frame.f_back
        return frame is None

    def stop(self) -> None:
        super().stop()
        self._caller = None

    def record(self, node: Node) -> bool:
        out = node.out
        if id(out) not in self._formals and id(out) not in self.made:
            self._error(f"{self._name} changes {out.name}, which it neither made nor was given: make it an argument")
        if id(out) not in self.written and id(out) in self.made:
            self.begun.append((out, handles.contents(out)))
        self._frame = self.frame
        if len(self._bodies) > 1:
            return super().record(node)
        self._check_objects(node)
        self._note(node_of((*as_recorded(node)[:-1], self._frame.f_lasti)))
        return True

    def changes(self, obj: Tensor) -> bool:
        return id(obj) in self._formals or super().changes(obj)

    def new(self, out: Tensor) -> None:
        self._make(out)
        if len(self._bodies) > 1:  # created again at every step
            self._frame = self.frame
            super().new(out)

    def new_scalar(self, out: Handle) -> None:
        self._make(out)
        if len(self._bodies) > 1:
            self._frame = self.frame
            super().new_scalar(out)

    def read(self, what: str, obj: object = None) -> None:
        name = "" if obj is None else f" of {self.spelled(obj)}"
        self.refuse(f"{what}{name}, which is not known when {self._name} is recorded,")

    def refuse(self, what: str) -> NoReturn:
        self._error(f"{what} in a program")
        raise AssertionError

    def _error(self, message: str, line: int | None = None) -> None:
        self._frame = self.frame
        super()._error(message, line)

    def enter(self, loop: Loop, frame: FrameType, code: BodyCode) -> None:
        self._frame = self.frame
        super().enter(loop, frame, code)

    def end_round(self) -> bool:
        self._frame = self.frame
        return super().end_round()

    def leave(self, finished: bool) -> None:
        self._frame = self.frame
        super().leave(finished)

    def forget(self) -> None:
        super().forget()
        self._formals, self.begun, self._caller = {}, [], None

    def complete(self) -> Round:
        """The recorded round of the function, for comparison with a second recording."""
        round = self._bodies[0].round
        round.complete(inside=False)
        return round

    def program(self) -> Program:
        if self._left is not None:
            raise LoopError(f"{self._name}:{self._left}: `break` in a loop of a program")
        round = self._bodies[0].round
        return Program(tuple(round.nodes), None, 1, round.count, self._code)


def _check_the_same(function: Udf, rounds: Sequence[Round], results: Sequence[Sequence[object]]) -> None:
    """Raise a LoopError if the two recordings of a function differ."""
    code, line = getattr(function, "__code__", None), 0
    try:
        steady = compare(rounds)
        if steady is None or not steady.is_plain or len(set(map(len, results))) > 1:
            raise Difference(None, "it uses or returns other objects than the first time")
    except Difference as difference:
        if difference.node is not None and code is not None:
            line = line_of(code, difference.node.place)
        raise LoopError(
            f"{getattr(code, 'co_filename', '?')}:{line}: {function.__name__} does something else the second time "
            f"({difference}), and a program is recorded once: give what changes as an argument"
        ) from None


def _steps(function: Program, engine: Engine, meanwhile: Callable[[], None]) -> list[Callable[[], object]]:
    """The callables that run the nodes. The engine runs a function that is a single loop as in :class:`.loop.Loop`."""
    if len(function.nodes) == 1 and function.nodes[0].op is ops.LOOP:
        (loop,) = function.nodes[0].operands
        loop = loop._replace(unseen=function.unseen)
        if engine.runs_loops and unfusable_reason(loop) is None:
            as_a_whole, repeated = engine.prepare(loop, meanwhile), interpreter.Repeated(loop, engine)
            return [lambda: as_a_whole() is None and repeated()]
    return [interpreter.runner(node) for node in function.nodes]


def _repeated(inputs: Sequence[object]) -> bool:
    """Whether an object occurs twice among the inputs."""
    return len(set(map(id, inputs))) < len(inputs)


def _static(arg: object) -> tuple[type, object]:
    """A static argument as a key that separates 1 from 1.0, and 0.0 from -0.0, also inside tuples and sets."""
    kind = type(arg)
    if isinstance(arg, (tuple, frozenset)):
        parts = map(_static, arg)
        return kind, frozenset(parts) if kind is frozenset else tuple(parts)
    return kind, repr(arg) if isinstance(arg, (float, complex, np.inexact)) else arg


def _returned_objects(function: Udf, result: object) -> Iterator[Any]:
    """The objects in a result; all other parts must be constants."""
    if type(result) in INPUTS:
        yield result
    elif isinstance(result, tuple):
        for part in result:
            yield from _returned_objects(function, part)
    elif getattr(result, "_role", None) is not None:
        raise LoopError(f"{function.__name__} returns an expression: .new() makes an object of it")
    elif not isinstance(result, Hashable):
        raise LoopError(f"{function.__name__} returns a {type(result).__name__}: inputs, new objects or tuples of them")
