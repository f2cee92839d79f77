// Entries on their way through a sort by column: row and value of each in one word, before and after. Generated: Offset,
// Bits (an unsigned type as wide as values), Row (32 bits).

#include "row_starts.cuh"

// packed[entry] = its row, and its value above that.
extern "C" __global__ void pack_entries_kernel(
    const Offset* indptr, int64 nrows, int64 entries, const Bits* values, uint64* packed
) {
    for_each_entry(indptr, nrows, entries, [&](int64 entry, int64 row) {
        packed[entry] = uint64(values[entry]) << 32 | uint64(row);
    });
}

extern "C" __global__ void unpack_entries_kernel(const uint64* packed, int64 entries, Row* rows, Bits* values) {
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        uint64 both = packed[entry];
        rows[entry] = Row(uint32(both));
        values[entry] = Bits(both >> 32);
    }
}
