// Entries of a CSR matrix set and removed: each position is looked for in its row, then all entries move to their new places. Generated:
// Offset, Column, Value (as wide as one), OutOffset, and ISO, OUT_ISO: one value stands for all.

#include "grid.cuh"
#include "tiles.cuh"

constexpr int64 SPAN = 2048, AT_A_TIME = 8;  // entries that a warp moves, and that a lane loads before it writes any

// Positions in their order, each with a value, or to be removed.
struct Changes {
    const int64* rows;
    int64 count;

    DEVICE int64 row(int64 k) const { return rows[k]; }
    DEVICE int64 column(int64 k) const { return rows[count + k]; }
    DEVICE Value value(int64 k) const { return Value(uint64(rows[2 * count + k])); }
    DEVICE bool kept(int64 k) const { return rows[3 * count + k] != 0; }
};

// What is found: twice the place of each position, plus 1 if it has an entry; and how many more there are than removed ones (plus one for
// each change, so that no number is negative) before it in its block, and before the block.
struct Places {
    int64 *doubled, *before, *sums;

    DEVICE int64 at(int64 k) const { return doubled[k] >> 1; }
    DEVICE int64 shift(int64 k) const { return before[k] + sums[k / blockDim.x] - k; }
};

// Publishes the sum, and whether entries appear or disappear, plus 2 if a value differs from the one that stands for all.
extern "C" __global__ void find_changes_kernel(
    const Offset* indptr, const Column* indices, const Value* values, const int64* given, int64 count, int64* doubled, int64* before,
    int64* sums, unsigned* done, int64* counters, volatile int64* host
) {
    __shared__ int64 shared[32];
    Changes changes = {given, count};
    int64 chunks = (count + blockDim.x - 1) / blockDim.x, moved = 0, differing = 0;
    for (int64 chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        int64 k = chunk * blockDim.x + threadIdx.x, more = 0, total;
        if (k < count) {
            int64 row = changes.row(k), column = changes.column(k), end = indptr[row + 1];
            int64 at = lower_bound(indices, int64(indptr[row]), end, column);
            bool found = at < end && int64(indices[at]) == column, kept = changes.kept(k);
            doubled[k] = 2 * at + found;
            more = 1 + kept - found;
            moved += kept != found;
            differing += ISO && kept && changes.value(k) != values[0];
        }
        int64 place = block_offset(more, total, shared);
        if (k < count) before[k] = place;
        if (threadIdx.x == 0) sums[chunk] = total;
    }
    add_to_counter(counters + 1, moved);
    add_to_counter(counters + 2, differing);
    if (!last_block(done)) return;
    int64 total = add_up(sums, chunks);
    if (threadIdx.x != 0) return;
    const volatile int64* counted = counters;
    host[SLOT_EDGES] = (counted[1] != 0) + 2 * (counted[2] != 0) + 1;
    host[SLOT_COUNT] = total + 1;
}

// Offsets and columns that stay are not passed.
extern "C" __global__ void fill_changed_kernel(
    const Offset* indptr, const Column* indices, const Value* values, const int64* given, int64 count, int64* doubled, int64* before,
    int64* sums, int64 nrows, int64 entries, int64 grown, OutOffset* out_indptr, Column* out_indices, Value* out_values
) {
    Changes changes = {given, count};
    Places places = {doubled, before, sums};
    auto shift = [&](int64 k) { return k < count ? places.shift(k) : grown; };
    auto write = [&](int64 place, Column column, Value value) {
        if (out_indices) out_indices[place] = column;
        if (!OUT_ISO) out_values[place] = value;
    };
    for (int64 first = warp_in_grid() * SPAN; first < entries; first += warps_in_grid() * SPAN) {
        int64 end = first + SPAN < entries ? first + SPAN : entries;
        int64 low = warp_first_above(0, count, [&](int64 k) { return places.at(k) < first; });
        int64 high = warp_first_above(low, count, [&](int64 k) { return places.at(k) < end; });
        int64 same = shift(low);
        for (int64 base = first + lane(); base < end; base += 32 * AT_A_TIME) {
            Column column[AT_A_TIME];
            Value value[AT_A_TIME];
            UNROLLED for (int n = 0; n < AT_A_TIME; ++n) {
                int64 entry = base + 32 * n;
                if (entry < end && out_indices) column[n] = indices[entry];
                if (entry < end && !OUT_ISO) value[n] = values[ISO ? 0 : entry];
            }
            UNROLLED for (int n = 0; n < AT_A_TIME; ++n) {
                int64 entry = base + 32 * n;
                if (entry >= end) break;
                int64 k = first_above(low, high, [&](int64 other) { return places.at(other) <= entry; });
                if (k > low && doubled[k - 1] == 2 * entry + 1) continue;  // another value takes its place, or none
                write(entry + (k == low ? same : shift(k)), column[n], value[n]);
            }
        }
    }
    for (int64 k = thread_in_grid(); k < count; k += threads_in_grid())
        if (changes.kept(k)) write(places.at(k) + shift(k), Column(changes.column(k)), changes.value(k));
    if (OUT_ISO && thread_in_grid() == 0) out_values[0] = values[0];
    if (out_indptr == nullptr) return;
    for (int64 row = thread_in_grid(); row <= nrows; row += threads_in_grid())
        out_indptr[row] = OutOffset(int64(indptr[row]) + shift(lower_bound(changes.rows, 0, count, row)));
}
