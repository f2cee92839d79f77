"""BinaryOps: functions of two values. ``binary.numpy`` has NumPy's names, ``binary.ss`` the positional ones.

>>> from grblas_gpu import binary
>>> binary.plus, binary.numpy.mod, binary.firsti
(binary.plus, binary.numpy.mod, binary.ss.firsti)
"""

from __future__ import annotations

from .operators import BinaryOp, binary_from_string as _from_string
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("binary", globals(), BinaryOp, _from_string)
