"""Whether a loop is worth compiling: that takes seconds, once; later processes load what this one compiled.

As for single operations (``cpu/tier.py``), every loop keeps account of the work that went past it.
"""

from __future__ import annotations

from math import inf

from ....ir.ops import CONTROL, GATHER, SCATTER
from ....ir.program import Program
from .. import tier

STEP_WORK = 1_000  # what a step counts for, in addition to the entries that there are
SMALL = 20_000  # entries; with fewer, the first steps are done before a loop would have begun as a whole
FIRST_STEPS = 32
REPEATED = 4  # steps of a loop that runs again and again, for which it is as good as one by one
LOAD_WORK = 100_000  # what pays for loading machine code from disk
COMPILE_WORK = 2_000_000  # ... for compiling

NODE_WORK = 20_000  # entries that are gone over in the time that Python takes for a node: all that a long loop saves
FEW_NODES = 4  # of which machine code is made in that time; for more it grows faster than they do
MOST_NODES = 56  # of which it is made unasked: for more it takes minutes

LONG = frozenset((*CONTROL, GATHER, SCATTER))

NOT_YET, LOAD, COMPILE = range(3)
_done: dict[tuple[int, int], int] = {}  # by the place of a loop in the code


def level(program: Program, first: int, before: int = 0) -> int:
    """What pays for a loop, of which so many steps have been run: nothing yet, loading, or compiling.

    A loop that is repeated had so many steps ``before``, the last time.
    """
    chosen = tier.get_tier()
    if chosen != "auto":
        return COMPILE if chosen == "numba" else NOT_YET
    entries, compiling = _entries(program), float(COMPILE_WORK)
    if _is_long(program):
        nodes = len(program.flat)
        entries = min(entries, NODE_WORK * nodes)
        compiling *= max(1.0, nodes / FEW_NODES) ** 1.5 if nodes <= MOST_NODES else inf
    key = _key(program)
    _done[key] = _done.get(key, 0) + STEP_WORK * (FIRST_STEPS if first else before or 1) + entries * (not first)
    done = _with_loops_inside(program)
    if (entries < SMALL and first + before < (REPEATED if before else FIRST_STEPS)) or done < LOAD_WORK:
        return NOT_YET
    return COMPILE if done >= compiling else LOAD


def _key(program: Program) -> tuple[int, int]:
    return id(program.code), program.nodes[0].place if program.nodes else 0


def _with_loops_inside(program: Program) -> int:
    """The work that went past a loop, and past those in it as long as these were not machine code of their own."""
    inside = (_with_loops_inside(node.operands[0]) for node in program.nodes if node.op in CONTROL)
    return _done.get(_key(program), 0) + sum(inside)


def _is_long(program: Program) -> bool:
    """Whether compiling takes ten seconds and more, which many steps pay for, but not a few, however large."""
    return any(node.op in LONG for node in program.nodes)


def _entries(program: Program) -> int:
    """Entries of the matrices and positions of the vectors that a step may go over."""
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
