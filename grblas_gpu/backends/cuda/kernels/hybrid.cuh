// Rows by threads first and by their warp where that is not enough.

#include "mxv.cuh"

constexpr int PROBES = 8;  // entries that a thread looks at alone

// One row (or none: start == stop) for each lane. All lanes of the warp call it together.
DEVICE Sum hybrid_sum(const Matrix& m, const Vector& u, int64 i, int64 start, int64 stop) {
    Sum sum = {false, Value(0)};
    for (int probe = 0; probe < PROBES && start < stop && !finished(sum); ++probe) add_entry(m, u, i, start++, sum);
    unsigned open = __ballot_sync(FULL_WARP, start < stop && !finished(sum));
    while (open) {
        int owner = __ffs(open) - 1;
        open &= open - 1;
        Sum rest = warp_sum(m, u, from_lane(i, owner), from_lane(start, owner), from_lane(stop, owner));
        Sum given = {from_lane(rest.found, 0), rest.value};
        if constexpr (!STRUCTURE) given.value = from_lane(rest.value, 0);
        if (lane() == owner) sum = merged(sum, given);
    }
    return sum;
}

// Hands out 32 rows to a warp, whenever it is ready for more.
DEVICE int64 next_rows(int64* next) {
    int64 first = 0;
    if (lane() == 0) first = int64(atomicAdd((uint64*)next, uint64(32)));
    return from_lane(first, 0);
}
