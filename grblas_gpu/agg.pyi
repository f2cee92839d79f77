# Written by tools/make_stubs.py. Names that a program registers are not here: use what `register_new` returns.

from collections.abc import Callable
from typing import Any

from grblas_gpu.operators.aggregators import Aggregator as Aggregator

_namespace: Any
_delayed: Any
from_string: Callable[..., Any]

L0norm: Aggregator
L1norm: Aggregator
L2norm: Aggregator
Linfnorm: Aggregator
all: Aggregator
any: Aggregator
any_value: Aggregator
argmax: Aggregator
argmin: Aggregator
bitwise_all: Aggregator
bitwise_any: Aggregator
count: Aggregator
count_nonzero: Aggregator
count_zero: Aggregator
exists: Aggregator
first: Aggregator
first_index: Aggregator
geometric_mean: Aggregator
harmonic_mean: Aggregator
hypot: Aggregator
last: Aggregator
last_index: Aggregator
logaddexp: Aggregator
logaddexp2: Aggregator
max: Aggregator
mean: Aggregator
min: Aggregator
peak_to_peak: Aggregator
prod: Aggregator
root_mean_square: Aggregator
stdp: Aggregator
stds: Aggregator
sum: Aggregator
sum_of_inverses: Aggregator
sum_of_squares: Aggregator
varp: Aggregator
vars: Aggregator

class _ss:
    argmax: Aggregator
    argmin: Aggregator
    first: Aggregator
    first_index: Aggregator
    last: Aggregator
    last_index: Aggregator

ss: _ss
