// The steps of a transpose around the sort by column, and the rows of entries. Generated: Offset, OutOffset (types of row
// offsets before and after), Row, Column, and Key, an unsigned type that a row and a column fit into.

#include "row_starts.cuh"
#include "sorted_lines.cuh"

// rows[entry] = the row that the entry is in.
extern "C" __global__ void __launch_bounds__(256, 8) list_rows_kernel(const Offset* indptr, int64 nrows, int64 entries, Row* rows) {
    for_each_entry(indptr, nrows, entries, [&](int64 entry, int64 row) { rows[entry] = Row(row); });
}

// keys[entry] = its column, by which it is sorted, and its row above that, which comes along.
extern "C" __global__ void __launch_bounds__(256, 8) pack_entries_kernel(
    const Offset* indptr, const Column* indices, int64 nrows, int64 entries, int64 column_bits, Key* keys
) {
    for_each_entry(indptr, nrows, entries, [&](int64 entry, int64 row) {
        keys[entry] = Key(row) << column_bits | Key(indices[entry]);
    });
}

extern "C" __global__ void unpack_entries_kernel(const Key* keys, int64 entries, int64 column_bits, Row* rows) {
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid())
        rows[entry] = Row(keys[entry] >> column_bits);
}

// out_indptr[column] = how many of the sorted entries are in lower columns.
extern "C" __global__ void list_columns_kernel(
    const Key* keys, int64 entries, int64 column_bits, int64 ncols, OutOffset* out_indptr
) {
    Key mask = (Key(1) << column_bits) - 1;
    list_lines(entries, ncols, [&](int64 entry) { return int64(keys[entry] & mask); }, out_indptr);
}
