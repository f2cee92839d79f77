"""Semirings ``{monoid}_{binaryop}``: the monoid adds what the binary operator multiplies.

>>> from grblas_gpu import semiring
>>> semiring.min_plus, semiring.any_secondi
(semiring.min_plus, semiring.ss.any_secondi)
"""

from __future__ import annotations

from typing import Any

from .operators import Semiring, get_semiring, semiring_from_string as from_string
from .operators.registry import Namespace

_namespace = Namespace("semiring", globals())
_delayed = _namespace.delayed
numpy = _namespace.add_part("numpy")
ss = _namespace.add_part("ss")
register_new = Semiring.register_new
register_anonymous = Semiring.register_anonymous
__all__ = ["from_string", "get_semiring", "numpy", "register_anonymous", "register_new", "ss"]


def __getattr__(name: str) -> Any:
    return _namespace.find(name)


def __dir__() -> list[str]:
    return _namespace.names()
