"""Whether a loop is worth compiling: that takes seconds, once; later processes load what this one compiled.

Loading a loop takes no longer than loading the kernels of its nodes, so every loop counts the work that it would have
saved, as single operations do (``cpu/tier.py``). Compiling waits until the nodes have run long enough one by one: it
saves only the Python time between them, and the number of future runs is unknown.
"""

from __future__ import annotations

from math import inf
from time import perf_counter

from ....ir.ops import CONTROL
from ....ir.program import Program
from .. import compile, tier

STEP_WORK = 1_000  # work of a step, in addition to its entries
SMALL = 20_000  # entries; with fewer, the first steps end before a fused loop would have started, unless they are loops
FIRST_STEPS = 32
REPEATED = 4  # steps of a repeated loop up to which running node by node is as fast
LOAD_WORK = 100_000  # work that pays for loading machine code from disk

FEW_SECONDS = 2.0  # seconds to compile a loop of few nodes; the time grows faster than the number of nodes
FEW_NODES = 4
MOST_NODES = 56  # auto-compile limit: compiling more nodes takes minutes
SHARE = 0.25  # share of the compile time, spent node by node, from which compiling pays off: later processes gain, too
STEADY = 4.0  # times the last pace is the slowest that counts: slower runs wait for imports, transposes, kernels
LEAST = 1e-5  # seconds of a run, at least, if another thread waited for kernels meanwhile

NOT_YET, LOAD, COMPILE = range(3)
Place = tuple[int, int]  # of a loop in the code
_done: dict[Place, int] = {}
_began: dict[Place, tuple[float, float, int]] = {}  # of nodes one by one: when, seconds for kernels by then, and steps
_spent: dict[Place, tuple[float, float]] = {}  # seconds that they took, and for a step the last time


def level(program: Program, first: int, before: int = 0) -> int:
    """The tier of a loop after so many steps: node by node, loading, or compiling.

    A repeated loop had so many steps ``before``, in its last run.
    """
    chosen = tier.get_tier()
    if chosen != "auto":
        return COMPILE if chosen == "numba" else NOT_YET
    if first:
        end(program)
    entries, place = _entries(program), _place(program)
    _done[place] = _done.get(place, 0) + STEP_WORK * (FIRST_STEPS if first else before or 1) + entries * (not first)
    _began[place] = perf_counter(), compile.seconds(), first
    few = not any(node.op in CONTROL for node in program.nodes) and first + before < (
        REPEATED if before else FIRST_STEPS
    )
    if (few and entries < SMALL) or _with_loops_inside(program) < LOAD_WORK:
        return NOT_YET
    spent, _ = _spent.get(place, (0.0, 0.0))
    return COMPILE if spent >= SHARE * seconds_to_compile(len(program.flat)) else LOAD


def end(program: Program) -> None:
    """Count the time of running node by node since the call of :func:`level`; the first run does not count."""
    place = _place(program)
    began = _began.pop(place, None)
    if began is None:  # another thread began another run of the same loop
        return
    when, waited, first = began
    steps = max(1, int(program.count.step) - first)
    pace = max(LEAST, perf_counter() - when - (compile.seconds() - waited)) / steps
    if place not in _spent:
        _spent[place] = 0.0, pace
        return
    spent, last = _spent[place]
    pace = min(pace, STEADY * last)
    _spent[place] = spent + steps * pace, pace


def seconds_to_compile(nodes: int) -> float:
    """About: 9 for 11 nodes, 43 for 31, 94 for 52."""
    return FEW_SECONDS * max(1.0, nodes / FEW_NODES) ** 1.5 if nodes <= MOST_NODES else inf


def _place(program: Program) -> Place:
    return id(program.code), program.nodes[0].place if program.nodes else 0


def _with_loops_inside(program: Program) -> int:
    """The work of a loop that ran node by node, and of its inner loops unless these were compiled."""
    inside = (_with_loops_inside(node.operands[0]) for node in program.nodes if node.op in CONTROL)
    return _done.get(_place(program), 0) + sum(inside)


def _entries(program: Program) -> int:
    """Entries of the matrices and positions of the vectors that a step may visit."""
    total = 0
    for node in program.nodes:
        if node.op in CONTROL:
            total += _entries(node.operands[0])
            continue
        if node.out.ndim:
            total += node.out._size
        for x in node.operands:
            if getattr(x, "ndim", 0) == 2:
                total += (x._matrix if x._is_transposed else x)._store.nvals
    return total
