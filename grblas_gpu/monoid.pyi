# Written by tools/make_stubs.py. Names that a program registers are not here: use what `register_new` returns.

from collections.abc import Callable
from typing import Any

from grblas_gpu.operators.monoid import Monoid as Monoid

_namespace: Any
_delayed: Any
from_string: Callable[..., Any]
register_anonymous: Callable[..., Monoid]
register_new: Callable[..., Monoid]

any: Monoid
band: Monoid
bor: Monoid
bxnor: Monoid
bxor: Monoid
eq: Monoid
land: Monoid
lor: Monoid
lxnor: Monoid
lxor: Monoid
max: Monoid
min: Monoid
plus: Monoid
times: Monoid

class _numpy:
    add: Monoid
    bitwise_and: Monoid
    bitwise_or: Monoid
    bitwise_xor: Monoid
    equal: Monoid
    fmax: Monoid
    fmin: Monoid
    gcd: Monoid
    hypot: Monoid
    logaddexp: Monoid
    logaddexp2: Monoid
    logical_and: Monoid
    logical_or: Monoid
    logical_xor: Monoid
    maximum: Monoid
    minimum: Monoid
    multiply: Monoid

numpy: _numpy

class _ss:
    ...

ss: _ss
