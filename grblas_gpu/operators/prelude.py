"""Functions that the ``source`` expressions of operators call, for Numba.

Each function is the scalar twin of the NumPy definition of the same operator. They are compiled with NumPy's error
model, in which a division by zero has a value, also in kernels of another model. Signed and unsigned
integers have helpers of their own, because Numba turns a mixture of UINT64 and INT64 into floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

helper: Callable[..., Any] = numba.njit(error_model="numpy")
ZERO, ONE = np.uint64(0), np.uint64(1)


@helper
def divide(x, y):
    return x / y


@helper
def smaller(x, y):
    """The smaller one; NaN only when both are."""
    return x if x < y or y != y else y


@helper
def larger(x, y):
    """The larger one; NaN only when both are."""
    return x if x > y or y != y else y


@helper
def minimum(x, y):
    """The smaller one; NaN when either is."""
    return x if x < y or x != x else y


@helper
def maximum(x, y):
    """The larger one; NaN when either is."""
    return x if x > y or x != x else y


@helper
def signed_divide(x, y, low, high):
    """Division that rounds towards zero; by zero it gives 0, `low` or `high`."""
    x, y = np.int64(x), np.int64(y)
    if y == 0:
        if x == 0:
            return x
        return high if x > 0 else low
    if y == -1:  # the processor traps when the smallest value is divided by -1
        return -x
    quotient = x // y
    if quotient < 0 and quotient * y != x:
        quotient += 1
    return quotient


@helper
def unsigned_divide(x, y, high):
    x, y = np.uint64(x), np.uint64(y)
    if y == ZERO:
        return high if x != ZERO else x
    return x // y


@helper
def signed_floor_divide(x, y):
    """Division that rounds down; by zero it gives 0."""
    x, y = np.int64(x), np.int64(y)
    if y == 0:
        return y
    return -x if y == -1 else x // y


@helper
def unsigned_floor_divide(x, y):
    x, y = np.uint64(x), np.uint64(y)
    return x // y if y != ZERO else y


@helper
def float_floor_divide(x, y):
    """As NumPy: the result is exact where ``floor(x / y)`` would round up."""
    remainder = np.fmod(x, y) if y != 0 else x / y
    if y == 0 or remainder != remainder:
        return remainder
    quotient = (x - remainder) / y
    if remainder != 0 and (y < 0) != (remainder < 0):
        quotient -= 1
    if quotient == 0:
        return math.copysign(0.0, x / y)
    floor = math.floor(quotient) if abs(quotient) < 4503599627370496.0 else quotient
    return floor + 1.0 if quotient - floor > 0.5 else floor * 1.0


@helper
def signed_mod(x, y):
    """The remainder with the sign of y; of a division by zero it is 0."""
    x, y = np.int64(x), np.int64(y)
    if y == 0 or y == -1:
        return np.int64(0)
    return x % y


@helper
def signed_fmod(x, y):
    """The remainder with the sign of x; of a division by zero it is 0."""
    x, y = np.int64(x), np.int64(y)
    remainder = signed_mod(x, y)
    return remainder - y if remainder != 0 and (x < 0) != (y < 0) else remainder


@helper
def least_common_multiple(x, y):
    divisor = np.uint64(np.gcd(x, y))
    return np.uint64(abs(x)) // divisor * np.uint64(abs(y)) if divisor != ZERO else divisor


@helper
def saturate_signed(value, low, high):
    """A float as an integer in [low, high]; NaN becomes 0."""
    if value != value:
        return low - low
    if value <= np.float64(low):
        return low
    if value >= np.float64(high):
        return high
    return np.int64(value)


@helper
def saturate_unsigned(value, high):
    if not value > 0:
        return ZERO
    if value >= np.float64(high):
        return high
    return np.uint64(value)


@helper
def float_power(x, y):
    """As C's ``pow``, but NaN in either operand always gives NaN."""
    if x != x or y != y:
        return x + y
    return x**y


@helper
def signed_power(x, y):
    """Integer power that wraps around; a negative power is the integer part of the inverse."""
    x, y = np.int64(x), np.int64(y)
    if y < 0:
        if x == 1 or x == -1:
            return x if y & 1 else np.int64(1)
        return np.int64(0)
    result = np.int64(1)
    while y:
        if y & 1:
            result *= x
        y >>= 1
        x *= x
    return result


@helper
def unsigned_power(x, y):
    x, y = np.uint64(x), np.uint64(y)
    result = ONE
    while y != ZERO:
        if y & ONE:
            result *= x
        y >>= ONE
        x *= x
    return result


@helper
def ieee_remainder(x, y):
    """The remainder of the quotient rounded to nearest, ties to even; exact, as C's ``remainder``."""
    if x != x or y != y or math.isinf(x) or y == 0:
        return x * np.nan
    if math.isinf(y):
        return x * 1.0
    a, b = abs(x) * 1.0, abs(y) * 1.0
    if b + b < np.inf:
        a = np.fmod(a, b + b)
    half = b * 0.5
    if a > half:
        a -= b
        if a >= half:
            a -= b
    return math.copysign(1.0, x) * a


@helper
def signum(x):
    if x != x:
        return x
    return x - x + (x > 0) - (x < 0) if not math.isinf(x) else math.copysign(x / x if x == 0 else 1.0, x)


@helper
def round_half_away(x):
    whole = math.trunc(x) if abs(x) < 4503599627370496.0 else x
    if abs(x - whole) >= 0.5:
        return whole + math.copysign(1.0, x)
    return whole * 1.0


@helper
def frexp_exponent(x):
    return math.frexp(x)[1] if math.isfinite(x) else 0


@helper
def frexp_fraction(x):
    return math.frexp(x)[0] if math.isfinite(x) else x


@helper
def load_exponent(x, y):
    exponent = np.int32(saturate_signed(y, np.int64(-2147483648), np.int64(2147483647)))
    return np.ldexp(x, exponent)


@helper
def gamma(x):
    """C's ``tgamma``: negative integers have no value."""
    if x < 0 and math.floor(x) == x:
        return x * np.nan
    return math.gamma(x)


@helper
def log_gamma(x):
    if math.isinf(x):
        return abs(x)
    return math.lgamma(x)


@helper
def bit_get(x, y, bits):
    """Bit y of x; the lowest is bit 1."""
    return 1 <= y <= bits and (np.uint64(x) >> np.uint64(y - 1)) & ONE != ZERO


@helper
def bit_set(x, y, bits):
    x = np.uint64(x)
    return x | (ONE << np.uint64(y - 1)) if 1 <= y <= bits else x


@helper
def bit_clear(x, y, bits):
    x = np.uint64(x)
    return x & ~(ONE << np.uint64(y - 1)) if 1 <= y <= bits else x


@helper
def signed_shift(x, y, bits):
    """Shift left by y, or right when y is negative; the shift count is an INT8."""
    x, count = np.int64(x), np.int64(np.int8(y))
    if count >= bits:
        return np.int64(0)
    if count > 0:
        return x << count
    return x >> min(-count, bits - 1)


@helper
def unsigned_shift(x, y, bits):
    x, count = np.uint64(x), np.int64(np.int8(y))
    if count >= bits or count <= -bits:
        return ZERO
    if count > 0:
        return x << np.uint64(count)
    return x >> np.uint64(-count)


@helper
def left_shift(x, y, bits):
    """As NumPy: shifting by more than the width leaves nothing."""
    return np.uint64(x) << np.uint64(y) if 0 <= y < bits else ZERO


@helper
def signed_right_shift(x, y, bits):
    """As NumPy: shifting by more than the width leaves the sign."""
    return np.int64(x) >> np.int64(y if 0 <= y < bits else bits - 1)


@helper
def unsigned_right_shift(x, y, bits):
    return np.uint64(x) >> np.uint64(y) if y < bits else ZERO


@helper
def binomial(n, k):
    """n over k, or 0 when out of bounds or too large for INT64."""
    n, k = np.int64(n), np.int64(k)
    if k > n or k < 0:
        return np.int64(0)
    result = np.int64(1)
    for i in range(min(k, n - k)):
        if result > np.int64(9223372036854775807) // (n - i):
            return np.int64(0)
        result = result * (n - i) // (i + 1)
    return result


@helper
def is_close(x, y, relative, absolute):
    a, b = np.float64(x), np.float64(y)
    return x == y or abs(a - b) <= max(relative * max(abs(a), abs(b)), absolute)


# Complex numbers. Numba has most of their functions; these are missing there, or differ from NumPy's.


@helper
def complex_of(x, y):
    return complex(x, y)


@helper
def complex_conjugate(z):
    return z.conjugate()


@helper
def complex_angle(z):
    return math.atan2(z.imag, z.real)


@helper
def complex_divide(x, y):
    """As NumPy: scaled by the larger part of the divisor, and by zero infinite or NaN in each part."""
    a, b, c, d = x.real, x.imag, y.real, y.imag
    if abs(c) >= abs(d):
        if c == 0 and d == 0:
            return complex(a / abs(c), b / abs(c))
        ratio = d / c
        scale = 1 / (c + d * ratio)
        return complex((a + b * ratio) * scale, (b - a * ratio) * scale)
    ratio = c / d
    scale = 1 / (d + c * ratio)
    return complex((a * ratio + b) * scale, (b * ratio - a) * scale)


@helper
def complex_inverse(z):
    return complex_divide(complex(1.0, 0.0), z)


@helper
def complex_power(x, y):
    return np.power(x, y)


@helper
def complex_signum(z):
    """On the unit circle, or zero."""
    size = abs(z)
    return complex(z.real / size, z.imag / size) if size != 0 else z * 0


@helper
def complex_ceil(z):
    return complex(np.ceil(z.real), np.ceil(z.imag))


@helper
def complex_floor(z):
    return complex(np.floor(z.real), np.floor(z.imag))


@helper
def complex_trunc(z):
    return complex(np.trunc(z.real), np.trunc(z.imag))


@helper
def complex_round(z):
    return complex(round_half_away(z.real), round_half_away(z.imag))


@helper
def complex_maximum(x, y):
    """The larger one, by the real part and then the imaginary; NaN when either is."""
    larger = x.real > y.real or (x.real == y.real and x.imag >= y.imag)
    return x if x != x or (y == y and larger) else y


@helper
def complex_minimum(x, y):
    smaller = x.real < y.real or (x.real == y.real and x.imag <= y.imag)
    return x if x != x or (y == y and smaller) else y


@helper
def complex_is_close(x, y, relative, absolute):
    return x == y or abs(x - y) <= max(relative * max(abs(x), abs(y)), absolute)
