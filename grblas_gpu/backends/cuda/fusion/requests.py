"""What a descriptor asks of a product, and whether a loop on the device does that: if not, the loop is not fused.

The fused product is "push.scatter" or "pull.hybrid". ``policy``, ``switchpoint``, ``direction`` and ``early_exit`` are
part of the program. The lookahead of "edge-check" ("push.scan" for "push.scatter") is about how the result is stored,
which a loop settles for itself.
"""

from __future__ import annotations

from typing import Any

from ...programs.lower import Unfusable
from ..eager.mxv_product import Product

PUSH, PULL = "push.scatter", "pull.hybrid"


def asked_direction(desc: Any) -> str | None:
    """The direction that a descriptor asks for, if any."""
    if desc is None:
        return None
    if desc.strategy is not None:
        return str(desc.strategy).partition(".")[0]
    return None if desc.direction == "auto" else str(desc.direction)


def reuses_mask(desc: Any, masked: bool) -> bool:
    """Whether pulls must look the operand's entries up in the mask's vector, which costs a grid barrier."""
    return desc is not None and desc.reuse_mask is True and masked and asked_direction(desc) != "push"


def check_request(number: int, desc: Any, product: Product, masked: bool, has_flags: bool) -> None:
    """Raise what the fused product would not do; ``has_flags``: neither the operand nor the mask's vector is full."""
    if desc is None:
        return
    refused = _refused(desc, product)
    if reuses_mask(desc, masked) and not (product.structure and has_flags):
        refused = "reuse_mask=True, where values matter or a vector is full,"
    if refused:
        raise Unfusable(f"{refused} in a loop on the device", number)


def _refused(desc: Any, product: Product) -> str:
    if desc.settles_at is not None:
        return f"settles_at={desc.settles_at!r}"
    if desc.strategy not in (None, PUSH, PULL):
        return f"strategy={desc.strategy!r}"
    asked = asked_direction(desc)
    if desc.pull_strategy not in (None, PULL) and desc.strategy is None and asked != "push":
        return f"pull_strategy={desc.pull_strategy!r}"
    if desc.edges_before and desc.remembers:
        return f"edges_before={desc.edges_before}"
    if desc.deterministic and product.order_dependent:
        return "deterministic=True, a sum in a fixed order,"
    if not product.can_scatter:  # such a sum is always pulled
        if asked == "push":
            return f"strategy={PUSH!r}, of sums without an identity," if desc.strategy else "direction='push'"
        if asked is None and desc.policy != "cost":
            return f"policy={desc.policy!r}, of sums without an identity,"
    return ""
