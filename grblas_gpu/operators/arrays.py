"""The NumPy definitions of operators that are not one ufunc.

Integer division and powers follow SuiteSparse:GraphBLAS: dividing by zero gives 0 for 0 and else the largest or
smallest value, powers are computed in double precision and saturate. A function may return an operand itself: never
write into its result.
"""

from __future__ import annotations

import numpy as np

from ..foundation.types import Array, Function


def first(x: Array, y: Array) -> Array:
    return x if np.ndim(x) >= np.ndim(y) else np.full_like(y, x, dtype=x.dtype)


def second(x: Array, y: Array) -> Array:
    return first(y, x)


def identity(x: Array) -> Array:
    return x


def pair(x: Array, y: Array) -> Array:
    return np.ones_like(first(x, y))


def swap(function: Function) -> Function:
    """The same function with its operands exchanged."""

    def swapped(x: Array, y: Array) -> Array:
        return function(y, x)

    return swapped


def silent(function: Function) -> Function:
    """Without NumPy's warnings about integers divided by zero; those for floats are off anyway."""
    return np.errstate(all="ignore")(function)


floor_divide, mod, fmod = silent(np.floor_divide), silent(np.mod), silent(np.fmod)


def integer_divide(x: Array, y: Array) -> Array:
    """Division that rounds towards zero."""
    x, y = np.asanyarray(x), np.asanyarray(y)
    limits = np.iinfo(x.dtype)
    zero = y == 0
    divisor = np.where(zero, np.ones_like(y), y)
    with np.errstate(all="ignore"):
        quotient = np.floor_divide(x, divisor)
        if limits.min < 0:
            quotient = quotient + ((quotient * divisor != x) & ((x < 0) != (divisor < 0)))
    none, least, most = (x.dtype.type(value) for value in (0, limits.min, limits.max))
    by_zero = np.where(x == 0, none, np.where(x > 0, most, least))
    return np.where(zero, by_zero, quotient).astype(x.dtype)


def integer_inverse(x: Array) -> Array:
    return integer_divide(np.ones_like(x), x)


def saturate(values: Array, dtype: np.dtype) -> Array:
    """Floats to integers: NaN becomes 0, values out of range become the nearest limit."""
    limits = np.iinfo(dtype)
    low, high = float(limits.min), float(limits.max)
    inside = (values > low) & (values < high)
    with np.errstate(all="ignore"):
        result = np.where(inside, values, 0).astype(dtype)
    result = np.where(values >= high, np.asarray(limits.max, dtype), result)
    return np.where(values <= low, np.asarray(limits.min, dtype), result)


def float_power(x: Array, y: Array) -> Array:
    """As C's ``pow``, but NaN in either operand always gives NaN."""
    with np.errstate(all="ignore"):
        return np.where(np.isnan(x) | np.isnan(y), x.dtype.type(np.nan), np.power(x, y))


def integer_power(x: Array, y: Array) -> Array:
    with np.errstate(all="ignore"):
        return saturate(np.power(np.asarray(x, np.float64), np.asarray(y, np.float64)), x.dtype)


def bool_power(x: Array, y: Array) -> Array:
    return x | ~y


def exact_power(x: Array, y: Array) -> Array:
    """Integer power that wraps around; a negative power is the integer part of the inverse."""
    wide = np.uint64 if np.asarray(x).dtype.kind == "u" else np.int64
    base, exponent = np.asarray(x, wide), np.asarray(y, wide)
    with np.errstate(all="ignore"):
        result = np.power(base, np.where(exponent < 0, 0, exponent))
    sign = np.where(exponent % 2 == 0, 1, base)
    return np.where(exponent < 0, np.where(np.abs(base) == 1, sign, 0), result)


def true_divide(x: Array, y: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.true_divide(np.asarray(x, np.float64), np.asarray(y, np.float64))


def power_in_double(x: Array, y: Array) -> Array:
    return float_power(np.asarray(x, np.float64), np.asarray(y, np.float64))


def bool_floor_divide(x: Array, y: Array) -> Array:
    return np.logical_and(x, y)


def ieee_remainder(x: Array, y: Array) -> Array:
    """The remainder of the quotient rounded to nearest, ties to even; exact, as C's ``remainder``."""
    with np.errstate(all="ignore"):
        a, b = np.abs(x), np.abs(y)
        r = np.where(b + b < np.inf, np.fmod(a, b + b), a)  # now r < 2b, and the parity of the quotient is kept
        half = b * b.dtype.type(0.5)
        over = np.where(half > 0, r > half, r + r > b)
        r = np.where(over, r - b, r)
        r = np.where(over & (r >= half), r - b, r)
        bad = np.isnan(x) | np.isnan(y) | np.isinf(x) | (y == 0)
        r = np.where(np.isinf(y), a, r)
        return np.where(bad, x.dtype.type(np.nan), np.where(np.signbit(x), -r, r))


def signum(x: Array) -> Array:
    return np.where(np.isnan(x), x, np.sign(x))


def round_half_away(x: Array) -> Array:
    """C's ``round``; NumPy's own rounds halves to even."""
    whole = np.trunc(x)
    with np.errstate(all="ignore"):
        return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(x.dtype.type(1), x), whole)


def frexp_exponent(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where(np.isfinite(x), np.frexp(x)[1], 0)


def frexp_fraction(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.frexp(x)[0]


def load_exponent(x: Array, y: Array) -> Array:
    return np.ldexp(x, saturate(np.asarray(y), np.dtype(np.int32)))


# Complex numbers


def by_parts(function: Function) -> Function:
    """A function of floats on the real and the imaginary part."""

    def each(z: Array) -> Array:
        return complex_of(function(z.real), function(z.imag))

    return each


def complex_of(real: Array, imaginary: Array) -> Array:
    result = np.empty(np.broadcast(real, imaginary).shape, np.result_type(real.dtype, np.complex64))
    result.real, result.imag = real, imaginary
    return result


def complex_inverse(z: Array) -> Array:
    return np.true_divide(z.dtype.type(1), z)


def complex_signum(z: Array) -> Array:
    """On the unit circle, or zero."""
    with np.errstate(all="ignore"):
        return np.where(z == 0, z.dtype.type(0), z / np.abs(z))


def special(name: str) -> Function:
    """A function of ``scipy.special``, which is only imported when it is called."""

    def function(x: Array) -> Array:
        import scipy.special

        return getattr(scipy.special, name)(x)

    function.__name__ = name
    return function


def log_gamma(x: Array) -> Array:
    """C's ``lgamma``: infinite at both ends."""
    return np.where(np.isinf(x), np.abs(x), special("gammaln")(x))


def gamma(x: Array) -> Array:
    """C's ``tgamma``: negative integers have no value."""
    pole = (x < 0) & (np.floor(x) == x)
    return np.where(pole, x.dtype.type(np.nan), special("gamma")(x))


def _bits(x: Array) -> int:
    return x.dtype.itemsize * 8


def _bit(x: Array, y: Array) -> tuple[Array, Array]:
    """The mask of bit y of x (the lowest is bit 1), and whether x has such a bit."""
    x, y = np.asanyarray(x), np.asanyarray(y)
    valid = (y >= 1) & (y <= _bits(x))
    position = np.where(valid, y, 1).astype(x.dtype) - x.dtype.type(1)
    return np.left_shift(x.dtype.type(1), position), valid


def bit_get(x: Array, y: Array) -> Array:
    mask, valid = _bit(x, y)
    return valid & ((x & mask) != 0)


def bit_set(x: Array, y: Array) -> Array:
    mask, valid = _bit(x, y)
    return np.where(valid, x | mask, x)


def bit_clear(x: Array, y: Array) -> Array:
    mask, valid = _bit(x, y)
    return np.where(valid, x & ~mask, x)


def bit_shift(x: Array, y: Array) -> Array:
    """Shift left by y, or right when y is negative; the shift count is an INT8."""
    x = np.asanyarray(x)
    count = np.asarray(y).astype(np.int8).astype(np.int64)
    bits = _bits(x)
    if count.size == 1 and x.size and -bits < (by := int(count.item())) < bits:  # one for all: no arrays to choose from
        return np.left_shift(x, x.dtype.type(by)) if by > 0 else np.right_shift(x, x.dtype.type(-by))
    left = np.left_shift(x, np.clip(count, 0, bits - 1).astype(x.dtype))
    right = np.right_shift(x, np.clip(-count, 0, bits - 1).astype(x.dtype))
    far_right = np.where(x < 0, ~x.dtype.type(0), x.dtype.type(0))
    right = np.where(count <= -bits, far_right, right)
    return np.where(count >= bits, x.dtype.type(0), np.where(count > 0, left, right))


def bit_xnor(x: Array, y: Array) -> Array:
    return ~(x ^ y)


def binomial(n: Array, k: Array) -> Array:
    """n over k, or 0 when out of bounds or too large for INT64."""
    n, k = np.broadcast_arrays(np.asarray(n, np.int64), np.asarray(k, np.int64))
    limit = np.iinfo(np.int64).max
    result = np.ones(n.shape, np.int64)
    steps = np.where((k > n) | (k < 0), 0, np.minimum(k, n - k))
    alive = ~((k > n) | (k < 0))
    for i in range(int(steps.max(initial=0))):
        active = alive & (steps > i)
        if not active.any():
            break
        factor = np.where(active, n - i, 1)
        alive = alive & ~(active & (result > limit // factor))
        active = active & alive
        result = np.where(active, result * np.where(active, factor, 1) // (i + 1), result)
    return np.where(alive, result, 0)
