"""What a loop on the device tells about its products: a row of numbers for each, written by the kernel."""

from __future__ import annotations

from typing import Any

from ....trace.records import Record, current
from .direction import Seen, reason
from .requests import PULL, PUSH

#: The words of a row.
ROW = "start push entries edges allowed end result unseen edges_before dense".split()
TRACED = 65536  # steps of which a trace tells


def row_word(name: str) -> str:
    return f"row[{ROW.index(name)}]"


def trace_iterated(why: str) -> None:
    """A loop that cannot run as one kernel is repeated, one operation after another."""
    if (collector := current()) is not None:
        collector.records.append(Record("loop", 0.0, 0, "iterated", why))


def records_of(run: Any, seconds: float) -> None:
    """Add a record for every product of every step to the current trace."""
    collector = current()
    assert collector is not None
    program, sizes = run.program, run.room.all_sizes
    steps = min(int(run.report.numbers[2]), TRACED)
    products = [(program.body_steps[at], product) for at, product in program.products.items()]
    rows = run.traced[: len(ROW) * steps * len(products)].get().reshape(steps, len(products), len(ROW))  # synchronizes
    for number, lines in enumerate(rows):
        for (step, product), words in zip(products, lines.tolist(), strict=True):
            row = dict(zip(ROW, words, strict=True))
            matrix, vector, _ = program._product_operands(step)
            store = run.body.matrices[matrix.number]
            seen = Seen(
                row["entries"],
                row["edges"],
                row["edges_before"],
                row["unseen"],
                bool(row["dense"]),
                row["allowed"],
                sizes[vector.number],
                sizes[step.out],
                store.nvals,
            )
            why = reason(step.op, step.desc, product, seen)
            collector.records.append(
                Record(
                    step.kind,
                    (row["end"] - row["start"]) * 1e-9,
                    row["result"],
                    PUSH if row["push"] else PULL,
                    f"{why}; step {number} of a loop on the device, {seconds * 1e3:.3g} ms in all",
                    "push" if row["push"] else "pull",
                    input_nvals=row["entries"],
                    input_edges=row["edges"],
                    allowed=row["allowed"],
                )
            )
