// Reductions of parts that may be empty: no identity is needed; and the carries that chunks of entries leave. Generated: Value, add.

#include "grid.cuh"

struct Part {
    bool found;
    Value value;
};
DEVICE Part joined(Part left, const Part& right) {
    if (right.found) left.value = left.found ? add(left.value, right.value) : right.value;
    left.found = left.found || right.found;
    return left;
}
// Combines the parts of all lanes, in lane 0.
DEVICE Part warp_joined(Part part) {
    for (int distance = 16; distance > 0; distance >>= 1) {
        Part higher = {from_higher(part.found, distance), from_higher(part.value, distance)};
        if (lane() + distance < 32) part = joined(part, higher);
    }
    return part;
}
// A value combined with itself so many times (at least once), by doubling.
DEVICE Value repeated(Value value, int64 times) {
    Part sum = {false, value};
    for (; times > 0; times >>= 1) {
        sum = joined(sum, {(times & 1) != 0, value});
        value = add(value, value);
    }
    return sum.value;
}

// Parts of rows that began before a chunk, one for each chunk.
struct Carry {
    Value* values;
    int64* rows;  // the row, or -1
    DEVICE static Value read(const Value* from) { return *from; }
};

// Adds the carries of so many chunks to the rows that began before the chunks, one warp per row, without atomics. last_chunk(row) is the
// last one that has entries of it. The caller ensures that all chunks are done before.
template <class C, class LastChunk>
DEVICE void add_carries(int64 warp, int64 warps, int64 chunks, const C& carry, Value* result, LastChunk last_chunk) {
    for (int64 base = warp * 32; base < chunks; base += warps * 32) {
        int64 chunk = base + lane(), row = chunk < chunks ? carry.rows[chunk] : -1;
        unsigned first = __ballot_sync(FULL_WARP, row >= 0 && (chunk == 0 || carry.rows[chunk - 1] != row));
        while (first) {
            int owner = __ffs(first) - 1;
            first &= first - 1;
            int64 own = from_lane(row, owner), last = last_chunk(own);
            Part part = {false, Value(0)};
            UNROLLED_BY(4) for (int64 other = base + owner + lane(); other <= last; other += 32)
                part = joined(part, {true, carry.values[other]});
            part = warp_joined(part);
            if (lane() == 0) result[own] = add(carry.read(result + own), part.value);
        }
    }
}
// The same by the grid, for chunks of `length` entries. Entry e of row r has number e + A_ROW * r in the chunked sequence.
template <int A_ROW = 0, class Offset>
DEVICE void add_carries(const Offset* indptr, int64 entries, int64 length, Value* result, const Carry& carry) {
    auto last_chunk = [&](int64 row) { return (int64(indptr[row + 1]) - 1 + A_ROW * row) / length; };
    add_carries(warp_in_grid(), warps_in_grid(), (entries + length - 1) / length, carry, result, last_chunk);
}
