// Adds the carries of chunks of `length` entries to the rows that began before the chunks. Entry e of row r has number e + A_ROW * r in the
// chunked sequence. Generated: Offset, Value, add.

#include "parts.cuh"

struct Carry {
    Value* values;
    int64* rows;  // the row, or -1
};

// One warp per row, without atomics. The caller ensures that all chunks are done before.
template <int A_ROW = 0>
DEVICE void add_carries(const Offset* indptr, int64 entries, int64 length, Value* result, const Carry& carry) {
    int64 chunks = (entries + length - 1) / length;
    for (int64 base = warp_in_grid() * 32; base < chunks; base += warps_in_grid() * 32) {
        int64 chunk = base + lane(), row = chunk < chunks ? carry.rows[chunk] : -1;
        unsigned first = __ballot_sync(FULL_WARP, row >= 0 && (chunk == 0 || carry.rows[chunk - 1] != row));
        while (first) {
            int owner = __ffs(first) - 1;
            first &= first - 1;
            int64 own = from_lane(row, owner), last = (int64(indptr[own + 1]) - 1 + A_ROW * own) / length;
            Part part = {false, Value(0)};
#pragma unroll 4
            for (int64 other = base + owner + lane(); other <= last; other += 32)
                part = joined(part, {true, carry.values[other]});
            part = warp_joined(part);
            if (lane() == 0) result[own] = add(result[own], part.value);
        }
    }
}
