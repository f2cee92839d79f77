"""UnaryOps: functions of one value. ``unary.numpy`` has NumPy's names, ``unary.ss`` SuiteSparse's extras.

>>> from grblas_gpu import unary
>>> unary.abs, unary.numpy.sin
(unary.abs, unary.sin)
"""

from __future__ import annotations

from typing import Any

from .operators import UnaryOp, unary_from_string as from_string
from .operators.registry import Namespace

_namespace = Namespace("unary", globals())
_delayed = _namespace.delayed
numpy = _namespace.add_part("numpy")
ss = _namespace.add_part("ss")
register_new = UnaryOp.register_new
register_anonymous = UnaryOp.register_anonymous
__all__ = ["from_string", "numpy", "register_anonymous", "register_new", "ss"]


def __getattr__(name: str) -> Any:
    return _namespace.find(name)


def __dir__() -> list[str]:
    return _namespace.names()
