"""Trace records of the products of a compiled loop."""

from __future__ import annotations

from typing import Any

from ....plan import rules
from ....trace.records import Record, current
from ...programs.requests import PUSH
from ...programs.terms import BodyStep
from .analyse import PULL, Product


def trace_iterated(why: str) -> None:
    """A loop that cannot run as a whole is repeated, one node after another."""
    if (collector := current()) is not None:
        collector.records.append(Record("loop", 0.0, 0, "iterated", why))


def record(
    step: BodyStep,
    product: Product,
    seconds: float,
    *,
    steps: int,
    result: int,
    push: bool,
    entries: int,
    size: int,
    edges: int,
    allowed: int,
    rows: int,
    nvals: int,
    mask_nvals: int | None,
    mask_listed: bool,
    before: int,
    dense: bool,
    reuses: bool,
) -> None:
    """Add a product to the current trace, with the planner's reason for these facts."""
    collector = current()
    if collector is None:
        return
    mask: Any = step.mask
    reused = 0 if not reuses else rows - allowed if mask.complement else allowed
    facts = rules.Facts(
        nrows=rows,
        nvals=nvals,
        u_size=size,
        u_nvals=entries,
        u_dense=dense,
        u_edges=lambda: edges,
        u_edges_at_most=nvals,
        allowed=allowed,
        mask_sparse=mask is not None and not mask.complement and mask_listed,
        terminal=product.terminal,
        edges_before=before,
        named_rows=mask is not None and not mask.complement,
        reused=reused,
    )
    reason = rules.BY_ROWS if product.by_rows else rules.choose_matvec(facts, step.desc).reason
    collector.records.append(
        Record(
            step.kind.value,
            seconds,
            result,
            PUSH if push else PULL,
            f"{reason}; step {steps} of a compiled loop",
            "push" if push else "pull",
            input_nvals=entries if push or not reuses else reused,
            input_edges=edges,
            mask_nvals=mask_nvals,
            allowed=allowed,
        )
    )
