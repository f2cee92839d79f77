"""Loops that end with the same vectors in whatever order edges are followed (``any_order=True``): which ones these are.

Such a loop lowers values until nothing within a limit is left to be lowered, as delta-stepping does with a bucket::

    found = frontier min.+ A;  known = values <= found;  frontier<!known> = found
    values<frontier> = frontier;  frontier = what of it is at most the limit

Whoever finds a vertex may go on from there at once (``kernels/loop_settling.cuh``): in the end every value is the least
over all walks from the frontier that only pass through vertices that were lowered to at most the limit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ....ir.descriptor import Counted
from ...programs.monoids import LEAST
from ...programs.requests import Sides, direction_of
from ...programs.steps import CONTROL, PRODUCTS, TO_SCALAR, overwrites, product_operands, vectors_of
from ...programs.terms import BodyStep, Kind, MaskUse, Operand, VectorUse, counted
from ..eager.mxv_product import Product
from .direction import PUSH, policy_of

AT_MOST = "x <= y"  # the source of comparisons


class Settling(NamedTuple):
    """The vectors of such a loop, and the steps that write them."""

    product: int
    frontier: int
    values: int
    limit: Operand
    lowering: int  # the step that writes to the values
    selecting: int  # the one that leaves the next frontier


def settling(
    steps: Sequence[BodyStep],
    uses: Sequence[VectorUse],
    products: Mapping[int, Product],
    strategies: Mapping[int, Sides],
    unseen: Collection[int],
    full: Sequence[bool],
    iso: Sequence[bool],
) -> dict[int, Settling]:
    """Such loops, by their products."""
    found: dict[int, Settling] = {}
    for at, product in products.items():
        settles = _matched(steps, at)
        if settles is None or product.structure or product.exit_at_first or strategies[at].push != PUSH:
            continue
        result, known = steps[at].out, steps[at + 1].out
        vectors = {settles.frontier, settles.values, result}
        plain = all(uses[number].dtype == product.dtype and not (full[number] or iso[number]) for number in vectors)
        compared = (steps[at + 1].op, steps[settles.selecting].op)
        typed = all(op.type.np_type == product.dtype and op.type2.np_type == product.dtype for op in compared)
        hidden = {number for number in (result, known) if number in unseen and _used_in(steps, number, at)}
        alone = [number for number, step in enumerate(steps) if _writes(step, settles.values)] == [settles.lowering]
        others = {steps[number].out for number in products} & {settles.frontier, settles.values}
        if plain and typed and product.dtype.itemsize >= 4 and len(hidden) == 2 and alone and not others:
            found[at] = settles
    return found


def _matched(steps: Sequence[BodyStep], at: int) -> Settling | None:
    """The loop around a product, if it is nothing but the steps above."""
    if at == 0 or at + 5 >= len(steps):
        return None
    begin, step, compare, replace, lower, choose, end = steps[at - 1 : at + 6]
    kinds = [each.kind for each in (begin, compare, replace, lower, choose, end)]
    if kinds != [Kind.BEGIN, Kind.MULT, Kind.COPY, Kind.COPY, Kind.SELECT, Kind.END] or not _asked(step):
        return None
    flow, frontier, values = begin.op, product_operands(step)[1].number, lower.out
    if flow.once or flow.limit is not None or flow.condition != ("entries", frontier) or _counted(steps, flow.number):
        return None
    written = [each.out for each in (replace, lower, choose)] == [frontier, values, frontier]
    read = [[arg.number for arg in each.args if arg.kind == "vector"] for each in (compare, replace, lower, choose)]
    masks = [each.mask for each in (step, compare, replace, lower, choose)]
    fits = (
        written
        and read == [[values, step.out], [step.out], [frontier], [frontier]]
        and masks == [None, None, MaskUse(compare.out, False, True), MaskUse(frontier, True, False), None]
        and all(overwrites(each) for each in (step, compare, replace, choose))
        and lower.accum is None
        and not lower.replace
        and compare.op.source == choose.op.source == AT_MOST
        and len({frontier, values, step.out, compare.out}) == 4
    )
    return Settling(at, frontier, values, choose.args[1], at + 3, at + 4) if fits else None


def _asked(step: BodyStep) -> bool:
    """Whether a product may be made in any order: of what is given, and by the usual rule."""
    requested = step.kind in PRODUCTS and step.desc is not None and step.desc.any_order and step.desc.settles_at is None
    least = requested and step.op.monoid.binaryop.source in LEAST
    return least and direction_of(step) is None and policy_of(step) == "cost" and not step.desc.deterministic


def _counted(steps: Sequence[BodyStep], number: int) -> bool:
    """Whether anybody reads how many rounds a loop has made."""
    trees = [arg.arithmetic for step in steps for arg in step.args if arg.kind == "count"]
    finals = (step.desc.settles_at for step in steps if step.desc is not None)
    trees += [final.arithmetic for final in finals if isinstance(final, Counted)]
    return any(counted(tree, lambda name: f"<{name}>", str).count(f"<step{number}>") for tree in trees)


def _writes(step: BodyStep, number: int) -> bool:
    return step.kind not in CONTROL | TO_SCALAR and step.out == number


def _used_in(steps: Sequence[BodyStep], number: int, at: int) -> bool:
    """Whether a vector is only used by the product and the four steps after it."""
    others = (step for other, step in enumerate(steps) if not at <= other <= at + 4)
    return not any(number in vectors_of(step) or _writes(step, number) for step in others if step.kind not in CONTROL)
