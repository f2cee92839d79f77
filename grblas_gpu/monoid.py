"""Monoids: associative BinaryOps with an identity.

>>> from grblas_gpu import monoid
>>> monoid.plus.identities[monoid.plus[int].type]
0
"""

from __future__ import annotations

from .operators import Monoid, monoid_from_string as _from_string
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("monoid", globals(), Monoid, _from_string)
