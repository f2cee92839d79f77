// Entries on their way through a sort by column: row and value of each in one word, before and after. Generated: Offset,
// Bits (an unsigned type as wide as values), Row (32 bits).

#include "row_starts.cuh"

// packed[entry] = its row, and its value above that.
extern "C" __global__ void pack_entries_kernel(
    const Offset* indptr, int64 nrows, int64 entries, const Bits* values, uint64* packed
) {
    __shared__ Starts all_starts[WARPS_OF_BLOCK];
    Starts& starts = all_starts[threadIdx.x >> 5];
    int64 length = chunk_length(entries);
    for (int64 chunk = warp_in_grid(); chunk * length < entries; chunk += warps_in_grid()) {
        int64 lo = chunk * length, hi = lo + length < entries ? lo + length : entries;
        int64 first = first_row_at(indptr, nrows, lo), open_row = first - 1;
        for (int64 base = lo; base < hi; base += WINDOW) {
            int64 window_first = first;
            list_starts(indptr, nrows, first, base, end_for_rows(base, hi, entries), starts, [](int64, bool) {});
            int rank = 0;
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) {
                unsigned bits = starts.bits[k];
                int own = rank + __popc(bits & (FULL_WARP >> (31 - lane())));
                rank += __popc(bits);
                int64 row = own ? window_first + starts.rows[own - 1] : open_row, entry = base + 32 * k + lane();
                if (entry < hi) packed[entry] = uint64(values[entry]) << 32 | uint64(row);
            }
            if (rank) open_row = window_first + starts.rows[rank - 1];
            __syncwarp();
        }
    }
}

extern "C" __global__ void unpack_entries_kernel(const uint64* packed, int64 entries, Row* rows, Bits* values) {
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        uint64 both = packed[entry];
        rows[entry] = Row(uint32(both));
        values[entry] = Bits(both >> 32);
    }
}
