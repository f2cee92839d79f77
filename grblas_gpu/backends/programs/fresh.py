"""Vectors of a function that are overwritten before any step reads them, so that their old contents do not matter."""

from __future__ import annotations

from collections.abc import Container

from .terms import Fields, Kind


def overwritten_first(steps: Fields, plain: Container[Kind]) -> frozenset[int]:
    """The vectors of a function that are completely overwritten before any step reads them, as far as is known."""
    seen: set[int] = set()
    found: set[int] = set()
    depth = 0
    for kind, out, *rest in steps:
        if kind == Kind.BEGIN:
            (tested, *operands), _, _ = rest
            seen |= {operands[0]} if tested == "entries" else set()
            depth += 1
        elif kind == Kind.END:
            depth -= 1
        else:
            _, operands, mask, accum, _, _ = rest
            seen |= {arg[1] for arg in (*operands, *(mask[:1] if mask else ())) if arg[0] == "vector"}
            if out[0] == "vector":
                overwrites = kind in plain or kind == Kind.GATHER
                if overwrites and depth == 0 and mask is None and accum is None and out[1] not in seen:
                    found.add(out[1])
                seen.add(out[1])
    return frozenset(found)
