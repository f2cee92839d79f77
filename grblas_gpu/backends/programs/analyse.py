"""One analysis of loops for all engines: steps whose results need a vector of their own, how products read values, and
the invariants of every vector.

An engine adds how it stores the vectors. Facts hold no store: a compiled loop outlives the matrices it was made for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from .invariants import infer_invariants
from .lower import Body
from .reading import Reading, Values
from .requests import Abilities, check_request
from .scatters import scattered
from .steps import LISTING, PRODUCTS, is_useless, overwrites, overwriting, product_operands, swaps
from .terms import BodyStep, Fields, Kind, Operand, VectorUse

NUMBER = np.dtype(np.int64)  # of a group
P = TypeVar("P", bound=Reading)


class Target(NamedTuple, Generic[P]):
    """The abilities of an engine's loops."""

    able: Abilities
    product: Callable[[BodyStep, Values, Values], P]  # of a step, its matrix and its vector
    gathers: Callable[[BodyStep], bool]  # whether a gather can write to its output at once
    begins: Callable[
        [P], object
    ]  # the value of a sum before its first product, if those of one vector must agree on it


@dataclass(frozen=True)
class Facts(Generic[P]):
    """The steps of a body, with products separated from the use of their results, and the facts about its vectors."""

    steps: Sequence[BodyStep]
    products: dict[int, P]
    uses: Sequence[VectorUse]
    full: Sequence[bool]  # vectors that always have all entries
    iso: Sequence[bool]  # vectors whose entries always have the same value
    copied: Sequence[int]  # the vectors whose sizes those known only to the loop share: they are the last ones
    variables: Sequence[np.dtype]
    condition: Fields


def facts_of(body: Body, target: Target[P]) -> Facts[P]:
    unwritable: set[int] = set()  # vectors that no product may write to
    while True:
        found = _facts(body, target, unwritable)
        unfit = _unfit(found, target)
        if unfit <= unwritable:
            return found
        unwritable |= unfit


def _unfit(found: Facts[P], target: Target[P]) -> set[int]:
    """Vectors that a product cannot write to: it is iso and they are not; or sums begin with different values."""
    begins: dict[int, set[str]] = {}
    unfit: set[int] = set()
    for at, product in found.products.items():
        out = found.steps[at].out
        begins.setdefault(out, set()).add(repr(target.begins(product)))
        if product.structure and not found.iso[out]:
            unfit.add(out)
    return unfit | {out for out, values in begins.items() if len(values) > 1}


def _facts(body: Body, target: Target[P], unwritable: set[int]) -> Facts[P]:
    stores = body.matrices
    steps, uses, copied = _separated(body, target, unwritable)

    def product(step: BodyStep, iso: bool) -> P:
        matrix, vector, _ = product_operands(step)
        once = stores[matrix.number].once
        return target.product(step, Values(once.dtype, once.iso), Values(uses[vector.number].dtype, iso))

    full, iso = infer_invariants(steps, uses, stores, lambda step, one: product(step, one).structure)
    products: dict[int, P] = {}
    for at, step in enumerate(steps):
        if step.kind in PRODUCTS:
            vector = product_operands(step)[1].number
            products[at] = product(step, iso[vector])
            has_flags = not full[vector] and (step.mask is None or not full[step.mask.vector])
            check_request(step.number, step.desc, products[at], target.able, step.mask is not None, has_flags)
    variables = [scalar.dtype.np_type for scalar in body.variables]
    return Facts(steps, products, uses, full, iso, copied, variables, body.condition)


def _separated(
    body: Body, target: Target[P], unwritable: set[int]
) -> tuple[list[BodyStep], list[VectorUse], list[int]]:
    """Steps whose results cannot go to their outputs at once write to a vector of their own first: products that do not
    simply overwrite, some gathers, and scatters.

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
            dtype = step.op.monoid.return_type.np_type
            if not overwrites(step) or dtype != uses[step.out].dtype or step.out in unwritable:
                result = temporary(step, dtype)
                steps.append(plain._replace(out=result.number))
                steps.append(step._replace(kind=Kind.COPY, op=None, args=(result,), desc=None))
                continue
        elif step.kind == Kind.HEAVIEST_GROUPS and not _gets_groups(step, uses[step.out].dtype):
            result = temporary(step, NUMBER)
            steps.append(plain._replace(out=result.number, mask=None))
            steps.append(step._replace(kind=Kind.COPY, args=(result,)))
            continue
        elif step.kind == Kind.GATHER and not target.gathers(step):
            result = temporary(step, uses[step.args[0].number].dtype)
            steps.append(plain._replace(out=result.number, mask=None))
            steps.append(step._replace(kind=Kind.COPY, args=(result,)))
            continue
        elif step.kind == Kind.SCATTER:
            steps += scattered(step, uses, temporary)
            continue
        steps.append(step)
    return [step for at, step in enumerate(steps) if not is_useless(step, steps[at + 1 :])], uses, copied


def _gets_groups(step: BodyStep, dtype: np.dtype) -> bool:
    """Whether the output gets the numbers of groups as they are."""
    return step.accum is None and step.mask is None and dtype == NUMBER


def listable(steps: Sequence[BodyStep], full: Sequence[bool]) -> frozenset[int]:
    """Vectors overwritten by steps that make a list, or follow one: they have a list while that is short."""
    found = {step.out for step in steps if step.kind in LISTING}
    size = -1
    while size != len(found):
        size = len(found)
        found |= {step.out for step in steps if swaps(step, full, found)}
    return frozenset(found)
