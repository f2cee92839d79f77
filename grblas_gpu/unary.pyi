# Written by tools/make_stubs.py. Names that a program registers are not here: use what `register_new` returns.

from collections.abc import Callable
from typing import Any

from grblas_gpu.operators.unary import UnaryOp as UnaryOp

_namespace: Any
_delayed: Any
from_string: Callable[..., Any]
register_anonymous: Callable[..., UnaryOp]
register_new: Callable[..., UnaryOp]

abs: UnaryOp
acos: UnaryOp
acosh: UnaryOp
ainv: UnaryOp
asin: UnaryOp
asinh: UnaryOp
atan: UnaryOp
atanh: UnaryOp
bnot: UnaryOp
carg: UnaryOp
cbrt: UnaryOp
ceil: UnaryOp
cimag: UnaryOp
conj: UnaryOp
cos: UnaryOp
cosh: UnaryOp
creal: UnaryOp
erf: UnaryOp
erfc: UnaryOp
exp: UnaryOp
exp2: UnaryOp
expm1: UnaryOp
floor: UnaryOp
frexpe: UnaryOp
frexpx: UnaryOp
identity: UnaryOp
isfinite: UnaryOp
isinf: UnaryOp
isnan: UnaryOp
lgamma: UnaryOp
lnot: UnaryOp
log: UnaryOp
log10: UnaryOp
log1p: UnaryOp
log2: UnaryOp
minv: UnaryOp
one: UnaryOp
positioni: UnaryOp
positioni1: UnaryOp
positionj: UnaryOp
positionj1: UnaryOp
round: UnaryOp
signum: UnaryOp
sin: UnaryOp
sinh: UnaryOp
sqrt: UnaryOp
tan: UnaryOp
tanh: UnaryOp
tgamma: UnaryOp
trunc: UnaryOp

class _numpy:
    abs: UnaryOp
    absolute: UnaryOp
    arccos: UnaryOp
    arccosh: UnaryOp
    arcsin: UnaryOp
    arcsinh: UnaryOp
    arctan: UnaryOp
    arctanh: UnaryOp
    bitwise_not: UnaryOp
    cbrt: UnaryOp
    ceil: UnaryOp
    conj: UnaryOp
    conjugate: UnaryOp
    cos: UnaryOp
    cosh: UnaryOp
    deg2rad: UnaryOp
    degrees: UnaryOp
    exp: UnaryOp
    exp2: UnaryOp
    expm1: UnaryOp
    fabs: UnaryOp
    floor: UnaryOp
    invert: UnaryOp
    isfinite: UnaryOp
    isinf: UnaryOp
    isnan: UnaryOp
    log: UnaryOp
    log10: UnaryOp
    log1p: UnaryOp
    log2: UnaryOp
    logical_not: UnaryOp
    negative: UnaryOp
    positive: UnaryOp
    rad2deg: UnaryOp
    radians: UnaryOp
    reciprocal: UnaryOp
    rint: UnaryOp
    sign: UnaryOp
    signbit: UnaryOp
    sin: UnaryOp
    sinh: UnaryOp
    spacing: UnaryOp
    sqrt: UnaryOp
    square: UnaryOp
    tan: UnaryOp
    tanh: UnaryOp
    trunc: UnaryOp

numpy: _numpy

class _ss:
    erf: UnaryOp
    erfc: UnaryOp
    frexpe: UnaryOp
    frexpx: UnaryOp
    lgamma: UnaryOp
    positioni: UnaryOp
    positioni1: UnaryOp
    positionj: UnaryOp
    positionj1: UnaryOp
    tgamma: UnaryOp

ss: _ss
