"""Monoids: associative BinaryOps with an identity.

>>> from grblas_gpu import monoid
>>> monoid.plus.identities[monoid.plus[int].type]
0
"""

from __future__ import annotations

from typing import Any

from .operators import Monoid, monoid_from_string as from_string
from .operators.registry import Namespace

_namespace = Namespace("monoid", globals())
_delayed = _namespace.delayed
numpy = _namespace.add_part("numpy")
ss = _namespace.add_part("ss")
register_new = Monoid.register_new
register_anonymous = Monoid.register_anonymous
__all__ = ["from_string", "numpy", "register_anonymous", "register_new", "ss"]


def __getattr__(name: str) -> Any:
    return _namespace.find(name)


def __dir__() -> list[str]:
    return _namespace.names()
