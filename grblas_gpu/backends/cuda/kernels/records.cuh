// Values of user-defined types, for programs that use some: sub-arrays, and the operators on records and sub-arrays. The structs of records
// are generated (runtime/structs.py), also in the namespace py, so that these functions find theirs.

namespace py {

template <class T, int N> struct cells {
    T at[N];
    cells() = default;
    template <class U> DEVICE cells(const cells<U, N>& other) {
        for (int k = 0; k < N; ++k) at[k] = cast<T>(other.at[k]);
    }
    template <int K> DEVICE T item() const { return at[K < 0 ? K + N : K]; }
};

template <class A> constexpr int rank = 0;
template <class T, int N> constexpr int rank<cells<T, N>> = 1 + rank<T>;

template <class A> DEVICE A choose(bool condition, A a, A b) { return condition ? a : b; }

template <class A, int N, class B> DEVICE bool eq(const cells<A, N>& a, const cells<B, N>& b) {
    for (int k = 0; k < N; ++k)
        if (!eq(a.at[k], b.at[k])) return false;
    return true;
}
template <class A, int N, class B> DEVICE bool ne(const cells<A, N>& a, const cells<B, N>& b) { return !eq(a, b); }

// p[0], p[-1]: a field of a record by its number, or an element; p[k], p[i, j]: elements.
template <int K, class R> DEVICE auto item_at(const R& r) { return r.template item<K>(); }
template <class T, int N, class I> DEVICE T item(const cells<T, N>& a, I k) { return a.at[k < 0 ? k + N : k]; }
template <class T, int N, class I, class... J> DEVICE auto item(const cells<T, N>& a, I k, J... more) {
    return item(a.at[k < 0 ? k + N : k], more...);
}

// Element by element: of two arrays of one shape, or of an array and a number.
#define BY_ELEMENT(name)                                                                                      \
    template <class A, int N, class B> DEVICE auto name(const cells<A, N>& a, const B& b) {                   \
        static_assert(rank<B> == 0, "arrays of different shapes");                                            \
        cells<decltype(name(a.at[0], b)), N> result;                                                          \
        for (int k = 0; k < N; ++k) result.at[k] = name(a.at[k], b);                                          \
        return result;                                                                                        \
    }                                                                                                         \
    template <class A, class B, int N> DEVICE auto name(const A& a, const cells<B, N>& b) {                   \
        static_assert(rank<A> == 0, "arrays of different shapes");                                            \
        cells<decltype(name(a, b.at[0])), N> result;                                                          \
        for (int k = 0; k < N; ++k) result.at[k] = name(a, b.at[k]);                                          \
        return result;                                                                                        \
    }                                                                                                         \
    template <class A, class B, int N> DEVICE auto name(const cells<A, N>& a, const cells<B, N>& b) {         \
        static_assert(rank<A> == rank<B>, "arrays of different shapes");                                      \
        cells<decltype(name(a.at[0], b.at[0])), N> result;                                                    \
        for (int k = 0; k < N; ++k) result.at[k] = name(a.at[k], b.at[k]);                                    \
        return result;                                                                                        \
    }
BY_ELEMENT(add)
BY_ELEMENT(sub)
BY_ELEMENT(mul)
BY_ELEMENT(divide)
#undef BY_ELEMENT

// x.sum(), x.prod(), x.min(), x.max(): in order, as Numba adds.
#define OF_ALL(name, combine)                                                                                 \
    template <class T, int N> DEVICE auto name(const cells<T, N>& a) {                                        \
        if constexpr (rank<T> > 0) {                                                                          \
            auto result = name(a.at[0]);                                                                      \
            for (int k = 1; k < N; ++k) result = combine(result, name(a.at[k]));                              \
            return result;                                                                                    \
        } else {                                                                                              \
            decltype(combine(a.at[0], a.at[0])) result = a.at[0];                                             \
            for (int k = 1; k < N; ++k) result = combine(result, a.at[k]);                                    \
            return result;                                                                                    \
        }                                                                                                     \
    }
OF_ALL(sum_of, add)
OF_ALL(product_of, mul)
OF_ALL(least_of, min2)
OF_ALL(largest_of, max2)
#undef OF_ALL

}  // namespace py
using py::cells;
