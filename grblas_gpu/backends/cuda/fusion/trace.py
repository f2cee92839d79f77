"""What a loop on the device tells about its products: a row of numbers for each, written by the kernel."""

from __future__ import annotations

from typing import Any

from ....trace.records import Record, current
from .program import TRACED

ROW = 8  # start, push, entries, edges, open rows, end, result


def records_of(run: Any, seconds: float) -> None:
    """Add a record for every product of every step to the current trace."""
    collector = current()
    assert collector is not None
    numbers = run.report.numbers
    steps = min(int(numbers[2]), TRACED)
    products = [step for step in run.program.body_steps if step.kind in ("vxm", "mxv")]
    rows = run.traced[: ROW * steps * len(products)].get().reshape(steps, len(products), ROW)  # synchronizes
    for step, lines in enumerate(rows):
        for product, line in zip(products, lines.tolist(), strict=True):
            start, push, entries, edges, allowed, end, result, _ = line
            direction = "push" if push else "pull"
            collector.records.append(
                Record(
                    product.kind,
                    (end - start) * 1e-9,
                    result,
                    "push.scatter" if push else "pull.hybrid",
                    f"step {step} of a loop on the device, {seconds * 1e3:.3g} ms in all",
                    direction,
                    input_nvals=entries,
                    input_edges=edges,
                    allowed=allowed,
                )
            )
