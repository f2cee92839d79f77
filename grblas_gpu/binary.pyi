# Written by tools/make_stubs.py. Names that a program registers are not here: use what `register_new` returns.

from collections.abc import Callable
from typing import Any

from grblas_gpu.operators.binary import BinaryOp as BinaryOp, ParameterizedBinaryOp as ParameterizedBinaryOp

_namespace: Any
_delayed: Any
from_string: Callable[..., Any]
register_anonymous: Callable[..., BinaryOp]
register_new: Callable[..., BinaryOp]

absfirst: BinaryOp
abssecond: BinaryOp
any: BinaryOp
atan2: BinaryOp
band: BinaryOp
bclr: BinaryOp
bget: BinaryOp
binom: BinaryOp
bor: BinaryOp
bset: BinaryOp
bshift: BinaryOp
bxnor: BinaryOp
bxor: BinaryOp
cdiv: BinaryOp
cmplx: BinaryOp
copysign: BinaryOp
eq: BinaryOp
first: BinaryOp
firsti: BinaryOp
firsti1: BinaryOp
firstj: BinaryOp
firstj1: BinaryOp
floordiv: BinaryOp
fmod: BinaryOp
ge: BinaryOp
gt: BinaryOp
hypot: BinaryOp
isclose: ParameterizedBinaryOp
iseq: BinaryOp
isge: BinaryOp
isgt: BinaryOp
isle: BinaryOp
islt: BinaryOp
isne: BinaryOp
land: BinaryOp
ldexp: BinaryOp
le: BinaryOp
lor: BinaryOp
lt: BinaryOp
lxnor: BinaryOp
lxor: BinaryOp
max: BinaryOp
min: BinaryOp
minus: BinaryOp
ne: BinaryOp
pair: BinaryOp
plus: BinaryOp
pow: BinaryOp
rdiv: BinaryOp
remainder: BinaryOp
rfloordiv: BinaryOp
rminus: BinaryOp
rpow: BinaryOp
rtruediv: BinaryOp
second: BinaryOp
secondi: BinaryOp
secondi1: BinaryOp
secondj: BinaryOp
secondj1: BinaryOp
times: BinaryOp
truediv: BinaryOp

class _numpy:
    add: BinaryOp
    arctan2: BinaryOp
    bitwise_and: BinaryOp
    bitwise_or: BinaryOp
    bitwise_xor: BinaryOp
    copysign: BinaryOp
    divide: BinaryOp
    equal: BinaryOp
    float_power: BinaryOp
    floor_divide: BinaryOp
    fmax: BinaryOp
    fmin: BinaryOp
    fmod: BinaryOp
    gcd: BinaryOp
    greater: BinaryOp
    greater_equal: BinaryOp
    hypot: BinaryOp
    lcm: BinaryOp
    ldexp: BinaryOp
    left_shift: BinaryOp
    less: BinaryOp
    less_equal: BinaryOp
    logaddexp: BinaryOp
    logaddexp2: BinaryOp
    logical_and: BinaryOp
    logical_or: BinaryOp
    logical_xor: BinaryOp
    maximum: BinaryOp
    minimum: BinaryOp
    mod: BinaryOp
    multiply: BinaryOp
    nextafter: BinaryOp
    not_equal: BinaryOp
    power: BinaryOp
    remainder: BinaryOp
    right_shift: BinaryOp
    subtract: BinaryOp
    true_divide: BinaryOp

numpy: _numpy

class _ss:
    firsti: BinaryOp
    firsti1: BinaryOp
    firstj: BinaryOp
    firstj1: BinaryOp
    secondi: BinaryOp
    secondi1: BinaryOp
    secondj: BinaryOp
    secondj1: BinaryOp

ss: _ss
