// A matrix from coordinates: positions as numbers that a sort can order, and rows of the sorted ones. Generated: Row, Column
// (as coordinates are given), Key (an unsigned type), Place (as in radix_sort.cuh), OutOffset,
// OutRow, OutColumn.

#include "publish.cuh"
#include "radix_digits.cuh"
#include "sorted_lines.cuh"

// keys[entry] = its position, row above column, and the digits of all; counts those that are not above the one before, and
// those outside of the matrix.
extern "C" __global__ void __launch_bounds__(256, 5) pack_positions_kernel(
    const Row* rows, const Column* columns, int64 entries, int64 nrows, int64 ncols, int64 column_bits, Key* keys,
    int64* counters, volatile int64* host, int64 bits, int64 width, Place* workspace, int64 tiles
) {
    __shared__ DigitCounts counts;
    int64 found = 0, outside = 0;
    auto packed = [&](int64 entry, bool inside) {
        uint64 row = inside ? uint64(rows[entry]) : 0, column = inside ? uint64(columns[entry]) : 0;
        outside += inside && (row >= uint64(nrows) || column >= uint64(ncols));
        Key key = Key(row) << column_bits | Key(column), before = from_lower(key, 1);
        if (lane() == 0 && inside && entry > 0) before = Key(rows[entry - 1]) << column_bits | Key(columns[entry - 1]);
        found += inside && entry > 0 && before >= key;
        return key;
    };
    auto store = [&](int64 entry, Key key) { keys[entry] = key; };
    count_digits(packed, store, entries, {int(bits), int(width)}, {workspace, tiles}, counts);
    publish(found, outside, counters, host);
}

// Rows and columns of positions that are in order, or few; counts those that repeat the one before.
extern "C" __global__ void __launch_bounds__(256, 8) unpack_positions_kernel(
    const Key* keys, int64 entries, int64 column_bits, OutRow* rows, OutColumn* columns, int64* counters, volatile int64* host
) {
    int64 found = 0;
    Key mask = (Key(1) << column_bits) - 1;
#pragma unroll 2
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        Key key = keys[entry];
        rows[entry] = OutRow(key >> column_bits);
        columns[entry] = OutColumn(key & mask);
        if (entry > 0) found += keys[entry - 1] == key;
    }
    publish(found, 0, counters, host);
}

// The same of those that a sort has taken apart.
extern "C" __global__ void __launch_bounds__(256, 8) count_repeats_kernel(
    const OutRow* rows, const OutColumn* columns, int64 entries, int64* counters, volatile int64* host
) {
    int64 found = 0;
#pragma unroll 4
    for (int64 entry = thread_in_grid() + 1; entry < entries; entry += threads_in_grid())
        found += rows[entry - 1] == rows[entry] && columns[entry - 1] == columns[entry];
    publish(found, 0, counters, host);
}

// indptr[row] = how many of the sorted positions are in rows before.
extern "C" __global__ void list_rows_kernel(const OutRow* rows, int64 entries, int64 nrows, OutOffset* indptr) {
    list_lines(entries, nrows, [&](int64 entry) { return int64(rows[entry]); }, indptr);
}
