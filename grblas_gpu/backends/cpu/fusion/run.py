"""Runs a recorded loop: its function is called until it is done, with large steps on all threads in between."""

from __future__ import annotations

from collections.abc import Hashable

from ....foundation.types import Engine
from ....ir.program import Program
from ....trace import records as trace
from ...interpreter import run as interpreter
from ...programs.lower import Body, located, lower
from ...programs.requests import trace_ignored_options
from ...programs.terms import Unfusable
from .. import background, compile, pool, tier
from ..parallel import PARALLEL_WORK
from . import context as c
from .emit import loop_text
from .memory import Memory
from .steps import Steps
from .tier import COMPILE, NOT_YET, level

LIGHT_PASS = 2**18  # positions; below it a pass is done before a second thread has begun
SLICE = 2**24  # entries after which the host gets a chance to interrupt: some tens of milliseconds
UNLIMITED = 2**62
MOST_POSITIONS = 2**24  # for vectors with any number of entries; larger ones need matching entries

_loops: dict[Hashable, Compiled | Unfusable] = {}  # or why it cannot be compiled


class Compiled:
    """The function of a loop, and those of its steps, made at their first use."""

    kernel: compile.Dispatcher = None  # once it is loaded
    looked = False  # whether machine code is on disk
    compilation: background.Compilation | None = None  # in another process

    def __init__(self, body: Body) -> None:
        self.text = loop_text(body)

    def load(self, level: int, body: Body) -> bool:
        """Whether it can be called now: compiling takes longer than loading."""
        if self.kernel is None:
            source = self.text.source
            if level < COMPILE and (self.looked or not compile.on_disk(*source)):
                self.looked = True
                return False
            if level == COMPILE and tier.in_background() and not self._compiled(source, body):
                return False
            self.kernel = compile.load(*source)
        return True

    def _compiled(self, source: compile.Source, body: Body) -> bool:
        """Whether machine code is on disk; if not, another process makes it."""
        lost = self.compilation is None or self.compilation.lost
        if lost and not compile.on_disk(*source):
            memory = Memory(self.text, body).load()
            arrays = [memory.arrays[name] for name in self.text.arguments]
            memory.release(False)
            try:
                self.compilation = background.begin(source, arrays)
            except (OSError, TypeError):  # no other process can do so: this one compiles
                return True
            return False
        return lost or self.compilation is None or self.compilation.done()


def run_loop(program: Program, first: int = 0) -> int | None:
    """Run a loop from a step on; the number of steps in all, or None if its nodes are to be run one by one."""
    found = _found(program, first, level(program, first))
    return None if found is None else _run(found[0], Memory(found[0].text, found[1]), program, first)


def _found(program: Program, first: int, pays: int) -> tuple[Compiled, Body] | None:
    """The function of a loop, if it exists or is worth compiling."""
    if pays == NOT_YET:
        if first == 0:
            trace.iterated("it had too little to do so far to be compiled")
        return None
    try:
        body = lower(program, nested=True)
        _check_sizes(body)
        compiled = _loops.get(body.key)
        if compiled is None:
            compiled = _loops[body.key] = _made(body)
        if isinstance(compiled, Unfusable):
            raise compiled
    except Unfusable as reason:
        if first == 0:
            trace.iterated(located(program, str(reason), reason.number))
        return None
    if compiled.load(pays, body):
        return compiled, body
    if first == 0 and compiled.compilation is not None:
        trace.iterated("its machine code is not compiled yet")
    return None


class Prepared:
    """A loop that runs repeatedly, and the results of its last checks."""

    __slots__ = ("_missing", "_program", "_ready", "_repeated", "_steps")

    def __init__(self, program: Program, engine: Engine) -> None:
        self._program, self._repeated = program, interpreter.Repeated(program, engine)
        self._ready: tuple[Compiled, Memory] | None = None  # one field: an interrupt sees both, or neither
        self._missing = False  # whether machine code was looked for on disk: another look takes a pass over the body
        self._steps = 0

    def __call__(self) -> int:
        program = self._program
        if self._ready is None or tier.get_tier() == "numpy" or not self._ready[1].body.refresh():
            pays = level(program, 0, self._steps)
            found = _found(program, 0, NOT_YET if self._missing and pays < COMPILE else pays)
            if found is None:
                self._missing |= pays != NOT_YET
                self._ready = None
                self._steps, _ = self._repeated()
                return self._steps
            self._ready = found[0], Memory(found[0].text, found[1])
        return _run(*self._ready, program, 0)


def _made(body: Body) -> Compiled | Unfusable:
    try:
        return Compiled(body)
    except Unfusable as reason:
        return reason


def _check_sizes(body: Body) -> None:
    if max(body.sizes, default=0) <= MOST_POSITIONS:
        return
    entries = sum(vector._store.nvals for vector in body.vectors) + sum(store.nvals for store in body.matrices)
    for size in body.sizes:
        if size > max(MOST_POSITIONS, 16 * entries):
            raise Unfusable(f"a vector of {size} positions, of which few have entries")


def _run(compiled: Compiled, memory: Memory, program: Program, first: int) -> int:
    """The number of steps. Also after errors the vectors and scalars are as the loop left them."""
    S, complete = memory.load().S, False
    S[c.STEP], S[c.LIMIT], S[c.BUDGET] = first, UNLIMITED if program.limit is None else program.limit, SLICE
    S[c.LIGHT], S[c.HEAVY] = (LIGHT_PASS, PARALLEL_WORK) if pool.threads() > 1 else (UNLIMITED, UNLIMITED)
    S[c.TRACED] = trace.current() is not None
    try:
        _repeat(compiled, memory, program)
        complete = True
    finally:
        memory.take(complete)
        memory.release(complete)
    memory.count_pulls()
    trace_ignored_options(program)
    return int(S[c.STEP])


def _repeat(compiled: Compiled, memory: Memory, program: Program) -> None:
    kernel, names, arrays, S = compiled.kernel, compiled.text.arguments, memory.arrays, memory.S
    steps = Steps(memory, kernel)
    while True:
        said = kernel(*[arrays[name] for name in names])
        memory.follow_swaps()
        if said == c.DONE:
            return
        if said == c.PAUSED:
            S[c.WORK] = 0
        elif said <= c.INTERPRET:
            _interpret(memory, program, c.INTERPRET - said)
        elif said >= c.TRANSPOSE:
            memory.transpose(memory.facts.products[said - c.TRANSPOSE].matrix)
        else:
            steps.run(said - 1)


def _interpret(memory: Memory, program: Program, number: int) -> None:
    """Run a node that the kernel does not support: an empty Scalar, or a row out of bounds."""
    memory.take(True)
    program.count.step = int(memory.S[c.STEP])
    memory.steps_inside(program)
    interpreter.execute(program.flat[number])
    memory.load_again()
    memory.S[c.AT] = (memory.S[c.AT] | 1) + 1  # after its step
