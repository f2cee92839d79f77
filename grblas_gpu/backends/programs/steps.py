"""Properties of one step of a body, for every engine."""

from __future__ import annotations

from collections.abc import Container, Sequence

from .terms import BodyStep, Kind, Operand

PRODUCTS = frozenset((Kind.VXM, Kind.MXV))
CONTROL = frozenset((Kind.BEGIN, Kind.END))
#: Steps that read position i of their operands to write position i.
POSITIONWISE = frozenset(
    (Kind.COPY, Kind.ASSIGN, Kind.ADD, Kind.MULT, Kind.UNION, Kind.APPLY, Kind.APPLY_LEFT, Kind.APPLY_RIGHT)
    + (Kind.APPLY_INDEX, Kind.SELECT, Kind.CLEAR)
)
FUSED = POSITIONWISE | {Kind.GATHER}  # steps that run position by position: a gather reads its index there
WHERE_ALL_ARE = POSITIONWISE - {Kind.ASSIGN, Kind.ADD, Kind.UNION, Kind.CLEAR}  # no result where an operand has none
SCATTERS = frozenset((Kind.SCATTER, Kind.SCATTER_ANY, Kind.SCATTER_ONCE))
#: Steps that always write to the other arrays of their vector, and list its entries.
LISTING = PRODUCTS | SCATTERS | {Kind.ROW, Kind.HEAVIEST_GROUPS}
REDUCTIONS = frozenset((Kind.REDUCE, Kind.REDUCE_IDENTITY))
SCALARS = frozenset(kind for kind in Kind if kind.startswith("scalar."))
TO_SCALAR = REDUCTIONS | SCALARS  # steps whose output is a Scalar


def product_operands(step: BodyStep) -> tuple[Operand, Operand, bool]:
    """The matrix and the vector of a product, and whether the vector is on the left."""
    first, second = step.args
    return (first, second, False) if step.kind == Kind.MXV else (second, first, True)


def overwrites(step: BodyStep) -> bool:
    return step.accum is None and (step.mask is None or step.replace)


def drivers_among(step: BodyStep, vectors: Container[int]) -> list[int]:
    """The vectors outside of whose entries the step changes nothing (or, overwriting, writes nothing)."""
    given = [arg.number for arg in step.args if arg.kind == "vector"]
    given = given[1:] if step.kind == Kind.GATHER else given if step.kind in WHERE_ALL_ARE else []
    masked = [] if step.mask is None or step.mask.complement else [step.mask.vector]
    if step.kind == Kind.CLEAR:
        usable = [step.out]
    elif step.kind == Kind.HEAVIEST_GROUPS:
        usable = [arg.number for arg in step.args[3:4] if arg.kind == "vector"]
    elif step.kind in SCATTERS:  # its mask does not apply to the positions of its index
        usable = [arg.number for arg in step.args if arg.kind == "vector"]
    elif overwrites(step):
        usable = given + masked
    elif step.accum is not None:
        # The mask first: other steps along it may share the pass.
        usable = [] if step.replace and step.mask is not None else masked + given
    else:
        usable = masked
    return list(dict.fromkeys(number for number in usable if number in vectors))


def driver_among(step: BodyStep, vectors: Container[int]) -> int | None:
    """The first of them."""
    return next(iter(drivers_among(step, vectors)), None)


def swaps(step: BodyStep, full: Sequence[bool], vectors: Container[int]) -> bool:
    """Whether a step that runs position by position overwrites its vector along the list of one of these: it then
    writes to other arrays."""
    by_position = step.kind in FUSED and step.kind != Kind.CLEAR and overwrites(step)
    return by_position and not full[step.out] and driver_among(step, vectors) is not None


def read_anywhere(step: BodyStep) -> set[int]:
    """The vectors that a step reads at other positions: the source of a gather, the mask of a scatter, and groups."""
    if step.kind == Kind.GATHER:
        return {step.args[0].number}
    if step.kind == Kind.HEAVIEST_GROUPS:
        return {arg.number for arg in (*step.args[1:3], *step.args[4:]) if arg.kind == "vector"}
    return {step.mask.vector} if step.kind in SCATTERS and step.mask is not None else set()


def vectors_of(step: BodyStep) -> set[int]:
    """The vectors that a step reads, without the one that it changes."""
    read = {arg.number for arg in step.args if arg.kind == "vector"}
    return read if step.mask is None else read | {step.mask.vector}


def may_be_empty(step: BodyStep) -> bool:
    """Whether this assigns a Scalar of the loop: if it is empty, entries are deleted."""
    return step.kind == Kind.ASSIGN and step.args[0].kind == "variable"


def is_useless(step: BodyStep, after: Sequence[BodyStep]) -> bool:
    """Whether this clears a vector that is overwritten before any step reads it."""
    if step.kind != Kind.CLEAR:
        return False
    for other in after:
        if step.out in vectors_of(other) or other.kind in CONTROL:
            return False
        if other.kind not in TO_SCALAR and other.out == step.out:
            return overwrites(other)
    return False


def overwriting(steps: Sequence[BodyStep]) -> list[BodyStep]:
    """The same steps, but a write to a vector that was cleared just before overwrites it: there is no entry that a mask
    could keep, or that could be combined. ``w = product.new(mask=~m.S)`` makes such a vector."""
    cleared: set[int] = set()
    found: list[BodyStep] = []
    for step in steps:
        if step.kind in CONTROL:
            cleared = set()
        elif step.kind not in TO_SCALAR:
            if step.out in cleared and step.kind != Kind.SCATTER:  # which has no other way to be combined
                step = step._replace(accum=None, replace=step.replace or step.mask is not None)
            cleared = cleared | {step.out} if step.kind == Kind.CLEAR else cleared - {step.out}
        found.append(step)
    return found
