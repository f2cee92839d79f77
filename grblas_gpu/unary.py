"""UnaryOps: functions of one value. ``unary.numpy`` has NumPy's names, ``unary.ss`` SuiteSparse's extras.

>>> from grblas_gpu import unary
>>> unary.abs, unary.numpy.sin
(unary.abs, unary.sin)
"""

from __future__ import annotations

from .operators import UnaryOp, unary_from_string as _from_string
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("unary", globals(), UnaryOp, _from_string)
