"""Loops as the engine runs them: lowered, compiled once, and run as one kernel; or why that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from ....ir.ops import CONTROL
from ....ir.program import Program
from ....trace.records import iterated
from ...programs.lower import Body, located, lower
from ...programs.requests import trace_ignored_options
from ...programs.terms import Unfusable
from ...programs.whole import LATER
from ...protocol import Backend
from ..runtime.reporting import failed
from .compiled import Compiled
from .emit import kernel_of
from .emit_teams import LONGEST_SHARED
from .one_run import Run, Wrong

_programs: dict[Hashable, Compiled | tuple[str, int | None]] = {}  # or why there is none: see Unfusable


class Loops(Backend):
    """What makes an engine run whole loops."""

    runs_loops = runs_functions = shares_copies = True
    longest_in_any_order = LONGEST_SHARED

    def run_loop(self, program: Program, first: int = 0) -> int | None:
        """Run a loop on the device; the number of its steps, or None if this body cannot run as one kernel."""
        return None if first else Prepared(program)()  # at once or never

    def prepare(self, program: Program, meanwhile: Callable[[], None] | None = None) -> Prepared:
        return Prepared(program, meanwhile)


class Prepared:
    """A loop, and what was found out about it when it ran the last time."""

    __slots__ = ("_body", "_compiled", "_may_wait", "_meanwhile", "_program")

    def __init__(self, program: Program, meanwhile: Callable[[], None] | None = None) -> None:
        self._program = program
        self._meanwhile = meanwhile
        self._body: Body | None = None
        # A function without loops is not worth waiting for a compiler.
        self._may_wait = program.condition is None and not any(node.op in CONTROL for node in program.nodes)

    def __call__(self) -> int | None:
        program, body, run = self._program, self._body, None
        try:
            if body is None or not body.refresh():
                self._body = None  # until its kernel is known: an error or an interrupt may come before
                body = lower(program, nested=True)
                self._compiled = _compiled(body, begin=not self._may_wait)
                self._body = body
            compiled = self._compiled
            if isinstance(compiled, tuple):
                self._iterated(*compiled)
                return None
            if self._may_wait and not compiled.is_there(body.matrices):
                iterated("its kernel is not compiled yet", "function")
                return LATER
            limit = program.limit
            run = Run(compiled, body, 2**62 if limit is None else limit, self._meanwhile)
            steps = run.result()
            trace_ignored_options(program)
            return steps
        except Unfusable as reason:
            self._iterated(str(reason), reason.number)
            return None
        except BaseException as error:
            more = failed("run_loop", error)
            if isinstance(error, Wrong):
                raise error.error(program) from None
            if more is None or run is not None:  # or it had memory for its vectors and began
                raise
        with more:  # without the arrays that the error kept alive
            return self()

    def _iterated(self, why: str, number: int | None) -> None:
        """The nodes are run one by one. Of a function, its loops will say why."""
        if self._program.condition is not None:
            iterated(located(self._program, why, number))


def _compiled(body: Body, begin: bool) -> Compiled | tuple[str, int | None]:
    """The kernel of a body, or why there is none."""
    key = body.key, body.unseen
    compiled = _programs.get(key)
    if compiled is None:
        try:
            compiled = Compiled(kernel_of(body), len(body.constants))
            if begin:
                compiled.begin(body.matrices)
        except Unfusable as reason:
            compiled = str(reason), reason.number
        _programs[key] = compiled
    return compiled
