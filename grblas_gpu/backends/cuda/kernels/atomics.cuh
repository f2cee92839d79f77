// Sums of products by atomics of many threads.

#include "mxv.cuh"
#include "sums.cuh"

// Adds one product to a sum; returns true for the first product there. With the ANY monoid the caller that gets true has to write the
// value.
DEVICE bool scatter(const Matrix& m, const Vector& u, const Sums& sums, int64 i, int64 k, int64 entry, int64 element) {
    if constexpr (!EXIT_AT_FIRST) add_atomically(sums.values + i, product(m, u, i, k, entry, element));
    return first_touch(sums, i);
}
