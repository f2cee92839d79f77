// Products that many threads add up at once.

#include "mxv.cuh"
#include "sums.cuh"

// Adds one product to a sum; true if it is the first one there. Where any product will do, the first one's thread has
// yet to write it.
DEVICE bool scatter(const Matrix& m, const Vector& u, const Sums& sums, int64 i, int64 k, int64 entry, int64 element) {
    if constexpr (!EXIT_AT_FIRST) add_atomically(sums.values + i, product(m, u, i, k, entry, element));
    return first_touch(sums, i);
}
