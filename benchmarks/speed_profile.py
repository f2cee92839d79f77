"""Where the time of one call goes, by its trace: a table of the levels, and one of the kinds of operations.

A trace waits for each operation, so that its times add up to more than those of the call without one.
"""

from __future__ import annotations

from typing import Any

import grblas_gpu as gb

from .speed_case import Case
from .speed_kernels import Kernel
from .text_tables import Table

LEVELS = 16  # shown one by one


def profile(name: str, case: Case, kernel: Kernel, source: int) -> str:
    """Both tables of a call that was made before."""
    with gb.using(case.backend), gb.trace() as trace:
        kernel.run(case, source)
    levels = Table(f"{name}, from {source}: levels", "step,strategy,input,edges,open rows,output,ms,reason".split(","))
    steps = trace.steps()
    for k, step in enumerate(steps[:LEVELS]):
        sizes = step.input_nvals, step.input_edges, step.allowed, step.output_nvals
        levels.add(k, step.strategy, *sizes, step.seconds * 1e3, step.reason)
    if len(steps) > LEVELS:
        levels.notes.append(f"and {len(steps) - LEVELS:,} more")
    kinds: dict[tuple[str, str], list[float]] = {}
    for record in trace.records:
        kinds.setdefault((record.op, record.strategy), []).append(record.seconds * 1e3)
    operations = Table(f"{name}, from {source}: operations", ["operation", "strategy", "calls", "ms", "ms each"])
    rows: list[tuple[Any, ...]] = [(*kind, len(ms), sum(ms), sum(ms) / len(ms)) for kind, ms in kinds.items()]
    for row in sorted(rows, key=lambda row: -row[3]):
        operations.add(*row)
    return f"{levels}\n\n{operations}"
