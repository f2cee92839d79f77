// Sums of rows that follow each other, a lane for each, by a warp that goes through their entries as they lie in memory:
// neighbours read neighbours, however long rows are. Generated: Offset, and what parts.cuh needs.

#include "parts.cuh"

DEVICE unsigned warp_union(unsigned bits) {
#ifdef __CUDA_ARCH__
    return __reduce_or_sync(FULL_WARP, bits);
#else
    for (int distance = 16; distance > 0; distance >>= 1) bits |= __shfl_xor_sync(FULL_WARP, bits, distance);
    return bits;
#endif
}

// Numbers of entries, and of entries and rows together: 32 bits have room for both if offsets have 32, with sign, and registers are
// short.
using Place = either<sizeof(Offset) == 8, int64, unsigned>;

// A position among `count` entries from `base` on; before them: -1, behind them: their number.
DEVICE int seen_from(Place base, int count, Place position) {
    either<sizeof(Offset) == 8, int64, int> away = position - base;
    return away < 0 ? -1 : away < count ? int(away) : count;
}

// The entries from `from` to `to`, of which the row of this lane has those from `start` to `stop`, are added to the lane's
// sum. A warp reads whole cache lines: from a `base` before `from` on. load(base, skipped, count, items): items[k] is the value of
// entry base + 32 * k + lane(), of the first `count`; items that are skipped are undefined and unused. A lane issues IN_FLIGHT loads
// together. The loop over them has no early exit: otherwise a compiler that is short of registers would delay each load until its
// addition.
constexpr int TOGETHER = 4;  // times 32 entries, which are added up in one go if they are of one row
template <int IN_FLIGHT, class Load>
DEVICE void add_rows(Place start, Place stop, Place from, Place to, Part& sum, const Load& load) {
    static_assert(IN_FLIGHT % TOGETHER == 0, "or sums would depend on it");
    for (Place base = from - from % 32; base < to; base += 32 * IN_FLIGHT) {
        int count = to - base < Place(32 * IN_FLIGHT) ? int(to - base) : 32 * IN_FLIGHT;
        Value items[IN_FLIGHT];
        load(base, base < from ? int(from - base) : 0, count, items);
        int first = seen_from(base, count, start), end = seen_from(base, count, stop);
#pragma unroll
        for (int group = 0; group < IN_FLIGHT; group += TOGETHER) {
            // Most entries are in long rows: then all of these are of one.
            bool all = first <= 32 * group && end >= 32 * (group + TOGETHER);
            if (unsigned owner = __ballot_sync(FULL_WARP, all)) {
                Value total = items[group];
#pragma unroll
                for (int k = 1; k < TOGETHER; ++k) total = add(total, items[group + k]);
#pragma unroll
                for (int distance = 16; distance > 0; distance >>= 1) total = add(total, from_higher(total, distance));
                total = from_lane(total, 0);
                if (lane() == __ffs(owner) - 1) sum = joined(sum, {true, total});
                continue;
            }
#pragma unroll
            for (int k = group; k < group + TOGETHER; ++k) {
                constexpr int WIDTH = 32;
                int lo = WIDTH * k, hi = lo + WIDTH;
                bool begins = first >= lo && first < hi && first < end;
                unsigned begun = warp_union(begins ? 1u << (first - lo) : 0u) & (FULL_WARP >> (31 - lane()));
                int before = begun ? lane() - (31 - __clz(begun)) : lane();  // entries of the same row
#pragma unroll
                for (int distance = 1; distance < WIDTH; distance <<= 1) {
                    Value lower = from_lower(items[k], distance);
                    if (distance <= before) items[k] = add(lower, items[k]);
                }
                lo = first > lo ? first : lo;
                hi = end < hi ? end : hi;
                Value last = from_lane(items[k], (hi - 1) & 31);
                if (lo < hi) sum = joined(sum, {true, last});
            }
        }
    }
}
