// The steps of a transpose around the sort by column, and the rows of entries. Generated: Offset, OutOffset (types of row
// offsets before and after), Row, Column, Key, an unsigned type that a row and a column fit into, and Place (radix_sort.cuh).

#include "radix_digits.cuh"
#include "row_starts.cuh"

// rows[entry] = the row that the entry is in.
extern "C" __global__ void __launch_bounds__(256, 8) list_rows_kernel(const Offset* indptr, int64 nrows, int64 entries, Row* rows) {
    for_each_entry(indptr, nrows, entries, [&](int64 entry, int64 row) { rows[entry] = Row(row); });
}

// keys[entry] = its column, the sort key, with its row above as payload; and the digits of all columns.
extern "C" __global__ void __launch_bounds__(256, 4) pack_entries_kernel(
    const Offset* indptr, const Column* indices, int64 nrows, int64 entries, int64 column_bits, Key* keys, int64 bits, int64 width,
    Place* workspace, int64 tiles
) {
    __shared__ DigitCounts counts;
    Passes passes = {int(bits), int(width)};
    clear_counts(counts);
    for_each_window(indptr, nrows, entries, [&](int64 first, int64 hi, const int64(&rows)[ITEMS]) {
        int left = hi - first < WINDOW ? int(hi - first) : WINDOW;
        Key columns[ITEMS];
        UNROLLED for (int k = 0; k < ITEMS; ++k) columns[k] = 32 * k < left ? Key(indices[first + 32 * k]) : Key(0);
        UNROLLED for (int k = 0; k < ITEMS; ++k)
            if (32 * k < left) keys[first + 32 * k] = Key(rows[k]) << column_bits | columns[k];
        count_keys<ITEMS>(columns, left, passes, counts);
    });
    add_counts(passes, {workspace, tiles}, counts);
}

// out_indptr[column] = the number of sorted entries in lower columns.
extern "C" __global__ void list_columns_kernel(
    const Column* columns, int64 entries, int64 ncols, OutOffset* out_indptr
) {
    list_lines(entries, ncols, [&](int64 entry) { return int64(columns[entry]); }, out_indptr);
}
