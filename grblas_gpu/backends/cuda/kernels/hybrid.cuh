// Rows by threads first and by their warp where that is not enough.

#include "mxv.cuh"

constexpr int PROBES = 8;  // entries that a thread looks at alone

// One row (or none: start == stop) for each lane. All lanes of the warp call it together. IN_BATCHES: it is not likely that the
// next entry ends the search.
template <bool IN_BATCHES = false>
DEVICE Sum hybrid_sum(const Matrix& m, const Vector& u, int64 i, int64 start, int64 stop) {
    Sum sum = {false, Value(0)};
    if constexpr (ENDS_EARLY && !IN_BATCHES) {
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

// visit(first) for every ROWS rows, handed out to warps that are ready, because nobody knows how long a row will take: a
// block takes a few hundred rows at a time, its warps share them. All threads of the block call it.
template <int ROWS, class Visit> DEVICE void for_each_rows(int64 rows, int64* counters, Visit visit) {
    __shared__ int64 next_begin;
    __shared__ int given;
    int64 blocks = BLOCK_COUNT;
    int64 chunk = (rows / (2 * blocks) + 255) & ~int64(255);
    chunk = chunk < 256 ? 256 : chunk > 4096 ? 4096 : chunk;
    int64 begin = blockIdx.x * chunk;  // the first chunk is there for the taking
    while (begin < rows) {
        __syncthreads();
        if (threadIdx.x == 0) given = 0;
        __syncthreads();
        int64 end = begin + chunk < rows ? begin + chunk : rows;
        while (true) {
            int64 first = 0;
            if (lane() == 0) first = begin + atomicAdd(&given, ROWS);
            first = from_lane(first, 0);
            if (first >= end) break;
            visit(first);
        }
        if (blocks * chunk >= rows) return;
        if (threadIdx.x == 0)
            next_begin = blocks * chunk + int64(atomicAdd((uint64*)(counters + TICKET), uint64(chunk)));
        __syncthreads();
        begin = next_begin;
    }
}
