"""What the steps of a loop's body ask of its vectors: how each is stored, and what may be left out.

Facts that hold at every step: a vector that always has all entries needs no flags, one value for all needs no array,
and steps that only touch the entries of a short list need not look at all positions.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....ir.descriptor import Counted
from ....plan.facts import reads_whole_rows
from ....plan.rules import usual_pull
from ...calibration import costs_of
from ...entries import cast
from ...programs.kept import kept
from ...programs.lower import Body
from ...programs.reading import Values
from ...programs.requests import Sides, check_request, direction_of, strategies_of
from ...programs.scatters import scattered
from ...programs.steps import (
    FUSED,
    PRODUCTS,
    SCATTERS,
    driver_among,
    is_useless,
    may_be_empty,
    overwrites,
    overwriting,
    product_operands,
)
from ...programs.terms import BodyStep, Kind, Operand, Unfusable, VectorUse
from ...storage import MatrixStore
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
    hidden: bool  # nobody sees it outside of the loop
    buffers: int  # 1; 2 if something overwrites it; 3 if its old entries are cleaned meanwhile
    listable: bool
    initial: str  # what its values are where there is no entry, for products that add to them
    edges_of: int | None  # the product whose operand it is
    gathered: int | None = None  # the step that writes every flag before anybody reads one: they may be any until then


@dataclass(frozen=True)
class Analysis:
    """The steps of a body, products separated from what becomes of their results, and the facts about its vectors."""

    steps: Sequence[BodyStep]
    products: dict[int, Product]
    strategies: dict[int, Sides]  # by which strategies each product runs
    balanced: frozenset[int]  # products whose pull.edge adds up whole rows, in a fixed order
    by_rows: frozenset[int]  # products that never push: nobody has to transpose their matrices
    slots: Sequence[SlotFacts]
    initial_values: dict[int, Any]
    listable: frozenset[int]
    closing: dict[int, int]  # products that need not wait for the step before: see _closing
    copied: Sequence[int]  # whose sizes the hidden vectors have
    matrices: Sequence[MatrixStore]
    variables: Sequence[np.dtype]
    condition: Any
    unseen: frozenset[int]  # vectors that nobody looks at after the loop
    settling: dict[int, Settling]  # loops that follow edges in any order, by their products
    fresh: frozenset[int]  # vectors that are overwritten before anybody reads them

    def driver(self, step: BodyStep) -> int | None:
        return driver_among(step, self.listable)

    def swaps(self, step: BodyStep) -> bool:
        """Whether a step that runs position by position writes to the other buffer of its vector."""
        out = self.slots[step.out]
        if out.buffers == 1 or out.full or step.kind == Kind.CLEAR or not overwrites(step):
            return False
        return self.driver(step) is not None

    def picks(self, step: BodyStep) -> bool:
        """Whether a step selects from all positions what goes to the other buffer, and to a list if it is not much."""
        out = self.slots[step.out]
        return out.buffers == 3 and not (out.full or out.iso) and _selects_from_all(step, self.listable)


def analyse(body: Body) -> Analysis:
    apart: set[int] = set()  # vectors that no product writes to: found out while looking at all steps
    while True:
        found = _analysed(body, apart)
        unfit = _unfit(found)
        if unfit <= apart:
            return found
        apart |= unfit


def _unfit(found: Analysis) -> set[int]:
    """Vectors that a product cannot write to: it has one value for all, they do not; or sums begin differently."""
    outs: dict[int, set[str]] = {}
    unfit: set[int] = set()
    for at, product in found.products.items():
        out = found.steps[at].out
        outs.setdefault(out, set()).add(repr(product.initial))
        if product.structure and not found.slots[out].iso:
            unfit.add(out)
    return unfit | {out for out, initials in outs.items() if len(initials) > 1}


def _separated(
    body: Body, apart: Container[int], matrices: Sequence[MatrixStore]
) -> tuple[list[BodyStep], list[VectorUse], list[int]]:
    """Steps whose results cannot go to their outputs at once leave them in a vector of their own first: products that
    do not simply overwrite, gathers from what they change, and scatters.

    Returns all steps, all vectors, and where the results of such steps go.
    """
    uses, copied = body.uses, []
    steps: list[BodyStep] = []

    def temporary(step: BodyStep, dtype: np.dtype) -> Operand:
        copied.append(step.out)
        uses.append(VectorUse(dtype, False, True, True))
        return Operand("vector", len(uses) - 1)

    for step in overwriting(body.steps):
        plain = step._replace(accum=None, replace=True)
        if step.kind in PRODUCTS:
            dtype = _product(step, uses, matrices).dtype
            if not overwrites(step) or dtype != uses[step.out].dtype or step.out in apart:
                result = temporary(step, dtype)
                steps.append(plain._replace(out=result.number))
                steps.append(step._replace(kind=Kind.COPY, op=None, args=(result,), desc=None))
                continue
        elif step.kind == Kind.GATHER and step.out == step.args[0].number:
            result = temporary(step, uses[step.out].dtype)
            steps.append(plain._replace(out=result.number, mask=None))
            steps.append(step._replace(kind=Kind.COPY, args=(result,)))
            continue
        elif step.kind == Kind.SCATTER:
            monoid = None if step.accum is None else step.accum.monoid
            if monoid is not None and not monoid.any_value and initial_value(monoid) is None:
                raise Unfusable(f"a scatter by {step.accum}, which has no identity,", step.number)
            steps += scattered(step, uses, temporary)
            continue
        steps.append(step)
    return [step for at, step in enumerate(steps) if not is_useless(step, steps[at + 1 :])], uses, copied


def _analysed(body: Body, apart: set[int]) -> Analysis:
    matrices = body.matrices
    steps, uses, copied = _separated(body, apart, matrices)
    full, iso = kept(steps, uses, matrices, lambda step, one: _product(step, uses, matrices, one).structure)
    edges_of: dict[int, int] = {}
    initial: dict[int, str] = {}
    initial_values: dict[int, Any] = {}
    products: dict[int, Product] = {}
    strategies: dict[int, Sides] = {}
    balanced: set[int] = set()
    by_rows: set[int] = set()
    for at, step in enumerate(steps):
        if step.kind == Kind.SCATTER:
            initial_values[step.out] = initial_value(step.op)
            initial[step.out] = literal(initial_values[step.out], step.op.return_type.np_type)
        if step.kind not in PRODUCTS:
            continue
        matrix, vector, _ = product_operands(step)
        product = products[at] = _product(step, uses, matrices, iso[vector.number])
        has_flags = not full[vector.number] and (step.mask is None or not full[step.mask.vector])
        check_request(step.number, step.desc, product, ABLE, step.mask is not None, has_flags)
        asynchronous = step.desc is not None and step.desc.settles_at is not None
        store = matrices[matrix.number]
        whole = full[vector.number] and step.mask is None and store.copies == 1 and not asynchronous
        reads_whole = whole and reads_whole_rows(store, iso[vector.number], step.op)
        pull = usual_pull(costs_of("cuda"), reads_whole)
        # Of a full vector a push would go through every entry, too: it is not even compiled, nor is a transpose made.
        by_cost = step.desc is None or step.desc.policy == "cost"
        usual = Sides(pull if reads_whole and by_cost and direction_of(step) is None else PUSH, pull)
        strategies[at] = strategies_of(step.desc, usual)
        pulls = direction_of(step) == "pull" or strategies[at].push.startswith("pull")
        if pulls and matrix.transposed != (step.kind == Kind.MXV):
            by_rows.add(at)
        else:
            edges_of.setdefault(vector.number, at)
        by_entries = "pull.edge" in strategies[at]
        if whole and by_entries and product.adds_up_whole_rows:
            balanced.add(at)
        if asynchronous and not _is_value(step.desc.settles_at, product.dtype):
            raise Unfusable(f"settles_at={step.desc.settles_at}, which is no {product.dtype},", step.number)
        if store.copies > 1 and (asynchronous or by_entries):
            named = "settles_at=" if asynchronous else "strategy='pull.edge'"
            raise Unfusable(f"{named} over copies of a matrix", step.number)
        if product.initial is not None:
            initial[step.out] = literal(product.initial, product.dtype)
            initial_values[step.out] = product.initial
    settles = settling(steps, uses, products, strategies, body.unseen, full, iso)
    for at, found in settles.items():
        for number in (found.frontier, found.values):
            initial[number], initial_values[number] = initial[steps[at].out], products[at].initial
    listable = _listable(steps, full)
    closing = {at: before for at in products if (before := _closing(steps, at, full)) is not None}
    thirds = {steps[at].out for at in closing}
    thirds |= {step.out for step in steps if _selects_from_all(step, listable) and not full[step.out]}
    thirds |= {found.frontier for found in settles.values()}
    visible = len(uses) - len(copied)
    slots = [
        SlotFacts(
            use.dtype,
            full[number],
            iso[number],
            use.written,
            number >= visible,
            (3 if number in thirds else 2) if number in listable else 1,
            number in listable,
            initial.get(number, f"{c_type(use.dtype)}()"),
            edges_of.get(number),
        )
        for number, use in enumerate(uses)
    ]
    variables = [scalar.dtype.np_type for scalar in body.variables]
    return Analysis(
        steps,
        products,
        strategies,
        frozenset(balanced),
        frozenset(by_rows),
        slots,
        initial_values,
        listable,
        closing,
        copied,
        matrices,
        variables,
        body.condition,
        body.unseen,
        settles,
        body.fresh,
    )


def _product(
    step: BodyStep, uses: Sequence[VectorUse], matrices: Sequence[MatrixStore], iso: bool | None = None
) -> Product:
    matrix, vector, flip = product_operands(step)
    store, use = matrices[matrix.number].once, uses[vector.number]
    early = True if step.desc is None else step.desc.early_exit
    second = Values(use.dtype, use.iso if iso is None else iso)
    found = Product(step.op, Values(store.dtype, store.iso), second, flip, early)
    return found if step.desc is None or step.desc.settles_at is None else found.asynchronous()


def _is_value(value: Any, dtype: np.dtype) -> bool:
    """Whether a type has this value; counts are looked at when they are known."""
    return isinstance(value, Counted) or bool(cast(np.asarray([value]), dtype)[0] == value)


def _listable(steps: Sequence[BodyStep], full: list[bool]) -> frozenset[int]:
    """Vectors that are overwritten by what goes by a list, and so have one while they have few entries."""
    listable = {step.out for step in steps if step.kind in (*PRODUCTS, *SCATTERS, Kind.ROW)}
    grew = True
    while grew:
        grew = False
        for step in steps:
            swaps = step.kind in FUSED and overwrites(step) and not full[step.out]
            if swaps and step.out not in listable and driver_among(step, listable) is not None:
                listable.add(step.out)
                grew = True
    return frozenset(listable)


def gathers_all(step: BodyStep, listable: frozenset[int]) -> bool:
    """Whether a step is a gather that overwrites its vector at all positions, in place (kernels/gather.cuh)."""
    alone = step.mask is None and step.accum is None
    return step.kind == Kind.GATHER and alone and step.out not in listable and driver_among(step, listable) is None


def _selects_from_all(step: BodyStep, listable: frozenset[int]) -> bool:
    """Whether a step selects the entries of a vector that is overwritten in one that has no list."""
    selects = step.kind == Kind.SELECT and overwrites(step)
    return selects and step.out in listable and driver_among(step, listable) is None


def _closing(steps: Sequence[BodyStep], at: int, full: list[bool]) -> int | None:
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
