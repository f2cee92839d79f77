"""What the steps of a loop's body ask of its vectors: how each is stored, and what may be left out.

Facts that hold at every step: a vector that always has all entries needs no flags, one value for all needs no array,
and steps that only touch the entries of a short list need not look at all positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....foundation.types import Value
from ....ir.descriptor import Counted
from ....plan.facts import reads_whole_rows
from ....plan.rules import usual_pull
from ...machine.calibration import costs_of
from ...programs.analyse import Facts, Target, facts_of, listable
from ...programs.lower import Body
from ...programs.reading import Values
from ...programs.requests import Sides, direction_of, strategies_of
from ...programs.steps import driver_among, may_be_empty, overwrites, product_operands, swaps
from ...programs.terms import BodyStep, Kind, Unfusable
from ...programs.uses import columns_on_host
from ...stores.entries import cast
from ...stores.storage import MatrixStore
from ..eager.mxv_product import Product, initial_value
from ..runtime.translate import c_type, literal
from .direction import ABLE, PUSH
from .settling import Settling, settling


class SlotFacts(NamedTuple):
    """How a program stores a vector."""

    dtype: np.dtype
    full: bool
    iso: bool
    written: bool
    hidden: bool  # not visible outside of the loop
    buffers: int  # 1; 2 if something overwrites it; 3 if its old entries are cleaned meanwhile
    listable: bool
    initial: str  # what its values are where there is no entry, if ...
    filled: bool  # products add to them
    edges_of: int | None  # the product whose operand it is
    gathered: int | None = None  # the step that writes every flag before anybody reads one: they may be any until then


@dataclass(frozen=True)
class Analysis(Facts[Product]):
    """All facts, and how a program stores the vectors and runs the products."""

    strategies: dict[int, Sides]  # by which strategies each product runs
    balanced: frozenset[int]  # products whose pull.edge adds up whole rows, in a fixed order
    by_rows: frozenset[int]  # products that never push: their matrices need no transpose
    slots: Sequence[SlotFacts]
    initial_values: dict[int, Value | None]
    listable: frozenset[int]
    closing: dict[int, int]  # products that need not wait for the step before: see _closing
    matrices: Sequence[MatrixStore]
    unseen: frozenset[int]  # vectors that are not read after the loop
    settling: dict[int, Settling]  # loops that follow edges in any order, by their products
    fresh: frozenset[int]  # vectors that are overwritten before anybody reads them

    def driver(self, step: BodyStep) -> int | None:
        return driver_among(step, self.listable)

    def swaps(self, step: BodyStep) -> bool:
        """Whether a step that runs position by position writes to the other buffer of its vector."""
        return swaps(step, self.full, self.listable)

    def picks(self, step: BodyStep) -> bool:
        """Whether a step selects from all positions what goes to the other buffer, and to a list if it is not much."""
        out = self.slots[step.out]
        return out.buffers == 3 and not (out.full or out.iso) and _selects_from_all(step, self.listable)


def _product(step: BodyStep, first: Values, second: Values) -> Product:
    early = step.desc is None or step.desc.early_exit
    found = Product(step.op, first, second, product_operands(step)[2], early, in_loop=True)
    return found if step.desc is None or step.desc.settles_at is None else found.asynchronous()


TARGET = Target(
    ABLE, _product, gathers=lambda step: step.out != step.args[0].number, begins=lambda product: product.initial
)


class _Plan:
    """By which strategies the products of a loop run, and what follows from that for their vectors."""

    def __init__(self, found: Facts[Product], matrices: Sequence[MatrixStore]) -> None:
        self.facts, self.matrices = found, matrices
        self.strategies: dict[int, Sides] = {}
        self.balanced: set[int] = set()
        self.by_rows: set[int] = set()
        self.edges_of: dict[int, int] = {}  # the product whose operand a vector is, if that may push
        self.initial_values: dict[int, Value | None] = {}
        for at, step in enumerate(found.steps):
            if at in found.products:
                self._add(at, step, found.products[at])
            elif step.kind == Kind.SCATTER:
                self.initial_values[step.out] = initial_value(step.op)
                if self.initial_values[step.out] is None:
                    raise Unfusable(f"a scatter by {step.op}, which has no identity,", step.number)

    def _add(self, at: int, step: BodyStep, product: Product) -> None:
        (matrix, vector, _), facts = product_operands(step), self.facts
        asynchronous = step.desc is not None and step.desc.settles_at is not None
        store = self.matrices[matrix.number]
        product.over_bus = columns_on_host(store)
        whole = facts.full[vector.number] and step.mask is None and store.copies == 1 and not asynchronous
        reads_whole = whole and reads_whole_rows(store, facts.iso[vector.number], step.op)
        pull = usual_pull(costs_of("cuda"), reads_whole)
        # Of a full vector a push would go through every entry, too: it is not even compiled, nor is a transpose made.
        by_cost = step.desc is None or step.desc.policy == "cost"
        usual = Sides(pull if reads_whole and by_cost and direction_of(step) is None else PUSH, pull)
        strategies = self.strategies[at] = strategies_of(step.desc, usual)
        pulls = direction_of(step) == "pull" or strategies.push.startswith("pull")
        if pulls and matrix.transposed != (step.kind == Kind.MXV):
            self.by_rows.add(at)
        else:
            self.edges_of.setdefault(vector.number, at)
        by_entries = "pull.edge" in strategies
        if whole and by_entries and product.adds_up_whole_rows:
            self.balanced.add(at)
        if asynchronous and not _is_value(step.desc.settles_at, product.dtype):
            raise Unfusable(f"settles_at={step.desc.settles_at}, which is no {product.dtype},", step.number)
        if store.copies > 1 and (asynchronous or by_entries):
            named = "settles_at=" if asynchronous else "strategy='pull.edge'"
            raise Unfusable(f"{named} over copies of a matrix", step.number)
        if product.initial is not None:
            self.initial_values[step.out] = product.initial


def analyse(body: Body) -> Analysis:
    matrices, found = body.matrices, facts_of(body, TARGET)
    steps, full, plan = found.steps, found.full, _Plan(found, matrices)
    initial_values = plan.initial_values
    settles = settling(steps, found.uses, found.products, plan.strategies, body.unseen, full, found.iso)
    for at, settled in settles.items():
        initial_values[settled.frontier] = initial_values[settled.values] = found.products[at].initial
    lists = listable(steps, full)
    closing = {at: before for at in found.products if (before := _closing(steps, at, full)) is not None}
    triple_buffered = {steps[at].out for at in closing}
    triple_buffered |= {step.out for step in steps if _selects_from_all(step, lists) and not full[step.out]}
    triple_buffered |= {settled.frontier for settled in settles.values()}
    visible = len(found.uses) - len(found.copied)
    slots = [
        SlotFacts(
            use.dtype,
            full[number],
            found.iso[number],
            use.written,
            number >= visible,
            (3 if number in triple_buffered else 2) if number in lists else 1,
            number in lists,
            literal(initial_values[number], use.dtype) if number in initial_values else f"{c_type(use.dtype)}()",
            number in initial_values,
            plan.edges_of.get(number),
        )
        for number, use in enumerate(found.uses)
    ]
    return Analysis(
        **vars(found),
        strategies=plan.strategies,
        balanced=frozenset(plan.balanced),
        by_rows=frozenset(plan.by_rows),
        slots=slots,
        initial_values=initial_values,
        listable=lists,
        closing=closing,
        matrices=matrices,
        unseen=body.unseen,
        settling=settles,
        fresh=body.fresh,
    )


def _is_value(value: object, dtype: np.dtype) -> bool:
    """Whether a type has this value; counts are looked at when they are known."""
    return isinstance(value, Counted) or bool(cast(np.asarray([value]), dtype)[0] == value)


def gathers_all(step: BodyStep, listable: frozenset[int]) -> bool:
    """Whether a step is a gather that overwrites its vector at all positions, in place (kernels/loop_positions.cuh)."""
    alone = step.mask is None and step.accum is None
    return step.kind == Kind.GATHER and alone and step.out not in listable and driver_among(step, listable) is None


def _selects_from_all(step: BodyStep, listable: frozenset[int]) -> bool:
    """Whether a step selects the entries of a vector that is overwritten in one that has no list."""
    selects = step.kind == Kind.SELECT and overwrites(step)
    return selects and step.out in listable and driver_among(step, listable) is None


def _closing(steps: Sequence[BodyStep], at: int, full: Sequence[bool]) -> int | None:
    """The vector whose entries the step before gives to this product's complemented mask.

    ``levels(frontier.S) << depth`` and then ``frontier(~levels.S) << frontier @ A``: the product need not wait for
    the assignment, if it takes the frontier's entries for closed as well.
    """
    step, before = steps[at], steps[at - 1] if at else None
    if before is None or before.kind not in (Kind.ASSIGN, Kind.COPY) or before.accum is not None or before.replace:
        return None
    if may_be_empty(before):
        return None
    if step.mask is None or not (step.mask.structure and step.mask.complement) or step.mask.vector != before.out:
        return None
    if before.mask is None or not before.mask.structure or before.mask.complement or full[before.mask.vector]:
        return None
    if before.kind == Kind.COPY and before.args[0].number != before.mask.vector:
        return None
    return None if before.mask.vector == before.out else before.mask.vector
