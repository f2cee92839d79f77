"""All UnaryOps, BinaryOps, Monoids and Semirings in one namespace; a BinaryOp goes before the Monoid of its name.

>>> from grblas_gpu import op
>>> op.abs, op.plus, op.plus_times
(unary.abs, binary.plus, semiring.plus_times)
"""

from __future__ import annotations

from typing import Any

from .operators import op_from_string as from_string
from .operators.registry import Namespace

_namespace = Namespace("op", globals())
_delayed = _namespace.delayed
numpy = _namespace.add_part("numpy")
ss = _namespace.add_part("ss")
__all__ = ["from_string", "numpy", "ss"]


def __getattr__(name: str) -> Any:
    return _namespace.find(name)


def __dir__() -> list[str]:
    return _namespace.names()
