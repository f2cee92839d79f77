"""Invariants of the vectors of a loop: a vector that is always full needs no flags, and a vector that is always iso
needs no array of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..stores.storage import MatrixStore
from .steps import CONTROL, LISTING, PRODUCTS, TO_SCALAR, may_be_empty, overwrites, product_operands
from .terms import BodyStep, Kind, VectorUse

Structural = Callable[[BodyStep, bool], bool]


def infer_invariants(
    steps: Sequence[BodyStep], uses: Sequence[VectorUse], matrices: Sequence[MatrixStore], structural: Structural
) -> tuple[list[bool], list[bool]]:
    """For each vector, whether it is full at every step, and whether it is iso at every step.

    ``structural(step, iso)`` tells whether the result of a product is iso, given whether its vector is.
    """
    full, iso = [use.full for use in uses], [use.iso for use in uses]
    stable = False
    while not stable:  # drop the invariants that a step breaks, until no step breaks one
        stable = True
        for step in steps:
            if step.kind in TO_SCALAR or step.kind in CONTROL:
                continue
            w = step.out
            if full[w] and not _keeps_full(step, full):
                full[w], stable = False, False
            if iso[w] and not _keeps_iso(step, uses, matrices, iso, structural):
                iso[w], stable = False, False
    return full, iso


def _keeps_full(step: BodyStep, full: list[bool]) -> bool:
    vectors = [full[arg.number] for arg in step.args if arg.kind == "vector"]
    if step.kind in LISTING | {Kind.SELECT, Kind.CLEAR} or may_be_empty(step):
        result = False
    elif step.kind in (Kind.ADD, Kind.UNION):
        result = any(vectors)
    else:
        result = all(vectors)  # a scalar has no vectors and fills the output
    if step.accum is not None:
        return not (step.replace and step.mask is not None)
    if step.mask is not None:
        return result and not step.replace
    return result


def _keeps_iso(
    step: BodyStep,
    uses: Sequence[VectorUse],
    matrices: Sequence[MatrixStore],
    iso: Sequence[bool],
    structural: Structural,
) -> bool:
    """Whether the output is still iso after the step."""
    if step.kind == Kind.CLEAR:
        return True
    if not overwrites(step):
        return False
    if step.kind == Kind.COPY:
        source = step.args[0].number
        return iso[source] and uses[source].dtype == uses[step.out].dtype
    if step.kind in PRODUCTS:
        _, vector, _ = product_operands(step)
        return structural(step, iso[vector.number])
    if step.kind == Kind.ROW:
        store = matrices[step.args[0].number]
        return store.iso and store.dtype == uses[step.out].dtype
    return False
