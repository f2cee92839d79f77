"""Trace records of the products of a compiled loop."""

from __future__ import annotations

from ....plan import rules
from ....trace.records import Record, current
from ...programs.requests import PUSH
from . import context as c
from .analyse import PULL
from .memory import Memory


def record(memory: Memory, at: int, seconds: float, reuses: bool) -> None:
    """Add a product that has run to the current trace, with the planner's reason for its facts."""
    collector = current()
    if collector is None:
        return
    S, step, product = memory.S, memory.facts.steps[at], memory.facts.products[at]
    mask, u, edges, allowed = step.mask, product.operand, int(S[c.EDGES]), int(S[c.ALLOWED])
    rows, nvals, entries = memory.get("rows", at), memory.get("nvals", at), memory.count(u)
    named = mask is not None and not mask.complement
    reused = 0 if not reuses else allowed if named else rows - allowed
    facts = rules.Facts(
        nrows=rows,
        nvals=nvals,
        u_size=memory.sizes[u],
        u_nvals=entries,
        u_dense=bool(memory.get("dense", u)),
        u_edges=lambda: edges,
        u_edges_at_most=nvals,
        allowed=allowed,
        mask_sparse=mask is not None and named and bool(memory.get("listed", mask.vector)),
        terminal=product.terminal,
        edges_before=memory.get("checked", u),
        named_rows=named,
        reused=reused,
    )
    reason = rules.BY_ROWS if product.by_rows else rules.choose_matvec(facts, step.desc).reason
    collector.records.append(
        Record(
            step.kind.value,
            seconds,
            int(S[c.COUNT]),
            PUSH if S[c.PUSH] else PULL,
            f"{reason}; step {int(S[c.STEP])} of a compiled loop",
            "push" if S[c.PUSH] else "pull",
            input_nvals=entries if S[c.PUSH] or not reuses else reused,
            input_edges=edges,
            mask_nvals=None if mask is None else memory.count(mask.vector),
            allowed=allowed,
        )
    )
