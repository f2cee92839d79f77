"""What a descriptor asks of a product, and whether a loop that runs as a whole does that: if not, it does not run so.

The product of such a loop is "push.scatter", or the one pull that the engine has for it. ``policy``, ``switchpoint``,
``direction`` and ``early_exit`` are part of the program. The lookahead of "edge-check" ("push.scan" for "push.scatter")
is about how the result is stored, which a loop settles for itself.
"""

from __future__ import annotations

from typing import Any

from .lower import Unfusable

PUSH = "push.scatter"


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


def check_request(number: int, desc: Any, product: Any, pull: str, masked: bool, has_flags: bool) -> None:
    """Raise what the loop's product would not do; ``has_flags``: neither the operand nor the mask's vector is full.

    Of the ``product`` it is asked whether values matter (``structure``) and whether a push may add up in any order
    (``order_dependent``).
    """
    if desc is None:
        return
    refused = _refused(desc, product, pull)
    if reuses_mask(desc, masked) and not (product.structure and has_flags):
        refused = "reuse_mask=True, where values matter or a vector is full,"
    if refused:
        raise Unfusable(f"{refused} in a loop that runs as a whole", number)


def _refused(desc: Any, product: Any, pull: str) -> str:
    if desc.settles_at is not None:
        return f"settles_at={desc.settles_at!r}"
    if desc.strategy not in (None, PUSH, pull):
        return f"strategy={desc.strategy!r}"
    asked = asked_direction(desc)
    if desc.pull_strategy not in (None, pull) and desc.strategy is None and asked != "push":
        return f"pull_strategy={desc.pull_strategy!r}"
    if desc.edges_before and desc.remembers:
        return f"edges_before={desc.edges_before}"
    if desc.deterministic and product.order_dependent:
        return "deterministic=True, a sum in a fixed order,"
    return ""
