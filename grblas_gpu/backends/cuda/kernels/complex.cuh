// Complex numbers, for programs that have some: the struct, and the arithmetic of operators as overloads of the prelude's.

template <class T> struct complex {
    T re, im;
    complex() = default;
    template <class U> DEVICE complex(U real) : re(T(real)), im(T(0)) {}
    template <class U> DEVICE complex(complex<U> z) : re(T(z.re)), im(T(z.im)) {}
    DEVICE complex(T real, T imaginary) : re(real), im(imaginary) {}
    template <class U> explicit DEVICE operator U() const { return cast<U>(re); }  // conversion to real types takes the real part
    DEVICE bool operator==(complex z) const { return re == z.re && im == z.im; }
    DEVICE bool operator!=(complex z) const { return re != z.re || im != z.im; }
};

namespace py {

// The type of the parts when operands are mixed: float only for floats and small integers.
template <class A> struct part_of { typedef A type; };
template <class T> struct part_of<complex<T>> { typedef T type; };
template <class A, class B> using mixed = complex<floating2<typename part_of<A>::type, typename part_of<B>::type>>;

template <class T> DEVICE T real_part(complex<T> z) { return z.re; }
template <class T> DEVICE T imaginary_part(complex<T> z) { return z.im; }
template <class T> DEVICE complex<T> complex_conjugate(complex<T> z) { return {z.re, -z.im}; }
template <class A, class B> DEVICE complex<floating2<A, B>> complex_of(A x, B y) { return {floating2<A, B>(x), floating2<A, B>(y)}; }
template <class T> DEVICE bool truth(complex<T> z) { return z.re != 0 || z.im != 0; }
template <class T> DEVICE T absolute(complex<T> z) { return hypot(z.re, z.im); }
template <class T> DEVICE T complex_angle(complex<T> z) { return atan2(z.im, z.re); }

template <class T> DEVICE complex<T> plus(complex<T> x, complex<T> y) { return {x.re + y.re, x.im + y.im}; }
template <class T> DEVICE complex<T> minus(complex<T> x, complex<T> y) { return {x.re - y.re, x.im - y.im}; }
template <class T> DEVICE complex<T> times(complex<T> x, complex<T> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
// Scaled by the larger part of the divisor; by zero infinite or NaN in each part.
template <class T> DEVICE complex<T> quotient(complex<T> x, complex<T> y) {
    if (fabs(y.re) >= fabs(y.im)) {
        if (y.re == 0 && y.im == 0) return {x.re / fabs(y.re), x.im / fabs(y.re)};
        T ratio = y.im / y.re, scale = T(1) / (y.re + y.im * ratio);
        return {(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale};
    }
    T ratio = y.re / y.im, scale = T(1) / (y.im + y.re * ratio);
    return {(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};
}

// Arithmetic of two operands, at least one of them complex.
#define COMPLEX_ARITHMETIC(name, what)                                                                            \
    template <class T, class U> DEVICE auto name(complex<T> x, complex<U> y) {                                    \
        return what(mixed<complex<T>, complex<U>>(x), mixed<complex<T>, complex<U>>(y));                          \
    }                                                                                                             \
    template <class T, class B> DEVICE auto name(complex<T> x, B y) { return name(x, mixed<complex<T>, B>(y)); }  \
    template <class A, class U> DEVICE auto name(A x, complex<U> y) { return name(mixed<A, complex<U>>(x), y); }
COMPLEX_ARITHMETIC(add, plus)
COMPLEX_ARITHMETIC(sub, minus)
COMPLEX_ARITHMETIC(mul, times)
COMPLEX_ARITHMETIC(divide, quotient)
template <class T> DEVICE bool equal(complex<T> x, complex<T> y) { return x == y; }
COMPLEX_ARITHMETIC(eq, equal)
template <class T> DEVICE bool ne(complex<T> x, complex<T> y) { return x != y; }
template <class T> DEVICE complex<T> neg(complex<T> z) { return {-z.re, -z.im}; }

template <class T> DEVICE bool isnan(complex<T> z) { return isnan(z.re) || isnan(z.im); }
template <class T> DEVICE bool isinf(complex<T> z) { return isinf(z.re) || isinf(z.im); }
template <class T> DEVICE bool isfinite(complex<T> z) { return isfinite(z.re) && isfinite(z.im); }
template <class T> DEVICE complex<T> square(complex<T> z) { return times(z, z); }

template <class T> DEVICE complex<T> complex_divide(complex<T> x, complex<T> y) { return quotient(x, y); }
template <class T> DEVICE complex<T> complex_inverse(complex<T> z) { return quotient(complex<T>(T(1), T(0)), z); }
template <class T> DEVICE complex<T> complex_ceil(complex<T> z) { return {ceil(z.re), ceil(z.im)}; }
template <class T> DEVICE complex<T> complex_floor(complex<T> z) { return {floor(z.re), floor(z.im)}; }
template <class T> DEVICE complex<T> complex_trunc(complex<T> z) { return {trunc(z.re), trunc(z.im)}; }
template <class T> DEVICE complex<T> complex_round(complex<T> z) { return {round_half_away(z.re), round_half_away(z.im)}; }
template <class T> DEVICE complex<T> complex_signum(complex<T> z) {
    T size = absolute(z);
    return size != 0 ? complex<T>(z.re / size, z.im / size) : complex<T>(T(0), T(0));
}
// By the real part and then the imaginary; NaN when either is.
template <class T> DEVICE complex<T> complex_maximum(complex<T> x, complex<T> y) {
    bool larger = x.re > y.re || (x.re == y.re && x.im >= y.im);
    return isnan(x) || (!isnan(y) && larger) ? x : y;
}
template <class T> DEVICE complex<T> complex_minimum(complex<T> x, complex<T> y) {
    bool smaller = x.re < y.re || (x.re == y.re && x.im <= y.im);
    return isnan(x) || (!isnan(y) && smaller) ? x : y;
}
template <class T> DEVICE bool complex_is_close(complex<T> x, complex<T> y, double relative, double tolerance) {
    double a = absolute(complex<double>(x)), b = absolute(complex<double>(y));
    double distance = absolute(minus(complex<double>(x), complex<double>(y)));
    return x == y || distance <= ::fmax(relative * ::fmax(a, b), tolerance);
}

// --- functions ---------------------------------------------------------------------------------------------------------

template <class T> DEVICE complex<T> exp(complex<T> z) {
    T size = exp(z.re);
    return z.im == 0 ? complex<T>(size, z.im) : complex<T>(size * cos(z.im), size * sin(z.im));
}
template <class T> DEVICE complex<T> log(complex<T> z) { return {log(absolute(z)), complex_angle(z)}; }
template <class T> DEVICE complex<T> scaled(complex<T> z, double factor) { return {T(z.re * T(factor)), T(z.im * T(factor))}; }
template <class T> DEVICE complex<T> exp2(complex<T> z) { return exp(scaled(z, 0.6931471805599453)); }
template <class T> DEVICE complex<T> log2(complex<T> z) { return scaled(log(z), 1.4426950408889634); }
template <class T> DEVICE complex<T> log10(complex<T> z) { return scaled(log(z), 0.4342944819032518); }
template <class T> DEVICE complex<T> log1p(complex<T> z) { return log(complex<T>(z.re + T(1), z.im)); }
template <class T> DEVICE complex<T> expm1(complex<T> z) {
    T half = sin(z.im * T(0.5));
    return {expm1(z.re) * cos(z.im) - T(2) * half * half, exp(z.re) * sin(z.im)};
}
template <class T> DEVICE complex<T> sqrt(complex<T> z) {
    if (z.re == 0 && z.im == 0) return {T(0), z.im};
    T size = absolute(z), root = sqrt((size + fabs(z.re)) * T(0.5)), other = fabs(z.im) / (root + root);
    return z.re >= 0 ? complex<T>(root, copysign(other, z.im)) : complex<T>(other, copysign(root, z.im));
}
// Whole powers by multiplication, others by the logarithm.
template <class T> DEVICE complex<T> complex_power(complex<T> x, complex<T> y) {
    if (y.re == 0 && y.im == 0) return {T(1), T(0)};
    if (x.re == 0 && x.im == 0) {
        if (y.re > 0 && y.im == 0) return {T(0), T(0)};
        return {not_a_number<T>(), not_a_number<T>()};
    }
    int n = fabs(y.re) < 100 ? int(y.re) : 0;
    if (y.im == 0 && n != 0 && T(n) == y.re) {
        complex<T> power(T(1), T(0)), base = x;
        for (int rest = n < 0 ? -n : n; rest; rest >>= 1, base = times(base, base))
            if (rest & 1) power = times(power, base);
        return n < 0 ? complex_inverse(power) : power;
    }
    return exp(times(y, log(x)));
}

template <class T> DEVICE complex<T> sinh(complex<T> z) { return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)}; }
template <class T> DEVICE complex<T> cosh(complex<T> z) { return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)}; }
template <class T> DEVICE complex<T> tanh(complex<T> z) {
    if (fabs(z.re) > T(20)) return {copysign(T(1), z.re), T(4) * sin(z.im) * cos(z.im) * exp(T(-2) * fabs(z.re))};
    T below = cosh(z.re + z.re) + cos(z.im + z.im);
    return {sinh(z.re + z.re) / below, sin(z.im + z.im) / below};
}
template <class T> DEVICE complex<T> asin(complex<T> z) {
    complex<T> below = sqrt(complex<T>(T(1) - z.re, -z.im)), above = sqrt(complex<T>(T(1) + z.re, z.im));
    return {atan2(z.re, times(below, above).re), asinh(times(complex_conjugate(below), above).im)};
}
template <class T> DEVICE complex<T> acos(complex<T> z) {
    complex<T> below = sqrt(complex<T>(T(1) - z.re, -z.im)), above = sqrt(complex<T>(T(1) + z.re, z.im));
    return {T(2) * atan2(below.re, above.re), asinh(times(complex_conjugate(above), below).im)};
}
template <class T> DEVICE complex<T> acosh(complex<T> z) {
    complex<T> below = sqrt(complex<T>(z.re - T(1), z.im)), above = sqrt(complex<T>(z.re + T(1), z.im));
    return {asinh(times(complex_conjugate(below), above).re), T(2) * atan2(below.im, above.re)};
}
template <class T> DEVICE complex<T> atanh(complex<T> z) {
    T rest = T(1) - z.re, squared = z.im * z.im;
    return {log1p(T(4) * z.re / (rest * rest + squared)) * T(0.25),
            atan2(z.im + z.im, rest * (T(1) + z.re) - squared) * T(0.5)};
}
// Functions that are another one rotated by a quarter turn: f(z) = -i g(iz).
#define TURNED(name, other)                                       \
    template <class T> DEVICE complex<T> name(complex<T> z) {     \
        complex<T> w = other(complex<T>(-z.im, z.re));            \
        return {w.im, -w.re};                                     \
    }
TURNED(sin, sinh)
TURNED(tan, tanh)
TURNED(asinh, asin)
TURNED(atan, atanh)
template <class T> DEVICE complex<T> cos(complex<T> z) { return cosh(complex<T>(-z.im, z.re)); }

}  // namespace py
