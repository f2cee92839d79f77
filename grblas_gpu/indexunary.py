"""IndexUnaryOps: functions of a value, its row, its column and a thunk.

>>> from grblas_gpu import indexunary
>>> indexunary.rowindex, indexunary.valuegt
(indexunary.rowindex, indexunary.valuegt)
"""

from __future__ import annotations

from .operators import IndexUnaryOp, indexunary_from_string as _from_string
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("indexunary", globals(), IndexUnaryOp, _from_string)
