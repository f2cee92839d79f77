"""How each vector of a loop is kept in memory while the loop runs.

A vector has flags and values by position and, if some step follows it, a list of its entries. A vector that is always
full needs no flags, and one that is always iso no array of values. Steps that follow a list, and products, write to
other arrays, and the old ones are cleaned along the old list.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....plan.facts import ends_early
from ...programs.analyse import Facts, Target, facts_of
from ...programs.lower import Body
from ...programs.reading import Reading, Values
from ...programs.requests import PUSH, Abilities, Sides
from ...programs.steps import (
    CONTROL,
    FUSED,
    PRODUCTS,
    REDUCTIONS,
    SCATTERS,
    TO_SCALAR,
    drivers_among,
    overwrites,
    product_operands,
    swaps,
)
from ...programs.terms import BodyStep, Kind

PULL = "pull.hybrid"  # the pull that loops have: chunks of rows, handed out at run time
ABLE = Abilities(frozenset([PUSH]), frozenset([PULL]), Sides(PUSH, PULL))
#: Steps that always write to the other arrays of their vector.
TO_OTHERS = PRODUCTS | SCATTERS | {Kind.GATHER, Kind.ROW, Kind.HEAVIEST_GROUPS}


class Slot(NamedTuple):
    """How a vector is kept."""

    dtype: np.dtype
    full: bool
    iso: bool
    written: bool
    listed: bool  # there may be a list
    other: bool  # there are other arrays to write to


class Product(Reading):
    """A product: which vector is multiplied by which side of which matrix, and how values are read."""

    def __init__(self, step: BodyStep, first: Values, second: Values) -> None:
        matrix, operand, flip = product_operands(step)
        super().__init__(step.op, first, second, flip, step.desc is None or step.desc.early_exit)
        self.matrix, self.operand = matrix.number, operand.number
        self.transposed = (step.kind == Kind.MXV) != matrix.transposed  # the side whose rows a push reads
        self.by_rows = matrix.by_rows  # the columns, which a push would read, are not made
        self.terminal = ends_early(step.op, self.structure)


TARGET = Target(ABLE, Product, gathers=overwrites, begins=lambda product: None)


@dataclass(frozen=True)
class Analysis(Facts[Product]):
    """All facts, and how vectors are kept."""

    slots: Sequence[Slot]
    matrices: Sequence[Values]

    def drivers(self, step: BodyStep) -> list[int]:
        """The vectors whose entries a step may follow."""
        return drivers_among(step, [number for number, slot in enumerate(self.slots) if slot.listed])

    def searches(self, product: Product) -> bool:
        """Whether a pull looks for any entry in a row, and leaves the row at the first one."""
        return product.structure and product.early_exit and not self.slots[product.operand].full

    def swaps(self, step: BodyStep) -> bool:
        """Whether a step writes to the other arrays of its vector."""
        return _swaps(step, self.full, self.drivers(step))


def analyse(body: Body) -> Analysis:
    found = facts_of(body, TARGET)
    full, listed = found.full, _listed(found)
    slots = []
    for number, use in enumerate(found.uses):
        writing = (step for step in found.steps if step.out == number and step.kind not in CONTROL | TO_SCALAR)
        other = any(_swaps(step, full, listed) for step in writing)
        has_list = not full[number] and (number in listed or other)
        slots.append(Slot(use.dtype, full[number], found.iso[number], use.written, has_list, other))
    return Analysis(**vars(found), slots=slots, matrices=[Values(store.dtype, store.iso) for store in body.matrices])


def _listed(found: Facts[Product]) -> set[int]:
    """Vectors that have a list while it is short: some step follows their entries."""
    everything = [number for number, always in enumerate(found.full) if not always]
    listed = {product.operand for product in found.products.values()}
    for step in found.steps:
        if step.kind in FUSED or step.kind in SCATTERS:
            listed |= set(drivers_among(step, everything))
        elif step.kind in REDUCTIONS:
            listed.add(step.args[0].number)
    return listed.intersection(everything)


def _swaps(step: BodyStep, full: Sequence[bool], listed: Container[int]) -> bool:
    return step.kind in TO_OTHERS or swaps(step, full, listed)
