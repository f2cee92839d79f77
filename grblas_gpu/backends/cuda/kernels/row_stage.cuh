// Sums of short rows, STAGED_ROWS of them for each lane: the warp reads the entries of all these rows in memory order into shared memory,
// and every lane sums its own rows from there. As many reads are in flight as if the rows were long. Generated: the definitions for
// row_groups.cuh. A kernel and a loop (lists.cuh) each have a warp_memory() of WARP_WORDS for every warp.

#include "row_groups.cuh"

constexpr bool STAGED = sizeof(Value) <= 8;  // there is room for so much
// Rows of two entries, as in the sparsest graphs, with the beginning of their cache line, are mostly read at once.
constexpr int STAGED_ROWS = 2, STAGED_IN_FLIGHT = 5;
static_assert(!STAGED || 32 * STAGED_IN_FLIGHT * sizeof(Value) <= 8 * WARP_WORDS, "or it is not the warp's own");

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
        __syncwarp();  // all lanes have read the previous window
#pragma unroll
        for (int k = 0; k < STAGED_IN_FLIGHT; ++k) window[32 * k + lane()] = items[k];
        __syncwarp();
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            int first = seen_from(base, count, start[r]), end = seen_from(base, count, stop[r]);
#pragma unroll 1
            for (int at = first < 0 ? 0 : first; at < end; at += AT_ONCE) {
                Value some[AT_ONCE];
#pragma unroll
                for (int k = 0; k < AT_ONCE; ++k) some[k] = window[at + k < end ? at + k : at];
#pragma unroll
                for (int k = 0; k < AT_ONCE; ++k) sum[r] = joined(sum[r], {at + k < end, some[k]});
            }
        }
    }
}
