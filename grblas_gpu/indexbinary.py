"""IndexBinaryOps: functions of two values, their positions and theta. There are none but those of users.

>>> from grblas_gpu import Matrix, indexbinary
>>> op = indexbinary.register_anonymous(lambda x, ix, jx, y, iy, jy, theta: (x + y) * theta + jx)
>>> A = Matrix.from_coo([0, 1], [1, 0], [3, 7])
>>> A.ewise_mult(A, op(10)).new().to_coo()[2]
array([ 61, 140])
"""

from __future__ import annotations

from .operators import IndexBinaryOp
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("indexbinary", globals(), IndexBinaryOp)
