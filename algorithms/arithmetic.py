"""The arithmetic of betweenness: numbers, or their logarithms where path counts exceed the range of floats.

Both use the same formulas with different operations. Products of numbers become sums of logarithms. Sums of numbers
become log(x + y) of log x and log y, computed by a semiring of its own.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

from .. import FP64, Matrix, binary, monoid, semiring, unary
from ..operators.call_types import BinaryCall, SemiringCall, UnaryCall
from .preparing import Values, largest


class Arithmetic(NamedTuple):
    """Operations on FP64 numbers, or on their base-2 logarithms."""

    one: float
    plus: BinaryCall
    sum: SemiringCall  # the semiring of plus and first
    times: BinaryCall
    over: BinaryCall
    number: UnaryCall | None  # the operator that converts a logarithm to its number; None for numbers

    def ones(self, x: Values) -> Values:
        """1 where x has an entry."""
        return binary.second[FP64](x, self.one).new()

    def numbers(self, x: Values) -> Values:
        """The number that x represents."""
        return x if self.number is None else self.number(x).new()


def of_numbers() -> Arithmetic:
    return Arithmetic(1.0, binary.plus, semiring.plus_first[FP64], binary.times, binary.truediv, None)


def of_logarithms() -> Arithmetic:
    return Arithmetic(0.0, binary.numpy.logaddexp2, sum_of_logarithms(), binary.plus, binary.minus, unary.exp2)


@functools.cache
def sum_of_logarithms() -> SemiringCall:
    """The semiring in which log(x + y) is the sum of log x and log y, and a product is the first factor.

    >>> from grblas_gpu import Matrix, Vector
    >>> sum_of_logarithms()(Vector.from_coo([0, 1], [2.0, 2.0]) @ Matrix.from_coo([0, 1], [0, 0], 0.0)).new().to_dict()
    {0: 3.0}
    """
    return semiring.register_anonymous(monoid.numpy.logaddexp2, binary.first, name="sum_of_logarithms")[FP64]


def with_counts_that_fit(
    count: Callable[[Matrix, Values, SemiringCall], tuple[Values, Values, int]], A: Matrix, start: Values
) -> tuple[Values, Values, int, Arithmetic]:
    """Levels, path counts and depth, by ``count(A, ones, sum)``, and the arithmetic in which the counts fit.

    The number of paths is at most the largest degree to the power of the depth. If this fits, no count is checked.
    """
    numbers = of_numbers()
    levels, sigma, deepest = count(A, numbers.ones(start), numbers.sum)
    if deepest * math.log2(max(1, A.degree_statistics().max)) >= 1023 and largest(sigma) == math.inf:
        numbers = of_logarithms()
        levels, sigma, deepest = count(A, numbers.ones(start), numbers.sum)
    return levels, sigma, deepest, numbers
