// A matrix from coordinates: positions as sortable keys, and rows of the sorted keys. Generated: Row, Column (types of the coordinates),
// Key (an unsigned type), Place (as in radix_sort.cuh), OutOffset, OutRow, OutColumn.

#include "publish.cuh"
#include "radix_digits.cuh"

// keys[entry] = its position, row above column; counts the digits of all, the keys that are not above the previous one, and
// the positions outside of the matrix.
extern "C" __global__ void __launch_bounds__(256, 4) pack_positions_kernel(
    const Row* rows, const Column* columns, int64 entries, int64 nrows, int64 ncols, int64 column_bits, Key* keys,
    int64* counters, volatile int64* host, int64 bits, int64 width, Place* workspace, int64 tiles
) {
    __shared__ DigitCounts counts;
    int64 found = 0, outside = 0;
    auto position = [&](Row row, Column column) { return Key(row) << column_bits | Key(column); };
    auto packed = [&](int64 first, Key* positions) {
        Row own_rows[COUNTED_AT_ONCE];
        Column own_columns[COUNTED_AT_ONCE];
        UNROLLED for (int n = 0; n < COUNTED_AT_ONCE; ++n) {  // all loads are in flight before the first arrives
            bool inside = first + 32 * n < entries;
            own_rows[n] = inside ? rows[first + 32 * n] : Row(0);
            own_columns[n] = inside ? columns[first + 32 * n] : Column(0);
        }
        bool follows = lane() == 0 && first > 0;  // a key of another warp
        Key last = follows ? position(rows[first - 1], columns[first - 1]) : Key(0);
        UNROLLED for (int n = 0; n < COUNTED_AT_ONCE; ++n) {
            bool inside = first + 32 * n < entries;
            outside += inside && (uint64(own_rows[n]) >= uint64(nrows) || uint64(own_columns[n]) >= uint64(ncols));
            positions[n] = position(own_rows[n], own_columns[n]);
            Key before = from_lower(positions[n], 1);
            if (lane() == 0) before = last;
            found += inside && first + n > 0 && before >= positions[n];
            last = from_lane(positions[n], 31);
        }
    };
    auto store = [&](int64 entry, Key key) { keys[entry] = key; };
    count_digits(packed, store, entries, {int(bits), int(width)}, {workspace, tiles}, counts);
    publish(found, outside, counters, host);
}

// Rows and columns of positions that came in order; counts duplicates of the previous position.
extern "C" __global__ void __launch_bounds__(256, 8) unpack_positions_kernel(
    const Key* keys, int64 entries, int64 column_bits, OutRow* rows, OutColumn* columns, int64* counters, volatile int64* host
) {
    int64 found = 0;
    Key mask = (Key(1) << column_bits) - 1;
    UNROLLED_BY(2) for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        Key key = keys[entry];
        rows[entry] = OutRow(key >> column_bits);
        columns[entry] = OutColumn(key & mask);
        if (entry > 0) found += keys[entry - 1] == key;
    }
    publish(found, 0, counters, host);
}

// The same for keys that a sort has split. Most neighbours have equal rows and hardly any equal columns: rows are read only where columns
// are equal.
extern "C" __global__ void __launch_bounds__(256, 8) count_repeats_kernel(
    const OutRow* rows, const OutColumn* columns, int64 entries, int64* counters, volatile int64* host
) {
    constexpr int AT_ONCE = 4;
    int64 found = 0, step = threads_in_grid();
    for (int64 first = thread_in_grid() + 1; first < entries; first += AT_ONCE * step) {
        OutColumn own[AT_ONCE], before[AT_ONCE];
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            int64 entry = first + n * step < entries ? first + n * step : first;
            own[n] = columns[entry];
            before[n] = columns[entry - 1];
        }
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            int64 entry = first + n * step;
            if (own[n] == before[n] && entry < entries) found += rows[entry - 1] == rows[entry];
        }
    }
    publish(found, 0, counters, host);
}

// indptr[row] = the number of sorted positions in earlier rows.
extern "C" __global__ void list_rows_kernel(const OutRow* rows, int64 entries, int64 nrows, OutOffset* indptr) {
    list_lines(entries, nrows, [&](int64 entry) { return int64(rows[entry]); }, indptr);
}
