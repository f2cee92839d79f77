// Rows by threads first, then by their warp.

#include "mxv.cuh"

constexpr int PROBES = 8;  // entries that a thread reads alone

// One row (or none: start == stop) for each lane. All lanes of the warp call it together.
DEVICE Sum hybrid_sum(const Matrix& m, const Vector& u, int64 i, int64 start, int64 stop) {
    Sum sum = {false, Value(0)};
    if constexpr (ENDS_EARLY) {
        for (int probe = 0; probe < PROBES && start < stop && !finished(sum); ++probe) add_entry(m, u, i, start++, sum);
    } else {
        for (int probe = 0; probe < PROBES && start < stop && !finished(sum); probe += BATCH, start += BATCH)
            add_entries<1>(m, u, i, start, stop, sum);
    }
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

// Rows, ROWS at a time. If there are many, idle warps fetch more, because the time of a row is unknown beforehand; a few rows are
// distributed statically, since an atomic takes longer.
template <int ROWS> struct Tickets {
    static constexpr int AT_A_TIME = 4;
    int64* counter;
    unsigned group;  // the last batch of ROWS rows that this warp got
    int left;        // batches left in the fetched range; negative: all are distributed
    DEVICE unsigned warps() const { return (blockDim.x >> 5) * BLOCK_COUNT; }
    DEVICE Tickets(int64 rows, int64* counters) : counter(counters + TICKET) {
        bool many = rows >= 2 * AT_A_TIME * ROWS * warps_in_grid();
        unsigned warp = (thread() >> 5) * BLOCK_COUNT + blockIdx.x;  // neighbours are in different blocks
        group = many ? warp * AT_A_TIME - 1 : warp - warps();
        left = many ? AT_A_TIME : -1;
    }
    // The first of the next rows; at least the number of rows if none are left.
    DEVICE int64 next() {
        if (left < 0) {
            group += warps();
        } else if (left-- > 0) {
            ++group;
        } else {
            int64 taken = 0;
            if (lane() == 0) taken = add_alone(counter, AT_A_TIME);
            left = AT_A_TIME - 1;
            group = warps() * AT_A_TIME + from_lane(unsigned(taken), 0);
        }
        return int64(group) * ROWS;
    }
};
template <int ROWS, class Visit> DEVICE void for_each_rows(int64 rows, int64* counters, Visit visit) {
    Tickets<ROWS> tickets(rows, counters);
    for (int64 first = tickets.next(); first < rows; first = tickets.next()) visit(first);
}
