"""BinaryOps: functions of two values. ``binary.numpy`` has NumPy's names, ``binary.ss`` the positional ones.

>>> from grblas_gpu import binary
>>> binary.plus, binary.numpy.mod, binary.firsti
(binary.plus, binary.numpy.mod, binary.ss.firsti)
"""

from __future__ import annotations

from typing import Any

from .operators import BinaryOp, binary_from_string as from_string
from .operators.registry import Namespace

_namespace = Namespace("binary", globals())
_delayed = _namespace.delayed
numpy = _namespace.add_part("numpy")
ss = _namespace.add_part("ss")
register_new = BinaryOp.register_new
register_anonymous = BinaryOp.register_anonymous
__all__ = ["from_string", "numpy", "register_anonymous", "register_new", "ss"]


def __getattr__(name: str) -> Any:
    return _namespace.find(name)


def __dir__() -> list[str]:
    return _namespace.names()
