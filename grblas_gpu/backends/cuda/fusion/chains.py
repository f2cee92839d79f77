"""Chains of steps of a loop that run in one pass over the positions, with no barrier between them.

A step that runs position by position reads position i of its operands only, so the next one can go on with what it
found there, in variables. (A gather reads what it is from anywhere: no step of the chain may change that.) One pass
serves a chain if it comes to every position where any of its steps has something to do: by the entries of one vector,
or by all positions. A product of short rows may come first: see :func:`with_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...programs.steps import (
    CONTROL,
    FUSED,
    LISTING,
    PRODUCTS,
    TO_SCALAR,
    driver_among,
    overwrites,
    product_operands,
    read_anywhere,
    vectors_of,
)
from ...programs.terms import BodyStep, Kind
from .analyse import Analysis

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
    return not facts.slots[step.out].iso or step.kind == Kind.CLEAR or facts.swaps(step)


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
        elif overwrites(step) and step.kind != Kind.CLEAR:
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


def with_rows(facts: Analysis, chains: Sequence[list[int]]) -> list[list[int]]:
    """The same, but a product whose rows the next chain reads at its own positions only is the first step of that.

    Whoever has a position adds up its row, and there is neither a pass nor a barrier between. For matrices with short
    rows.
    """
    found: list[list[int]] = []
    for chain in chains:
        if found and len(found[-1]) == 1 and _reads_rows(facts, found[-1][0], chain):
            found[-1] = [*found[-1], *chain]
        else:
            found.append(list(chain))
    return found


def _reads_rows(facts: Analysis, at: int, chain: Sequence[int]) -> bool:
    """Whether a product may be a part of the chain that follows: its mask says which rows there are, and nobody changes
    in place what others still multiply by."""
    step, steps = facts.steps[at], [facts.steps[number] for number in chain]
    if step.kind not in PRODUCTS or step.desc is not None or not all(_joins(facts, number) for number in chain):
        return False
    out, mask, operand = facts.slots[step.out], step.mask, product_operands(step)[1].number
    if mask is None or mask.complement or not mask.structure or out.iso or facts.products[at].structure:
        return False
    if not any(step.out in vectors_of(other) for other in steps) or step.out in set().union(*map(read_anywhere, steps)):
        return False
    written = {other.out for other in steps}
    if is_driven(facts, steps):
        return facts.driver(steps[0]) == mask.vector and (operand not in written or operand in swapped_by(facts, chain))
    by_all = None in [facts.driver(other) for other in steps]
    return by_all and (operand not in written or facts.slots[operand].buffers > 1)


def only_in_variables(facts: Analysis, chain: Sequence[int]) -> set[int]:
    """The vectors that a chain overwrites and no other step reads, nor anybody after the loop: they are not written."""
    if len(chain) < 2 or facts.steps[chain[0]].kind in PRODUCTS:
        return set()
    written = {facts.steps[at].out for at in chain}
    found = {number for number in written & facts.unseen if not facts.slots[number].iso}
    for at, step in enumerate(facts.steps):
        if step.kind in CONTROL:
            found -= {step.op.condition[1]} if step.kind == Kind.BEGIN and step.op.condition[0] == "entries" else set()
        elif at not in chain:
            found -= vectors_of(step) if step.kind in TO_SCALAR else vectors_of(step) | {step.out}
    for number in list(found):
        first = next(step for step in map(facts.steps.__getitem__, chain) if number in vectors_of(step) | {step.out})
        if not overwrites(first) or number in vectors_of(first):  # what was there before matters
            found.remove(number)
    if facts.condition[0] == "entries":
        found.discard(facts.condition[1])
    return found if found != written else set()


class WithRows(NamedTuple):
    """How a chain that begins with a product writes its vectors; those that are in neither set change in place."""

    driver: int | None  # by whose entries it goes; or by all positions
    swapped: set[int]  # go to their other buffers with lists
    overwritten: set[int]  # go there position by position, entries or not


def written_with_rows(facts: Analysis, chain: Sequence[int]) -> WithRows:
    product, *steps = (facts.steps[at] for at in chain)
    written = {step.out for step in steps}
    unseen = facts.slots[product.out].hidden and product.out not in written  # no other step reads it
    kept = set() if unseen else {product.out}
    if is_driven(facts, steps):
        return WithRows(facts.driver(steps[0]), _swapping(facts, chain[1:]) | kept, set())
    return WithRows(None, set(), kept | ({product_operands(product)[1].number} & written))


def swapped_by(facts: Analysis, chain: Sequence[int]) -> set[int]:
    """The vectors that are written to their other buffers."""
    steps = [facts.steps[at] for at in chain]
    if len(steps) > 1 and steps[0].kind in PRODUCTS:
        rows = written_with_rows(facts, chain)
        return rows.swapped | rows.overwritten
    if steps[0].kind in LISTING:
        return {steps[0].out}
    return _swapping(facts, chain) - only_in_variables(facts, chain)


def _swapping(facts: Analysis, chain: Sequence[int]) -> set[int]:
    steps = [facts.steps[at] for at in chain]
    if steps[0].kind not in FUSED or (len(steps) > 1 and not is_driven(facts, steps)):
        return set()
    return {step.out for step in steps if facts.swaps(step) or facts.picks(step)}
