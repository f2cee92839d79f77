"""IndexBinaryOps: functions of two values, their positions and theta. There are none but those of users.

>>> from grblas_gpu import Matrix, indexbinary
>>> op = indexbinary.register_anonymous(lambda x, ix, jx, y, iy, jy, theta: (x + y) * theta + jx)
>>> A = Matrix.from_coo([0, 1], [1, 0], [3, 7])
>>> A.ewise_mult(A, op(10)).new().to_coo()[2]
array([ 61, 140])
"""

from __future__ import annotations

from typing import Any

from .operators import IndexBinaryOp
from .operators.registry import Namespace

_namespace = Namespace("indexbinary", globals())
_delayed = _namespace.delayed
ss = _namespace.add_part("ss")
register_new = IndexBinaryOp.register_new
register_anonymous = IndexBinaryOp.register_anonymous
__all__ = ["register_anonymous", "register_new", "ss"]


def __getattr__(name: str) -> Any:
    return _namespace.find(name)


def __dir__() -> list[str]:
    return _namespace.names()
