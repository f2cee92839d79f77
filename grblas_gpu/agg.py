"""Aggregators: sums, means, norms and the like, for the ``reduce`` methods.

* one monoid: sum prod all any min max any_value bitwise_all bitwise_any
* a monoid after an operator: count count_nonzero count_zero exists sum_of_squares sum_of_inverses hypot logaddexp
  logaddexp2 and the norms L0norm L1norm L2norm Linfnorm
* several steps: mean peak_to_peak varp vars stdp stds geometric_mean harmonic_mean root_mean_square
* by position: ss.first ss.last, and for vectors, rows and columns ss.first_index ss.last_index ss.argmin ss.argmax

>>> from grblas_gpu import agg
>>> agg.mean, agg.ss.first
(agg.mean, agg.ss.first)
"""

from __future__ import annotations

from .operators import aggregator_from_string as _from_string
from .operators.aggregators import Aggregator, TypedAggregator as TypedAggregator
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("agg", globals(), Aggregator, _from_string, "Aggregator TypedAggregator")
