"""The options of a product, and whether a fused loop supports them: if not, the loop is not fused.

A rule selects "push" or "pull"; :func:`strategies_of` gives the strategy of a loop for each. ``policy``,
``switchpoint``, ``direction`` and ``early_exit`` are part of the program.
"""

from __future__ import annotations

from typing import NamedTuple

from ...foundation.types import Descriptor
from ...ir.program import Program
from ...trace.records import Record, current
from .lower import located
from .monoids import is_idempotent
from .reading import Reading
from .terms import BodyStep, Unfusable

PUSH = "push.scatter"


class Sides(NamedTuple):
    """The strategies of a product in a loop: for each answer of the planner's rule."""

    push: str
    pull: str


class Abilities(NamedTuple):
    """The strategies that the loops of an engine support in either direction, and their defaults."""

    push: frozenset[str]
    pull: frozenset[str]
    usual: Sides
    asynchronous: bool = False  # rows that reach a final value are seen at once


def requested_direction(desc: Descriptor | None) -> str | None:
    """The direction that a descriptor requests, if any."""
    if desc is None:
        return None
    if desc.pulls_in_place:
        return "pull"
    if desc.strategy is not None:
        return str(desc.strategy).partition(".")[0]
    return None if desc.direction == "auto" else str(desc.direction)


def direction_of(step: BodyStep) -> str | None:
    """The fixed direction of a product: requested, or "pull" for a matrix that is read by rows only; None if free."""
    direction = requested_direction(step.desc)
    return "pull" if direction is None and any(arg.by_rows for arg in step.args) else direction


def strategies_of(desc: Descriptor | None, usual: Sides) -> Sides:
    """The strategies of a product. A requested strategy stands for both directions; only its own direction is used."""
    if desc is None:
        return usual
    if desc.strategy is not None:
        return Sides(desc.strategy, desc.strategy)
    push = "push.sort" if desc.policy == "switchpoint" and desc.direction == "auto" else usual.push  # as the paper's
    return Sides(desc.push_strategy or push, desc.pull_strategy or usual.pull)


def looks_ahead(desc: Descriptor | None) -> bool:
    """Whether a push makes no list in the step before a pull, as "edge-check" requires."""
    if desc is None or desc.policy != "edge-check" or requested_direction(desc) is not None:
        return False
    return desc.push_strategy is None


def reuses_mask(desc: Descriptor | None, masked: bool) -> bool:
    """Whether pulls must look the operand's entries up in the mask's vector, which costs a grid barrier."""
    return desc is not None and desc.reuse_mask is True and masked and requested_direction(desc) != "push"


def check_request(
    number: int, desc: Descriptor | None, product: Reading, able: Abilities, masked: bool, has_flags: bool
) -> None:
    """Raise what the loop's product would not do; ``has_flags``: neither the operand nor the mask's vector is full.

    ``product`` tells whether values matter (``structure``) and whether the order of additions does
    (``order_dependent``).
    """
    if desc is None:
        return
    refused = _refused(desc, product, able)
    if reuses_mask(desc, masked) and not (product.structure and has_flags):
        refused = "reuse_mask=True, where values matter or a vector is full,"
    if refused:
        raise Unfusable(f"{refused} in a loop that runs as a whole", number)


def trace_ignored_options(program: Program) -> None:
    """Add the options that a fused loop ignores to the trace."""
    collector = current()
    if collector is None:
        return
    for number, node in enumerate(program.flat):
        if node.descriptor is not None and (ignored := node.descriptor.ignored_options(node.op)):
            why = located(program, f"without effect: {ignored}", number)
            collector.records.append(Record(node.op.name, 0.0, 0, reason=why))


def _refused(desc: Descriptor, product: Reading, able: Abilities) -> str:
    if desc.settles_at is not None and not (able.asynchronous and is_idempotent(product.semiring.monoid)):
        return f"settles_at={desc.settles_at!r}"
    direction, run = requested_direction(desc), strategies_of(desc, able.usual)
    name = "strategy" if desc.strategy is not None else ""
    if direction is None and desc.policy == "switchpoint" and "push.sort" not in able.push:
        return f"policy={desc.policy!r}, whose pushes sort,"
    if direction != "pull" and run.push not in able.push:
        return f"{name or 'push_strategy'}={run.push!r}"
    if direction != "push" and run.pull not in able.pull:
        return f"{name or 'pull_strategy'}={run.pull!r}"
    if desc.edges_before and desc.remembers:
        return f"edges_before={desc.edges_before}"
    if desc.deterministic and product.order_dependent:
        return "deterministic=True, a sum in a fixed order,"
    return ""
