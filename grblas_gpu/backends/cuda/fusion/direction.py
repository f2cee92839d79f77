"""Push or pull: the planner's rules as C++ for the kernel, and their reasons on the host from what the kernel noted."""

from __future__ import annotations

import inspect
from typing import NamedTuple

import numpy as np

from ....foundation.types import TypedSemiring, Udf
from ....plan import rules
from ....plan.facts import ends_early
from ...machine.calibration import costs_of
from ...programs.requests import PUSH, Abilities, Sides, direction_of, looks_ahead
from ...programs.terms import BodyStep
from ..eager.mxv_product import Product
from ..runtime.translate import body as translated

#: The strategies that a loop has, numbered as in kernels/loop_operands.cuh.
STRATEGIES = tuple("push.scatter push.scan pull.thread pull.warp pull.hybrid pull.compact pull.edge push.sort".split())
_PULLS = frozenset(name for name in STRATEGIES if name.startswith("pull"))
ABLE = Abilities(frozenset(STRATEGIES), _PULLS, Sides(PUSH, "pull.hybrid"), asynchronous=True)

#: Whose rules need no more than what all threads know of a frontier in shared memory (schedule.py).
SHARED_POLICIES = ("cost", "edge-check")

HEAD = (
    "CALLABLE bool pushes(double edges, double edges_before, double unseen, double entries, double entries_before, "
    "double size, bool dense, double nvals, double allowed, double nrows) {\n"
)
SCANS = "DEVICE bool scans(double edges, double edges_before, double nvals) {\n"


class Seen(NamedTuple):
    """What a product saw when it was planned."""

    entries: int
    entries_before: int
    edges: int
    edges_before: int
    unseen: int
    dense: bool
    allowed: int
    size: int
    nrows: int
    nvals: int


def rule_text(step: BodyStep, product: Product, strategies: Sides) -> list[str]:
    """``pushes(...)``, the planner's rule, in C++; and ``scans(...)``: whether a push leaves no list."""
    if not (looks_ahead(step.desc) or _grows(step, product)):
        rule = [f"{HEAD}    return false;\n}}"] if has_no_push(step, strategies) else _rule(step, product)
        return [*rule, f"{SCANS}    return false;\n}}"]
    names = list(inspect.signature(rules.edge_check_scans).parameters)
    return [*_rule(step, product), f"{SCANS}{translated(rules.edge_check_scans, names, np.dtype(bool))}}}"]


def _grows(step: BodyStep, product: Product) -> bool:
    """Whether a push by cost may be the last one before pulls, which need no list: in searches that grow."""
    if policy_of(step) != "cost" or direction_of(step) is not None or step.mask is None:
        return False
    requested = step.desc is not None and step.desc.push_strategy is not None
    return not requested and step.mask.complement and product.any_hit and ends_early(step.op, True)


def policy_of(step: BodyStep) -> str:
    """By whose rule a product is a push or a pull."""
    return "cost" if step.desc is None else step.desc.policy


def has_no_push(step: BodyStep, strategies: Sides) -> bool:
    """Whether a descriptor requests nothing, and both sides are the same pull."""
    requested = direction_of(step) is not None or (step.desc is not None and step.desc.push_strategy is not None)
    return strategies.push == strategies.pull and not requested


def _rule(step: BodyStep, product: Product) -> list[str]:
    always, desc = direction_of(step), step.desc
    if always is not None:
        return [f"{HEAD}    return {'true' if always == 'push' else 'false'};\n}}"]
    policy = policy_of(step)
    if policy == "cost":
        return _cost_text(step, product)
    function = rules.PULLS[policy]
    names = list(inspect.signature(function).parameters)
    declared = ", ".join(f"{'bool' if name == 'dense' else 'double'} {name}" for name in names)
    values = ", ".join(repr(desc.switchpoint) if name == "switchpoint" else name for name in names)
    rule = f"DEVICE bool pulls({declared}) {{\n{translated(function, names, np.dtype(bool))}}}"
    return [rule, f"{HEAD}    return !pulls({values});\n}}"]


def _cost_text(step: BodyStep, product: Product) -> list[str]:
    terminal, costs = _costs(step.op, product)
    named = str(_names_rows(step)).lower()
    given = {
        "length": f"row_length(edges, entries, nrows, nvals, {named})",
        "pull_rows": "nrows",
        "terminal": str(terminal).lower(),
        "pull_row": repr(costs.pull_row),
        "pull_probe": repr(costs.pull_probe),
    }
    values = ", ".join(given.get(name, name) for name in inspect.signature(rules.pull_cost).parameters)
    listing = f" + (dense ? size * {costs.list_row!r} : 0.0)" if costs.list_row else ""
    listing += f" + entries * {costs.push_entry!r}" if costs.push_entry else ""
    push = f"    double push = edges * {costs.push_edge!r}{listing};\n"
    # A pull looks at every row at least: that decides most products, and all threads ask.
    soon = f"    if (push <= nrows * {costs.pull_row!r}) return true;\n"
    return [
        _number_text(rules.row_length),
        _number_text(rules.pull_cost),
        f"{HEAD}{push}{soon}    return push <= pull_cost({values});\n}}",
    ]


def _number_text(function: Udf) -> str:
    """A function of numbers in C++."""
    names = list(inspect.signature(function).parameters)
    declared = ", ".join(f"{'bool' if name in ('terminal', 'named') else 'double'} {name}" for name in names)
    return f"DEVICE double {function.__name__}({declared}) {{\n{translated(function, names, np.dtype(np.float64))}}}"


def _names_rows(step: BodyStep) -> bool:
    return step.mask is not None and not step.mask.complement


def _costs(op: TypedSemiring, product: Product) -> tuple[bool, rules.Costs]:
    """Whether a row may end early, and what things cost then."""
    terminal = ends_early(op, product.structure)
    costs = rules.in_loops(costs_of("cuda"), terminal, op.monoid.is_idempotent, product.any_hit)
    return terminal, rules.over_bus(costs, ends_early=False) if product.over_bus else costs


def reason(step: BodyStep, product: Product, strategies: Sides, seen: Seen, pushed: bool) -> str:
    """Why a product ran as it did, in the planner's words."""
    op, desc = step.op, step.desc
    if desc is not None and desc.settles_at is not None and not pushed:
        return "in place: rows that reach their final value are visible at once"
    if seen.entries == 0:
        return "the operand is empty"
    if direction_of(step) is not None:
        if desc is None or desc.plain:
            return rules.BY_ROWS
        return "requested by direction=" if desc.strategy is None else rules.REQUESTED
    if has_no_push(step, strategies):
        return "every entry counts: a push would go through them all, too"
    terminal, costs = _costs(op, product)
    edges, nrows, nvals = seen.edges, seen.nrows, seen.nvals
    if policy_of(step) == "cost":
        push = edges * costs.push_edge + seen.entries * costs.push_entry
        push += seen.size * costs.list_row if seen.dense else 0
        length = rules.row_length(edges, seen.entries, nrows, nvals, _names_rows(step))
        pull = rules.pull_cost(
            edges, seen.allowed, length, nvals, nrows, terminal, costs.pull_row, costs.pull_probe, seen.unseen
        )
        return f"push {push:.3g} against pull {pull:.3g} for {edges} edges, {seen.allowed} open rows"
    facts = rules.Facts(
        nrows=nrows,
        nvals=nvals,
        u_size=seen.size,
        u_nvals=seen.entries,
        u_dense=seen.dense,
        u_edges=lambda: edges,
        u_edges_at_most=edges,
        allowed=seen.allowed,
        mask_sparse=False,
        terminal=terminal,
        costs=costs,
        edges_before=seen.entries_before if desc.policy == "switchpoint" else seen.edges_before,
    )
    return str(rules.POLICY[desc.policy](facts, desc)[1])
