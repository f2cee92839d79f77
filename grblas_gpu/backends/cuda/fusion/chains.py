"""Chains of steps of a loop that run in one pass over the positions, with no barrier between them.

A step that runs position by position reads position i of its operands only, so the next one can go on with what it
found there, in variables. (A gather reads what it is from anywhere: no step of the chain may change that.) One pass
serves a chain if it comes to every position where any of its steps has something to do: by the entries of one vector,
or by all positions.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...programs.lower import BodyStep
from ...programs.steps import PRODUCTS, SCATTERS, driver_among, overwrites, read_anywhere, vectors_of
from .analyse import FUSED, Analysis

MOST_STEPS = 8  # in a chain: their variables should fit into registers


def chains_of(facts: Analysis) -> list[list[int]]:
    """All steps, in order; many of them stand alone."""
    alike = _alike(facts)
    chains: list[list[int]] = []
    for at in range(len(facts.steps)):
        if chains and _is_chain(facts, [*chains[-1], at], alike):
            chains[-1].append(at)
        else:
            chains.append([at])
    return chains


def _alike(facts: Analysis) -> list[set[int]]:
    """Vectors of one size: those of a step, and of steps that have one in common."""
    alike: list[set[int]] = []
    for step in facts.steps:
        if step.kind in FUSED:
            vectors = vectors_of(step) - read_anywhere(step) | {step.out}
            joined = vectors.union(*(others for others in alike if others & vectors))
            alike = [others for others in alike if not others & vectors] + [joined]
    return alike


def _is_chain(facts: Analysis, chain: list[int], alike: list[set[int]]) -> bool:
    if len(chain) > MOST_STEPS or not all(_joins(facts, at) for at in chain):
        return False
    steps = [facts.steps[at] for at in chain]
    written, gathered = {step.out for step in steps}, set().union(*map(read_anywhere, steps))
    if written & gathered:  # other threads have other positions
        return False
    return is_driven(facts, steps) or _is_dense(facts, steps, alike)


def _joins(facts: Analysis, at: int) -> bool:
    step = facts.steps[at]
    if step.kind not in FUSED or at + 1 in facts.closing:  # that is an epilogue of the product instead
        return False
    # One value for all, changed in place: others may be reading it.
    return not facts.slots[step.out].iso or step.kind == "clear" or facts.swaps(step)


def is_driven(facts: Analysis, steps: Sequence[BodyStep]) -> bool:
    """Whether none of them has anything to do outside of the entries of the first one's driver."""
    driver = facts.driver(steps[0])
    if driver is None:
        return False
    within = {driver}  # vectors that have entries there only
    for step in steps:
        if driver_among(step, within) is None:
            return False
        if facts.swaps(step):
            within.add(step.out)
        elif overwrites(step) and step.kind != "clear":
            return False
    return True


def _is_dense(facts: Analysis, steps: Sequence[BodyStep], alike: list[set[int]]) -> bool:
    """Whether one of them needs all positions, and the others lose nothing if they go by all positions, too.

    That is so if they change vectors in place. What overwrites a vector would lose a list, unless the chain itself
    has changed its driver: that has none any more.
    """
    drivers = [facts.driver(step) for step in steps]
    written: set[int] = set()
    for step, driver in zip(steps, drivers, strict=True):
        if facts.swaps(step) and (driver not in written or facts.slots[step.out].iso):
            return False
        written.add(step.out)
    return None in drivers and any(written <= vectors for vectors in alike)


def swapped_by(facts: Analysis, chain: Sequence[int]) -> set[int]:
    """The vectors that are written to their other buffers."""
    steps = [facts.steps[at] for at in chain]
    if steps[0].kind in (*PRODUCTS, *SCATTERS, "row"):
        return {steps[0].out}
    if steps[0].kind not in FUSED or (len(steps) > 1 and not is_driven(facts, steps)):
        return set()
    return {step.out for step in steps if facts.swaps(step)}
