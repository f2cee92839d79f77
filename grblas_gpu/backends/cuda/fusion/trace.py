"""What a loop on the device reports about its products: a row of numbers for each, written by the kernel."""

from __future__ import annotations

from typing import Any

from ....trace.records import ON_HOST, Record, current
from ...programs.requests import reuses_mask
from ...programs.steps import product_operands
from ...programs.terms import BodyStep
from ..runtime.host_memory import is_on_host
from .direction import STRATEGIES, Seen, reason
from .layout import REPORT, ROW

TRACED = 65536  # steps that a trace reports at most
SETTLES = 2  # in place of "in shared memory": several rounds at once (settling.py)


def _read(step: BodyStep, seen: Seen, push: bool) -> int:
    """How many entries a product read its operand from: those of the mask's vector, if a pull reused that."""
    if step.mask is None or push or not reuses_mask(step.desc, True):
        return seen.entries
    return seen.nrows - seen.allowed if step.mask.complement else seen.allowed


def records_of(run: Any, seconds: float) -> None:
    """Add a record for every product of every step to the current trace."""
    collector = current()
    assert collector is not None
    products, sizes = run.program.products, run.workspace.all_sizes
    steps = min(int(run.report.numbers[REPORT.at["tick"]]), TRACED)
    rows = run.traced[: ROW.size * steps * len(products)].get().reshape(steps, len(products), ROW.size)  # synchronizes
    for number, lines in enumerate(rows):
        for (step, product, strategies), words in zip(products, lines.tolist(), strict=True):
            row = dict(zip(ROW.at, words, strict=True))
            if not row["start"]:  # of a part that did not run then
                continue
            matrix, vector, _ = product_operands(step)
            store = run.body.matrices[matrix.number]
            known = (row[name] for name in Seen._fields[:-3])
            seen = Seen._make((*known, sizes[vector.number], sizes[step.out], store.nvals))
            why = reason(step, product, strategies, seen, bool(row["push"]))
            why += ON_HOST * is_on_host(store.once.indices)
            strategy = STRATEGIES[row["strategy"]]
            if row["in_shared"] == SETTLES:
                why = "in any order: what is found is multiplied again at once, for some hops"
            elif row["in_shared"]:  # whatever the rule says
                why = f"short, in shared memory ({why})"
            elif row["in_chain"]:
                why = "short rows, of the mask's entries, in one pass with what becomes of them"
            collector.records.append(
                Record(
                    step.kind.value,
                    (row["end"] - row["start"]) * 1e-9,
                    row["result"],
                    strategy,
                    f"{why}; step {number} of a loop on the device, {seconds * 1e3:.3g} ms in all",
                    strategy.partition(".")[0],
                    input_nvals=_read(step, seen, bool(row["push"])),
                    input_edges=row["edges"],
                    allowed=row["allowed"],
                )
            )
