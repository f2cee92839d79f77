"""Push or pull, and how: the text that decides it, before every product, by what the operand has by then.

The rules themselves are in ``direction.py``; here is what they are told.
"""

from __future__ import annotations

from ...programs.requests import direction_of
from ...programs.terms import BodyStep
from .direction import policy_of
from .emit_context import Context, filled
from .emit_product_names import Names, adds_up_marked
from .emit_traced import noted_begin
from .items import Product

FEW = 64  # edges for so many rows that a search has not seen: what a pull finds then is listed


def plan_text(context: Context, item: Product, step: BodyStep, names: Names) -> str:
    """Push or pull, and how."""
    space, U, W, nvals = names.space, f"S.s{item.operand}", f"S.s{item.out}", names.nvals
    # The list of a pull leaves old values elsewhere.
    few = f"unseen * {FEW} < rows" if _searches(step) and filled(context.facts.slots[item.out]) == "false" else "false"
    sortable = context.word("sort", "capacity") if "push.sort" in context.facts.strategies[item.step] else "0"
    scans = f"{space}::scans(edges, edges_before, double({nvals}))"
    in_shared = fits_shared(context, item) if item.in_shared else "false"
    if item.in_shared and policy_of(step) != "cost":  # of which a pull takes longer than any of these levels
        in_shared += f" && push && !{scans}"
    idle = "" if direction_of(step) == "pull" else "entries == 0 || "  # a push of nothing costs nothing
    return (
        f"            double rows = double({names.nrows}), entries = double({U}.count), size = double({U}.size);\n"
        f"{edges_text(context, item, step, names)}"
        f"            bool push = {idle}{space}::pushes(edges, edges_before, unseen, entries, "
        f"double({U}.entries_before), size, {dense_text(item, step)}, double({nvals}), {names.open_rows}, rows);\n"
        f"            {space}::make_plan({U}, {W}, int64(edges), {sortable}, push, "
        f"{scans}, {few}, {in_shared}, {_marked(context, item, step, names)});\n"
        f"{noted_begin(context.facts, item, space, dense_text(item, step), f'int64({names.open_rows})')}"
    )


def _marked(context: Context, item: Product, step: BodyStep, names: Names) -> str:
    """Whether a pull gets a marked operand, by the most entries that it may look at: those of all open rows."""
    if not adds_up_marked(context.facts, item, step):
        return "false"
    matrix, transposed = context.columns_of(item.step)
    longest = context.of_matrix("longest", matrix, not transposed)
    return f"{names.space}::wants_marked(::fmin(unseen, ({names.open_rows}) * double({longest})), size)"


def edges_text(context: Context, item: Product, step: BodyStep, names: Names) -> str:
    """The edges that the rule goes by."""
    U, nvals = f"S.s{item.operand}", names.nvals
    # What a search has seen is closed: the open rows have the rest of the edges (if rows have as many as columns).
    unseen = f"::fmax(0.0, double({nvals} - {U}.edges_seen) - edges)" if _searches(step) else f"double({nvals})"
    return (
        f"            double edges = double({_edges(context, item, nvals)});\n"
        f"            double edges_before = double({U}.edges_before);\n"
        f"            double unseen = {unseen};\n"
    )


def _searches(step: BodyStep) -> bool:
    return step.mask is not None and step.mask.complement and step.mask.structure


def dense_text(item: Product, step: BodyStep) -> str:
    """Whether the operand counts as a dense one."""
    by_fill = step.desc is not None and step.desc.policy == "switchpoint"
    return f"(S.s{item.operand}.pulled != 0)" if by_fill else f"!S.s{item.operand}.listed"


def _edges(context: Context, item: Product, nvals: str) -> str:
    """Edges of the operand, counted when it was written, for the first product that reads it; else a guess."""
    first, U = context.facts.slots[item.operand].edges_of, f"S.s{item.operand}"
    if first is not None and context.columns_of(first) == context.columns_of(item.step):
        return f"{U}.edges"
    return f"({U}.count * ({nvals} / ({U}.size + 1) + 1))"


def fits_shared(context: Context, item: Product) -> str:
    """Whether a push may go on through several levels."""
    return f"({context.of_matrix('longest', *context.columns_of(item.step))} <= LONGEST_SHARED)"
