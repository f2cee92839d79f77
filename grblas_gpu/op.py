"""All UnaryOps, BinaryOps, Monoids and Semirings in one namespace; a BinaryOp goes before the Monoid of its name.

>>> from grblas_gpu import op
>>> op.abs, op.plus, op.plus_times
(unary.abs, binary.plus, semiring.plus_times)
"""

from __future__ import annotations

from .operators import op_from_string as _from_string
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("op", globals(), None, _from_string)
