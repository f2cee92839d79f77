// Sums of short rows, STAGED_ROWS of them for each lane: the warp reads the entries of all these rows as they lie in memory, leaves
// their values in shared memory, and every lane adds up its own from there. As many reads are in flight as if the rows were long.
// Generated: what row_groups.cuh needs.

#include "row_groups.cuh"
#include "warp_memory.cuh"

constexpr bool STAGED = sizeof(Value) <= 8;  // there is room for so much
constexpr int STAGED_ROWS = 2, STAGED_IN_FLIGHT = 4;

// Where a value is: lanes whose rows are two or four entries apart read from different banks.
DEVICE constexpr int staged_at(int at) { return at + at / int(128 / sizeof(Value)); }
static_assert(!STAGED || staged_at(32 * STAGED_IN_FLIGHT) * sizeof(Value) <= 8 * WARP_WORDS, "or it is not the warp's own");

// The entries from `from` to `to`: row `r` of this lane has those from start[r] to stop[r]. load as in row_groups.cuh. Every row is
// added up from its first entry to its last.
template <int ROWS, class Load>
DEVICE void add_staged_rows(
    const Place (&start)[ROWS], const Place (&stop)[ROWS], Place from, Place to, Part (&sum)[ROWS], const Load& load
) {
    constexpr int WINDOW_ENTRIES = 32 * STAGED_IN_FLIGHT, AT_ONCE = 4;
    Value* window = (Value*)warp_memory();
    for (Place base = from - from % 32; base < to; base += WINDOW_ENTRIES) {
        int count = to - base < Place(WINDOW_ENTRIES) ? int(to - base) : WINDOW_ENTRIES;
        Value items[STAGED_IN_FLIGHT];
        load(base, base < from ? int(from - base) : 0, count, items);
        __syncwarp();  // nobody reads what was there before
#pragma unroll
        for (int k = 0; k < STAGED_IN_FLIGHT; ++k) window[staged_at(32 * k + lane())] = items[k];
        __syncwarp();
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            int first = seen_from(base, count, start[r]), end = seen_from(base, count, stop[r]);
#pragma unroll 1
            for (int at = first < 0 ? 0 : first; at < end; at += AT_ONCE) {
                Value some[AT_ONCE];
#pragma unroll
                for (int k = 0; k < AT_ONCE; ++k) some[k] = window[staged_at(at + k < end ? at + k : at)];
#pragma unroll
                for (int k = 0; k < AT_ONCE; ++k) sum[r] = joined(sum[r], {at + k < end, some[k]});
            }
        }
    }
}
