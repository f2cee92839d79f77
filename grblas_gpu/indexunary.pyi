# Written by tools/make_stubs.py. Names that a program registers are not here: use what `register_new` returns.

from collections.abc import Callable
from typing import Any

from grblas_gpu.operators.indexunary import IndexUnaryOp as IndexUnaryOp

_namespace: Any
_delayed: Any
from_string: Callable[..., Any]
register_anonymous: Callable[..., IndexUnaryOp]
register_new: Callable[..., IndexUnaryOp]

colgt: IndexUnaryOp
colindex: IndexUnaryOp
colle: IndexUnaryOp
diag: IndexUnaryOp
diagindex: IndexUnaryOp
index: IndexUnaryOp
indexgt: IndexUnaryOp
indexle: IndexUnaryOp
offdiag: IndexUnaryOp
rowgt: IndexUnaryOp
rowindex: IndexUnaryOp
rowle: IndexUnaryOp
tril: IndexUnaryOp
triu: IndexUnaryOp
valueeq: IndexUnaryOp
valuege: IndexUnaryOp
valuegt: IndexUnaryOp
valuele: IndexUnaryOp
valuelt: IndexUnaryOp
valuene: IndexUnaryOp

class _ss:
    ...

ss: _ss
