// The steps of a transpose around the sort by column. Generated: Offset, OutOffset (types of row offsets before and after),
// Row, Column, Position (types of numbers of rows, of columns and of entries) and Value.
//
// A warp takes as many neighbours as make up for finding its place: what a lane looks for is then close by.

#include "cooperate.cuh"

constexpr int64 NEIGHBOURS = 1024;

// rows[entry] = the row that the entry is in.
DEVICE void list_rows(const Offset* indptr, int64 nrows, int64 entries, Row* rows) {
    for (int64 base = warp_in_grid() * NEIGHBOURS; base < entries; base += warps_in_grid() * NEIGHBOURS) {
        int64 end = base + NEIGHBOURS < entries ? base + NEIGHBOURS : entries;
        int64 lo = warp_upper_bound(indptr, nrows, base) - 1, hi = warp_upper_bound(indptr, nrows, end - 1);
        for (int64 entry = base + lane(); entry < end; entry += 32)
            rows[entry] = Row(upper_bound(indptr, lo, hi, Offset(entry)) - 1);
    }
}

extern "C" __global__ void list_rows_kernel(const Offset* indptr, int64 nrows, int64 entries, Row* rows) {
    list_rows(indptr, nrows, entries, rows);
}

// out_indptr[column] = how many of the sorted columns are lower.
DEVICE void list_offsets(const Column* columns, int64 entries, int64 ncols, OutOffset* out_indptr) {
    for (int64 base = warp_in_grid() * NEIGHBOURS; base <= ncols; base += warps_in_grid() * NEIGHBOURS) {
        int64 last = base + NEIGHBOURS - 1 < ncols ? base + NEIGHBOURS - 1 : ncols;
        int64 lo = warp_upper_bound(columns, entries, base - 1), hi = warp_upper_bound(columns, entries, last - 1);
        for (int64 column = base + lane(); column <= last; column += 32)
            out_indptr[column] = OutOffset(column == 0 ? 0 : upper_bound(columns, lo, hi, Column(column - 1)));
    }
}

extern "C" __global__ void list_offsets_kernel(
    const Column* columns, int64 entries, int64 ncols, OutOffset* out_indptr
) {
    list_offsets(columns, entries, ncols, out_indptr);
}

// The row and the value of the entry that comes to each place.
extern "C" __global__ void take_kernel(
    const Position* positions, int64 entries, const Row* rows, const Value* values, Row* out_rows, Value* out_values
) {
    for (int64 place = thread_in_grid(); place < entries; place += threads_in_grid()) {
        int64 entry = int64(positions[place]);
        out_rows[place] = rows[entry];
        out_values[place] = values[entry];
    }
}
