"""Semirings ``{monoid}_{binaryop}``: the monoid adds what the binary operator multiplies.

>>> from grblas_gpu import semiring
>>> semiring.min_plus, semiring.any_secondi
(semiring.min_plus, semiring.ss.any_secondi)
"""

from __future__ import annotations

from .operators import Semiring, get_semiring as get_semiring, semiring_from_string as _from_string
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("semiring", globals(), Semiring, _from_string, "get_semiring")
