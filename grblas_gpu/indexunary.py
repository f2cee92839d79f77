"""IndexUnaryOps: functions of a value, its row, its column and a thunk.

>>> from grblas_gpu import indexunary
>>> indexunary.rowindex, indexunary.valuegt
(indexunary.rowindex, indexunary.valuegt)
"""

from __future__ import annotations

from typing import Any

from .operators import IndexUnaryOp, indexunary_from_string as from_string
from .operators.registry import Namespace

_namespace = Namespace("indexunary", globals())
_delayed = _namespace.delayed
ss = _namespace.add_part("ss")
register_new = IndexUnaryOp.register_new
register_anonymous = IndexUnaryOp.register_anonymous
__all__ = ["from_string", "register_anonymous", "register_new", "ss"]


def __getattr__(name: str) -> Any:
    return _namespace.find(name)


def __dir__() -> list[str]:
    return _namespace.names()
