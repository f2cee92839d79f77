// Definitions for every kernel: types by their width, casts of GraphBLAS, and the arithmetic of Python and NumPy. Header-free, because
// NVRTC needs ten times longer for programs that include the standard library.

typedef signed char int8;
typedef unsigned char uint8;
typedef short int16;
typedef unsigned short uint16;
typedef int int32;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;

#define DEVICE __device__ __forceinline__
// Before a loop of which the compiler writes out all rounds, or some at a time.
#define UNROLLED _Pragma("unroll")
#define PRAGMA(text) _Pragma(#text)
#define UNROLLED_BY(number) PRAGMA(unroll number)
// Functions that run once per step, not once per entry, are called, not inlined, in loops of many steps (CALLS; fusion/emit_calls.py).
#define CALLABLE DEVICE
#define CALLS false

// --- types -----------------------------------------------------------------------------------------------------------

template <class A, class B> constexpr bool same_type = false;
template <class A> constexpr bool same_type<A, A> = true;
template <class T> constexpr bool is_float = same_type<T, float> || same_type<T, double>;
template <class T> struct complex;  // complex.cuh, in programs that have some
template <class T> constexpr bool is_complex = false;
template <class T> constexpr bool is_complex<complex<T>> = true;
template <class T> constexpr bool is_signed = T(-1) < T(0);

template <bool condition, class A, class B> struct select_type { typedef A type; };
template <class A, class B> struct select_type<false, A, B> { typedef B type; };
template <bool condition, class A, class B> using either = typename select_type<condition, A, B>::type;

template <class T> struct limits;
template <> struct limits<int8> { static constexpr int8 low = -128, high = 127; };
template <> struct limits<uint8> { static constexpr uint8 low = 0, high = 255; };
template <> struct limits<int16> { static constexpr int16 low = -32768, high = 32767; };
template <> struct limits<uint16> { static constexpr uint16 low = 0, high = 65535; };
template <> struct limits<int32> { static constexpr int32 low = -2147483647 - 1, high = 2147483647; };
template <> struct limits<uint32> { static constexpr uint32 low = 0, high = 4294967295u; };
template <> struct limits<int64> { static constexpr int64 low = -9223372036854775807ll - 1, high = 9223372036854775807ll; };
template <> struct limits<uint64> { static constexpr uint64 low = 0, high = 18446744073709551615ull; };

template <class T> DEVICE T infinity() { return T(__int_as_float(0x7f800000)); }
template <class T> DEVICE T not_a_number() { return T(__int_as_float(0x7fc00000)); }

// Anything nonzero is true, floats saturate to integers, NaN becomes 0, integers wrap around.
template <class To, class From> DEVICE To cast(From value) {
    if constexpr (same_type<To, bool>) {
        return value != From(0);
    } else if constexpr (is_float<From> && !is_float<To> && !is_complex<To>) {
        if (value != value) return To(0);
        if (value <= From(limits<To>::low)) return limits<To>::low;
        if (value >= From(limits<To>::high)) return limits<To>::high;
        return To(value);
    } else {
        return To(value);
    }
}

// A value in a word, as scalars reach kernels and as a loop keeps its Scalars (Variable).
template <class T> DEVICE T value_of(uint64 bits) {
    if constexpr (same_type<T, double>) return __longlong_as_double(bits);
    else if constexpr (same_type<T, float>) return __uint_as_float(unsigned(bits));
    else return T(bits);
}
template <class T> DEVICE uint64 bits_of(T value) {
    if constexpr (same_type<T, double>) return uint64(__double_as_longlong(value));
    else if constexpr (same_type<T, float>) return __float_as_uint(value);
    else if constexpr (same_type<T, bool>) return value ? 1 : 0;
    else return uint64(int64(value));
}

// A vector that one step of a program reads (fusion/emit_one_step.py).
template <class T> struct Operand {
    const bool* flags;
    const T* at;
    int64 each;  // all bits set; or none: one value stands for all

    struct Values {
        const T* at;
        int64 each;
        DEVICE const T& operator[](int64 i) const { return at[i & each]; }
    };
    DEVICE bool has(int64 i) const { return flags[i]; }
    DEVICE Values values() const { return {at, each}; }
};

// --- the arithmetic of operators: what Numba computes ----------------------------------------------------------------

namespace py {

// Integers are computed in 64 bits and wrap around; a wide integer turns a float into a double.
template <class A, class B> constexpr bool in_float =
    (is_float<A> || is_float<B>) && !same_type<A, double> && !same_type<B, double> &&
    (is_float<A> || sizeof(A) <= 2) && (is_float<B> || sizeof(B) <= 2);
template <class A> constexpr bool plain_unsigned = !is_float<A> && !is_signed<A> && !same_type<A, bool>;
template <class A, class B> constexpr bool in_unsigned =
    (plain_unsigned<A> && plain_unsigned<B>) || same_type<A, uint64> || same_type<B, uint64> ||
    (plain_unsigned<A> && same_type<B, bool>) || (plain_unsigned<B> && same_type<A, bool>);
template <class A, class B> using promoted =
    either<in_float<A, B>, float,
           either<is_float<A> || is_float<B>, double, either<in_unsigned<A, B>, uint64, int64>>>;
template <class A, class B> using common = either<same_type<A, B>, A, promoted<A, B>>;
template <class A> using floating = either<same_type<A, float>, float, double>;
template <class A, class B> using floating2 = either<is_float<promoted<A, B>>, promoted<A, B>, double>;

template <class A> DEVICE bool truth(A a) { return a != A(0); }

#define ARITHMETIC(name, sign)                                            \
    template <class A, class B> DEVICE auto name(A a, B b) {              \
        using T = promoted<A, B>;                                         \
        if constexpr (is_float<T>) return T(a) sign T(b);                 \
        else return T(uint64(T(a)) sign uint64(T(b)));                    \
    }
ARITHMETIC(add, +)
ARITHMETIC(sub, -)
ARITHMETIC(mul, *)
template <class A> DEVICE auto neg(A a) {
    if constexpr (is_float<A>) return -a;
    else return sub(int64(0), a);
}
template <class A> DEVICE A pos(A a) { return a; }
template <class A> DEVICE auto invert(A a) { return ~promoted<A, A>(a); }
template <class A, class B> DEVICE auto divide(A a, B b) {
    using T = floating2<A, B>;
    return T(a) / T(b);
}

#define BITWISE(name, sign, of_truths)                                                        \
    template <class A, class B> DEVICE auto name(A a, B b) {                                  \
        if constexpr (same_type<A, bool> && same_type<B, bool>) return a of_truths b;         \
        else return promoted<A, B>(a) sign promoted<A, B>(b);                                 \
    }
BITWISE(bit_and, &, &&)
BITWISE(bit_or, |, ||)
BITWISE(bit_xor, ^, !=)
template <class A, class B> DEVICE auto shift_left(A a, B b) {
    return promoted<A, A>(uint64(a) << (uint64(b) & 63));
}
template <class A, class B> DEVICE auto shift_right(A a, B b) { return promoted<A, A>(a) >> (uint64(b) & 63); }

// Integers of different signs compare by their value.
template <class A, class B> DEVICE bool eq(A a, B b) {
    if constexpr (is_float<A> || is_float<B>) return promoted<A, B>(a) == promoted<A, B>(b);
    else if constexpr (is_signed<A> && !is_signed<B>) return a >= 0 && uint64(a) == uint64(b);
    else if constexpr (!is_signed<A> && is_signed<B>) return b >= 0 && uint64(a) == uint64(b);
    else return a == b;
}
template <class A, class B> DEVICE bool lt(A a, B b) {
    if constexpr (is_float<A> || is_float<B>) return promoted<A, B>(a) < promoted<A, B>(b);
    else if constexpr (is_signed<A> && !is_signed<B>) return a < 0 || uint64(a) < uint64(b);
    else if constexpr (!is_signed<A> && is_signed<B>) return b >= 0 && uint64(a) < uint64(b);
    else return a < b;
}
template <class A, class B> DEVICE bool ne(A a, B b) { return !eq(a, b); }
template <class A, class B> DEVICE bool gt(A a, B b) { return lt(b, a); }
template <class A, class B> DEVICE bool le(A a, B b) { return lt(a, b) || eq(a, b); }
template <class A, class B> DEVICE bool ge(A a, B b) { return lt(b, a) || eq(a, b); }

template <class A, class B> DEVICE auto choose(bool condition, A a, B b) {
    using T = common<A, B>;
    return condition ? T(a) : T(b);
}
template <class A, class B> DEVICE auto both(A a, B b) { return choose(truth(a), b, a); }
template <class A, class B> DEVICE auto one_of(A a, B b) { return choose(truth(a), a, b); }
template <class A, class B> DEVICE auto min2(A a, B b) { return choose(lt(b, a), b, a); }
template <class A, class B> DEVICE auto max2(A a, B b) { return choose(lt(a, b), b, a); }

template <class A> DEVICE auto absolute(A a) {
    if constexpr (is_float<A>) return A(fabs(a));
    else if constexpr (is_signed<A>) return a < 0 ? neg(a) : int64(a);
    else return a;
}
template <class A> DEVICE uint64 magnitude(A a) { return uint64(absolute(a)); }

// NumPy's functions of the same names stay in the type of their operands, where the signs of Python widen it.
template <class A, class B> DEVICE auto same_add(A a, B b) { return common<A, B>(add(a, b)); }
template <class A, class B> DEVICE auto same_sub(A a, B b) {
    using T = common<A, B>;
    return either<same_type<T, bool>, int64, T>(sub(a, b));
}
template <class A, class B> DEVICE auto same_mul(A a, B b) { return common<A, B>(mul(a, b)); }
template <class A, class B> DEVICE auto same_and(A a, B b) { return common<A, B>(bit_and(a, b)); }
template <class A, class B> DEVICE auto same_or(A a, B b) { return common<A, B>(bit_or(a, b)); }
template <class A, class B> DEVICE auto same_xor(A a, B b) { return common<A, B>(bit_xor(a, b)); }
template <class A> DEVICE auto same_neg(A a) { return either<same_type<A, bool>, int64, A>(neg(a)); }
template <class A> DEVICE A same_invert(A a) {
    if constexpr (same_type<A, bool>) return !a;
    else return A(~a);
}
template <class A, class B> DEVICE bool logical_and(A a, B b) { return truth(a) && truth(b); }
template <class A, class B> DEVICE bool logical_or(A a, B b) { return truth(a) || truth(b); }
template <class A, class B> DEVICE bool logical_xor(A a, B b) { return truth(a) != truth(b); }
template <class A> DEVICE bool logical_not(A a) { return !truth(a); }

template <class A> DEVICE A real_part(A a) { return a; }
template <class A> DEVICE A imaginary_part(A a) { return A(0); }

// --- integer helpers -------------------------------------------------------------------------------------------------

// Rounds towards zero; by zero it gives 0, low or high.
DEVICE int64 signed_divide(int64 x, int64 y, int64 low, int64 high) {
    if (y == 0) return x == 0 ? x : x > 0 ? high : low;
    return y == -1 ? neg(x) : x / y;
}
DEVICE uint64 unsigned_divide(uint64 x, uint64 y, uint64 high) {
    if (y == 0) return x != 0 ? high : x;
    return x / y;
}
DEVICE int64 signed_floor_divide(int64 x, int64 y) {
    if (y == 0) return 0;
    if (y == -1) return neg(x);
    int64 quotient = x / y;
    return quotient * y != x && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}
DEVICE uint64 unsigned_floor_divide(uint64 x, uint64 y) { return y != 0 ? x / y : y; }
DEVICE int64 signed_mod(int64 x, int64 y) {
    if (y == 0 || y == -1) return 0;
    int64 remainder = x % y;
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}
DEVICE int64 signed_fmod(int64 x, int64 y) { return y == 0 || y == -1 ? 0 : x % y; }
DEVICE uint64 unsigned_mod(uint64 x, uint64 y) { return y != 0 ? x % y : y; }

template <class A, class B> DEVICE auto gcd(A a, B b) {
    uint64 x = magnitude(a), y = magnitude(b);
    while (y != 0) {
        uint64 rest = x % y;
        x = y;
        y = rest;
    }
    return promoted<A, B>(x);
}
template <class A, class B> DEVICE uint64 least_common_multiple(A a, B b) {
    uint64 divisor = uint64(gcd(a, b));
    return divisor != 0 ? magnitude(a) / divisor * magnitude(b) : divisor;
}

DEVICE uint64 unsigned_power(uint64 x, uint64 y) {
    uint64 result = 1;
    for (; y != 0; y >>= 1, x *= x)
        if (y & 1) result *= x;
    return result;
}
// Wraps around; a negative power is the integer part of the inverse.
DEVICE int64 signed_power(int64 x, int64 y) {
    if (y >= 0) return int64(unsigned_power(uint64(x), uint64(y)));
    if (x == 1 || x == -1) return y & 1 ? x : 1;
    return 0;
}

template <class A> DEVICE int64 saturate_signed(A value, int64 low, int64 high) {
    if (value != value) return 0;
    if (value <= A(low)) return low;
    if (value >= A(high)) return high;
    return int64(value);
}
template <class A> DEVICE uint64 saturate_unsigned(A value, uint64 high) {
    if (!(value > 0)) return 0;
    if (value >= A(high)) return high;
    return uint64(value);
}

// Bits are numbered from 1.
template <class A, class B> DEVICE bool bit_get(A x, B y, int64 bits) {
    int64 bit = int64(y);
    return 1 <= bit && bit <= bits && (uint64(x) >> (bit - 1) & 1) != 0;
}
template <class A, class B> DEVICE uint64 bit_set(A x, B y, int64 bits) {
    int64 bit = int64(y);
    return 1 <= bit && bit <= bits ? uint64(x) | uint64(1) << (bit - 1) : uint64(x);
}
template <class A, class B> DEVICE uint64 bit_clear(A x, B y, int64 bits) {
    int64 bit = int64(y);
    return 1 <= bit && bit <= bits ? uint64(x) & ~(uint64(1) << (bit - 1)) : uint64(x);
}
template <class B> DEVICE int64 signed_shift(int64 x, B y, int64 bits) {
    int64 count = int8(y);
    if (count >= bits) return 0;
    if (count > 0) return int64(uint64(x) << count);
    return x >> (-count < bits - 1 ? -count : bits - 1);
}
template <class B> DEVICE uint64 unsigned_shift(uint64 x, B y, int64 bits) {
    int64 count = int8(y);
    if (count >= bits || count <= -bits) return 0;
    return count > 0 ? x << count : x >> -count;
}
template <class A, class B> DEVICE uint64 left_shift(A x, B y, int64 bits) {
    int64 count = int64(y);
    return 0 <= count && count < bits ? uint64(x) << count : 0;
}
template <class B> DEVICE int64 signed_right_shift(int64 x, B y, int64 bits) {
    int64 count = int64(y);
    return x >> (0 <= count && count < bits ? count : bits - 1);
}
template <class B> DEVICE uint64 unsigned_right_shift(uint64 x, B y, int64 bits) {
    return uint64(y) < uint64(bits) ? x >> uint64(y) : 0;
}

// n over k, or 0 when out of bounds or too large.
DEVICE int64 binomial(int64 n, int64 k) {
    if (k > n || k < 0) return 0;
    int64 result = 1;
    int64 steps = k < n - k ? k : n - k;
    for (int64 i = 0; i < steps; ++i) {
        if (result > limits<int64>::high / (n - i)) return 0;
        result = result * (n - i) / (i + 1);
    }
    return result;
}

// --- float helpers ---------------------------------------------------------------------------------------------------

// One function for float, one for everything else in double.
#define FLOAT_FUNCTION(name, single, wide)             \
    DEVICE float name(float x) { return single(x); }   \
    DEVICE double name(double x) { return wide(x); }   \
    template <class A> DEVICE double name(A x) { return wide(double(x)); }
#define FLOAT_FUNCTION2(name, single, wide)                                     \
    DEVICE float name##_of(float x, float y) { return single(x, y); }           \
    DEVICE double name##_of(double x, double y) { return wide(x, y); }          \
    template <class A, class B> DEVICE auto name(A x, B y) {                    \
        return name##_of(floating2<A, B>(x), floating2<A, B>(y));               \
    }

#define OF_BOTH(name) FLOAT_FUNCTION(name, ::name##f, ::name)
OF_BOTH(sqrt) OF_BOTH(cbrt) OF_BOTH(exp) OF_BOTH(exp2) OF_BOTH(expm1) OF_BOTH(log) OF_BOTH(log2) OF_BOTH(log10)
OF_BOTH(log1p) OF_BOTH(sin) OF_BOTH(cos) OF_BOTH(tan) OF_BOTH(sinh) OF_BOTH(cosh) OF_BOTH(tanh) OF_BOTH(asin)
OF_BOTH(acos) OF_BOTH(atan) OF_BOTH(asinh) OF_BOTH(acosh) OF_BOTH(atanh) OF_BOTH(erf) OF_BOTH(erfc) OF_BOTH(floor)
OF_BOTH(ceil) OF_BOTH(trunc) OF_BOTH(rint) OF_BOTH(fabs)
FLOAT_FUNCTION(round_half_away, ::roundf, ::round)
FLOAT_FUNCTION2(atan2, ::atan2f, ::atan2)
FLOAT_FUNCTION2(hypot, ::hypotf, ::hypot)
FLOAT_FUNCTION2(copysign, ::copysignf, ::copysign)
// A power of whole numbers that a float can hold is one: the device's pow(3.0, 1.0) may be a little less.
DEVICE bool is_whole_power(double x, double y, double power, double most) {
    return y >= 0 && ::fabs(power) < most && ::trunc(x) == x && ::trunc(y) == y;
}
DEVICE float exact_powf(float x, float y) {
    float power = ::powf(x, y);
    return is_whole_power(x, y, power, 16777216.0) ? ::rintf(power) : power;
}
DEVICE double exact_pow(double x, double y) {
    double power = ::pow(x, y);
    return is_whole_power(x, y, power, 9007199254740992.0) ? ::rint(power) : power;
}
FLOAT_FUNCTION2(float_pow, exact_powf, exact_pow)
FLOAT_FUNCTION2(float_fmod, ::fmodf, ::fmod)

template <class A> DEVICE bool isnan(A x) { return x != x; }
template <class A> DEVICE bool isinf(A x) {
    if constexpr (is_float<A>) return x == infinity<A>() || x == -infinity<A>();
    else return false;
}
template <class A> DEVICE bool isfinite(A x) { return !isnan(x) && !isinf(x); }
// `math.floor` and its kin give integers, `np.floor` does not.
template <class A> DEVICE int64 int_floor(A x) { return cast<int64>(floor(x)); }
template <class A> DEVICE int64 int_ceil(A x) { return cast<int64>(ceil(x)); }
template <class A> DEVICE int64 int_trunc(A x) { return cast<int64>(trunc(x)); }
template <class A> DEVICE int64 int_round(A x) { return cast<int64>(rint(x)); }

// NaN only when both are.
template <class A, class B> DEVICE auto smaller(A x, B y) { return choose(lt(x, y) || isnan(y), x, y); }
template <class A, class B> DEVICE auto larger(A x, B y) { return choose(lt(y, x) || isnan(y), x, y); }
// NaN when either is.
template <class A, class B> DEVICE auto minimum(A x, B y) { return choose(lt(x, y) || isnan(x), x, y); }
template <class A, class B> DEVICE auto maximum(A x, B y) { return choose(lt(y, x) || isnan(x), x, y); }

// As NumPy: exact where floor(x / y) would round up.
template <class T> DEVICE T floor_divide_of(T x, T y) {
    T remainder = y != 0 ? float_fmod_of(x, y) : x / y;
    if (y == 0 || remainder != remainder) return remainder;
    T quotient = (x - remainder) / y;
    if (remainder != 0 && (y < 0) != (remainder < 0)) quotient -= 1;
    if (quotient == 0) return copysign_of(T(0), x / y);
    T whole = floor(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
}
template <class A, class B> DEVICE auto float_floor_divide(A x, B y) {
    return floor_divide_of(floating2<A, B>(x), floating2<A, B>(y));
}
template <class T> DEVICE T mod_of(T x, T y) {
    T remainder = float_fmod_of(x, y);
    if (remainder == 0) return y != 0 ? copysign_of(T(0), y) : remainder;
    return (y < 0) != (remainder < 0) ? remainder + y : remainder;
}
// One function for floats, one for signed integers, one for unsigned ones.
#define BY_KIND(name, of_floats, of_signed, of_unsigned)                          \
    template <class A, class B> DEVICE auto name(A x, B y) {                      \
        using T = promoted<A, B>;                                                 \
        if constexpr (is_float<T>) return of_floats(T(x), T(y));                  \
        else if constexpr (is_signed<T>) return of_signed(x, y);                  \
        else return of_unsigned(x, y);                                            \
    }
BY_KIND(floor_divide, floor_divide_of, signed_floor_divide, unsigned_floor_divide)
BY_KIND(mod, mod_of, signed_mod, unsigned_mod)
BY_KIND(fmod, float_fmod_of, signed_fmod, unsigned_mod)
BY_KIND(power, float_pow_of, signed_power, unsigned_power)
// As C's pow, but NaN in either operand always gives NaN.
template <class A, class B> DEVICE auto float_power(A x, B y) {
    using T = floating2<A, B>;
    return isnan(x) || isnan(y) ? T(x) + T(y) : float_pow_of(T(x), T(y));
}

// The remainder of the quotient rounded to nearest, ties to even.
template <class A, class B> DEVICE auto ieee_remainder(A a, B b) {
    using T = floating2<A, B>;
    if constexpr (same_type<T, float>) return ::remainderf(a, b);
    else return ::remainder(double(a), double(b));
}
template <class A> DEVICE auto signum(A x) {
    using T = floating<A>;
    return isnan(x) ? T(x) : T(T(x > 0) - T(x < 0));
}
template <class A> DEVICE auto square(A x) { return mul(x, x); }
template <class A> DEVICE bool signbit(A x) {
    if constexpr (same_type<A, float>) return __float_as_int(x) < 0;
    else if constexpr (same_type<A, double>) return __double_as_longlong(x) < 0;
    else return x < A(0);
}
template <class A> DEVICE auto deg2rad(A x) { return floating<A>(x) * floating<A>(3.14159265358979323846 / 180.0); }
template <class A> DEVICE auto rad2deg(A x) { return floating<A>(x) * floating<A>(180.0 / 3.14159265358979323846); }

template <class A> DEVICE int frexp_exponent(A x) {
    int exponent = 0;
    if (isfinite(x)) ::frexp(double(x), &exponent);
    return exponent;
}
template <class A> DEVICE auto frexp_fraction(A x) {
    int exponent = 0;
    return isfinite(x) ? floating<A>(::frexp(double(x), &exponent)) : floating<A>(x);
}
template <class A, class B> DEVICE auto load_exponent(A x, B y) {
    return floating<A>(::ldexp(double(x), int(saturate_signed(y, limits<int32>::low, limits<int32>::high))));
}
// Of NumPy's ldexp the exponent is an integer.
template <class A, class B> DEVICE auto same_ldexp(A x, B y) {
    return floating<A>(::ldexp(double(x), int(fmin(fmax(double(y), -9999.0), 9999.0))));
}
// C's tgamma; in double, because CUDA's float version is off by several units.
template <class A> DEVICE auto gamma(A x) {
    if (x < 0 && ::floor(double(x)) == double(x)) return not_a_number<floating<A>>();
    return floating<A>(::tgamma(double(x)));
}
template <class A> DEVICE auto log_gamma(A x) {
    return isinf(x) ? infinity<floating<A>>() : floating<A>(::lgamma(double(x)));
}

template <class A, class B> DEVICE auto logaddexp(A a, B b) {
    using T = floating2<A, B>;
    T x = T(a), y = T(b);
    if (x == y) return T(x + T(0.6931471805599453));
    T difference = x - y;
    if (difference > 0) return T(x + log1p(exp(-difference)));
    if (difference <= 0) return T(y + log1p(exp(difference)));
    return difference;
}
template <class A, class B> DEVICE auto logaddexp2(A a, B b) {
    using T = floating2<A, B>;
    T x = T(a), y = T(b);
    if (x == y) return T(x + 1);
    T difference = x - y;
    T of_e = T(1.4426950408889634);
    if (difference > 0) return T(x + of_e * log1p(exp2(-difference)));
    if (difference <= 0) return T(y + of_e * log1p(exp2(difference)));
    return difference;
}

// Neighbours by their bits: comparisons would flush small floats to zero.
DEVICE float next_of(float x, float y) {
    if (x != x || y != y) return x + y;
    int a = __float_as_int(x), b = __float_as_int(y);
    a = a < 0 ? limits<int32>::low - a : a;
    b = b < 0 ? limits<int32>::low - b : b;
    if (a == b) return y;
    a += a < b ? 1 : -1;
    return __int_as_float(a < 0 ? limits<int32>::low - a : a);
}
DEVICE double next_of(double x, double y) { return ::nextafter(x, y); }
template <class A, class B> DEVICE auto nextafter(A x, B y) {
    return next_of(floating2<A, B>(x), floating2<A, B>(y));
}
// The distance to the next number away from zero.
DEVICE float spacing_of(float x) {
    if (!isfinite(x)) return not_a_number<float>();
    int bits = __float_as_int(x), exponent = bits >> 23 & 255;
    int gap = exponent > 23 ? exponent - 23 << 23 : 1 << (exponent > 0 ? exponent - 1 : 0);
    return __int_as_float(gap | (bits & limits<int32>::low));
}
DEVICE double spacing_of(double x) {
    if (!isfinite(x)) return not_a_number<double>();
    int64 bits = __double_as_longlong(x), exponent = bits >> 52 & 2047;
    int64 gap = exponent > 52 ? exponent - 52 << 52 : int64(1) << (exponent > 0 ? exponent - 1 : 0);
    return __longlong_as_double(gap | (bits & limits<int64>::low));
}
template <class A> DEVICE auto spacing(A x) { return spacing_of(floating<A>(x)); }

template <class A, class B> DEVICE bool is_close(A x, B y, double relative, double absolute) {
    double a = double(x), b = double(y), larger_one = ::fmax(::fabs(a), ::fabs(b));
    return eq(x, y) || ::fabs(a - b) <= ::fmax(relative * larger_one, absolute);
}

}  // namespace py
