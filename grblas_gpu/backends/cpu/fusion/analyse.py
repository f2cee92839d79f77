"""What the steps of a loop ask of its vectors: how each is kept in memory while the loop runs.

A vector has flags and values by position and, if some step would go by it, a list of its entries. One that always has
all entries needs no flags, and one whose entries always have the same value no array of them. What is overwritten by
going along a list, or by a product, goes to other arrays, and the old ones are cleaned along the old list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....plan.facts import ends_early
from ...programs.kept import kept
from ...programs.lower import Body
from ...programs.reading import Reading, Values
from ...programs.requests import PUSH, Abilities, Sides, check_request
from ...programs.scatters import scattered
from ...programs.steps import (
    FUSED,
    POSITIONWISE,
    PRODUCTS,
    REDUCTIONS,
    SCATTERS,
    driver_among,
    is_useless,
    overwrites,
    product_operands,
)
from ...programs.terms import BodyStep, Kind, Operand, Unfusable, VectorUse
from ...storage import MatrixStore

PULL = "pull.hybrid"  # the pull that loops have: chunks of rows, handed out at run time
ABLE = Abilities(frozenset([PUSH]), frozenset([PULL]), Sides(PUSH, PULL))
TO_OTHERS = PRODUCTS | SCATTERS | {Kind.GATHER, Kind.ROW}  # what always writes to the other arrays of its vector


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

    def __init__(self, step: BodyStep, store: MatrixStore, vector: Values) -> None:
        matrix, operand, flip = product_operands(step)
        early = step.desc is None or step.desc.early_exit
        super().__init__(step.op, Values(store.dtype, store.iso), vector, flip, early)
        self.matrix, self.operand = matrix.number, operand.number
        self.transposed = (step.kind == Kind.MXV) != matrix.transposed  # the side whose rows a push reads
        self.by_rows = matrix.by_rows  # the columns, which a push would read, are not made
        self.terminal = ends_early(step.op, self.structure)


@dataclass(frozen=True)
class Analysis:
    """The steps of a body, products apart from what becomes of their results, and how its vectors are kept."""

    steps: Sequence[BodyStep]
    products: dict[int, Product]
    slots: Sequence[Slot]
    copied: Sequence[int]  # whose sizes the vectors have that only the loop knows
    matrices: Sequence[Values]
    variables: Sequence[np.dtype]
    constants: Sequence[np.dtype]
    condition: Any

    def drivers(self, step: BodyStep) -> list[int]:
        """The vectors by whose entries a step may go."""
        return drivers_among(step, [number for number, slot in enumerate(self.slots) if slot.listed])

    def searches(self, product: Product) -> bool:
        """Whether a pull looks for any entry in a row, and leaves the row at the first one."""
        return product.structure and product.early_exit and not self.slots[product.operand].full

    def swaps(self, step: BodyStep) -> bool:
        """Whether a step writes to the other arrays of its vector."""
        return _swaps(step, self.slots[step.out].full, self.drivers(step))


def analyse(body: Body) -> Analysis:
    apart: set[int] = set()  # vectors that no product writes to, as it has one value for all, and they do not
    while True:
        found = _analysed(body, apart)
        unfit = {
            found.steps[at].out
            for at, product in found.products.items()
            if product.structure and not found.slots[found.steps[at].out].iso
        }
        if unfit <= apart:
            return found
        apart |= unfit


def _analysed(body: Body, apart: set[int]) -> Analysis:
    for dtype in (*(use.dtype for use in body.uses), *(store.dtype for store in body.matrices)):
        if dtype.kind not in "biuf":
            raise Unfusable(f"values of type {dtype}")
    steps, vectors, copied = _separated(body, apart)

    def product(step: BodyStep, iso: bool) -> Product:
        matrix, vector, _ = product_operands(step)
        return Product(step, body.matrices[matrix.number], Values(vectors[vector.number].dtype, iso))

    full, iso = kept(steps, vectors, body.matrices, lambda step, one: product(step, one).structure)
    products = {
        at: product(step, iso[product_operands(step)[1].number])
        for at, step in enumerate(steps)
        if step.kind in PRODUCTS
    }
    for at, found in products.items():
        step, mask = steps[at], steps[at].mask
        has_flags = not full[found.operand] and (mask is None or not full[mask.vector])
        check_request(step.number, step.desc, found, ABLE, mask is not None, has_flags)
    listed = _listed(steps, products, full)
    slots = []
    for number, use in enumerate(vectors):
        other = any(
            step.kind in TO_OTHERS or _swaps(step, full[number], drivers_among(step, listed))
            for step in steps
            if step.out == number and (step.kind in POSITIONWISE or step.kind in TO_OTHERS)
        )
        has_list = not full[number] and (number in listed or other)
        slots.append(Slot(use.dtype, full[number], iso[number], use.written, has_list, other))
    return Analysis(
        steps,
        products,
        slots,
        copied,
        [Values(store.dtype, store.iso) for store in body.matrices],
        [scalar.dtype.np_type for scalar in body.variables],
        [dtype for _, dtype in body.constants],
        body.condition,
    )


def _separated(body: Body, apart: set[int]) -> tuple[list[BodyStep], list[VectorUse], list[int]]:
    """Products and gathers that do not simply overwrite their output, and scatters, go to a vector of their own first,
    and are written then."""
    vectors, copied = list(body.uses), []
    steps: list[BodyStep] = []

    def temporary(step: BodyStep, dtype: np.dtype) -> Operand:
        copied.append(step.out)
        vectors.append(VectorUse(dtype, False, True, True))
        return Operand("vector", len(vectors) - 1)

    for step in body.steps:
        if step.kind in PRODUCTS:
            dtype = step.op.return_type.np_type
            if not overwrites(step) or dtype != vectors[step.out].dtype or step.out in apart:
                own = temporary(step, dtype)
                steps.append(step._replace(out=own.number, accum=None, replace=True))
                steps.append(step._replace(kind=Kind.COPY, op=None, args=(own,), desc=None))
                continue
        elif step.kind == Kind.GATHER and not overwrites(step):
            own = temporary(step, vectors[step.args[0].number].dtype)
            steps.append(step._replace(out=own.number, mask=None, accum=None, replace=True))
            steps.append(step._replace(kind=Kind.COPY, args=(own,)))
            continue
        elif step.kind == Kind.SCATTER:
            steps += scattered(step, vectors, temporary)
            continue
        steps.append(step)
    return [step for at, step in enumerate(steps) if not is_useless(step, steps[at + 1 :])], vectors, copied


def _listed(steps: Sequence[BodyStep], products: dict[int, Product], full: Sequence[bool]) -> set[int]:
    """Vectors that have a list while they can: some step goes by their entries."""
    everything = [number for number, always in enumerate(full) if not always]
    found = {products[at].operand for at in products} - {number for number, always in enumerate(full) if always}
    for step in steps:
        if step.kind in FUSED or step.kind in SCATTERS:
            found |= set(drivers_among(step, everything))
        elif step.kind in REDUCTIONS and not full[step.args[0].number]:
            found.add(step.args[0].number)
    return found


def drivers_among(step: BodyStep, vectors: Sequence[int] | set[int]) -> list[int]:
    """Those of the vectors outside of whose entries the step changes nothing (or, overwriting, writes nothing)."""
    if step.kind in SCATTERS:  # whose mask is not about the positions of its index
        return [arg.number for arg in step.args if arg.kind == "vector" and arg.number in vectors]
    found: list[int] = []
    left = set(vectors)
    while (driver := driver_among(step, left)) is not None:
        found.append(driver)
        left.discard(driver)
    return found


def _swaps(step: BodyStep, full: bool, drivers: Sequence[int]) -> bool:
    if step.kind in TO_OTHERS:
        return True
    return not full and step.kind in POSITIONWISE and step.kind != Kind.CLEAR and overwrites(step) and bool(drivers)
