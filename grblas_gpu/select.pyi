# Written by tools/make_stubs.py. Names that a program registers are not here: use what `register_new` returns.

from collections.abc import Callable
from typing import Any

from grblas_gpu.operators.indexunary import SelectOp as SelectOp

_namespace: Any
_delayed: Any
_match_expr: Callable[..., Any]
_resolve: Callable[..., Any]
column: Callable[..., Any]
from_string: Callable[..., Any]
index: Callable[..., Any]
register_anonymous: Callable[..., SelectOp]
register_new: Callable[..., SelectOp]
row: Callable[..., Any]
value: Callable[..., Any]

colgt: SelectOp
colle: SelectOp
diag: SelectOp
indexgt: SelectOp
indexle: SelectOp
offdiag: SelectOp
rowgt: SelectOp
rowle: SelectOp
tril: SelectOp
triu: SelectOp
valueeq: SelectOp
valuege: SelectOp
valuegt: SelectOp
valuele: SelectOp
valuelt: SelectOp
valuene: SelectOp

class _ss:
    ...

ss: _ss
