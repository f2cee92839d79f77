"""A scatter as steps of the engines: values go to a temporary vector first, and from there to the output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .terms import BodyStep, Kind, MaskUse, Operand, VectorUse


def scattered(
    step: BodyStep, uses: Sequence[VectorUse], temporary: Callable[[BodyStep, np.dtype], Operand]
) -> list[BodyStep]:
    """``w<m>[index] (accum)= values``: with an accumulator t = the values at their positions, then ``w<m> (accum)= t``;
    without, the named positions go to r, and then ``w<r> = t``, which deletes where there is no value."""
    values, index = step.args
    dtype = uses[values.number].dtype if values.kind == "vector" else values.dtype
    plain = step._replace(op=None, mask=None, accum=None, replace=True)
    if step.accum is not None:
        monoid = step.accum.monoid
        kind = Kind.SCATTER_ONCE if monoid is None else Kind.SCATTER_ANY if monoid.any_value else Kind.SCATTER
        t = temporary(step, dtype if kind != Kind.SCATTER else monoid.return_type.np_type)
        combined = plain._replace(kind=kind, out=t.number, op=monoid)
        return [combined, step._replace(kind=Kind.COPY, args=(t,))]
    cut = []  # closed positions are deleted first, for the mask may be that of the output itself
    if step.replace and step.mask is not None:
        cut = [step._replace(kind=Kind.COPY, args=(Operand("vector", step.out),))]
    step = step._replace(replace=False)
    named = temporary(step, np.dtype(bool))
    marked = plain._replace(kind=Kind.SCATTER_ANY, out=named.number, args=(index,), mask=step.mask)
    inside = MaskUse(named.number, structure=True, complement=False)
    if values.kind != "vector":
        return [marked, *cut, step._replace(kind=Kind.ASSIGN, args=(values,), mask=inside)]
    t = temporary(step, dtype)
    once = plain._replace(kind=Kind.SCATTER_ONCE, out=t.number)
    return [once, marked, *cut, step._replace(kind=Kind.COPY, args=(t,), mask=inside)]
