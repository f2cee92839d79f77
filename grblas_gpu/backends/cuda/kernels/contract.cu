// A square matrix by groups of positions: groups are numbered in their order, entries get the numbers of their groups as positions, and after
// a sort, runs of equal positions become one entry. Generated: Offset, Column (of the matrix), OutOffset, OutRow, OutColumn, Word (an unsigned
// type as wide as a value), Key, an unsigned type that two numbers fit into, and Place (radix_sort.cuh).

#include "radix_digits.cuh"
#include "row_starts.cuh"
#include "tiles.cuh"

// used[group] = true for the group of every position; the last slot counts those that are none.
extern "C" __global__ void mark_groups_kernel(const int64* groups, int64 size, bool* used, int64* counters) {
    for (int64 i = thread_in_grid(); i < size; i += threads_in_grid()) {
        if (uint64(groups[i]) < uint64(size)) used[groups[i]] = true;
        else counters[SLOT_EDGES] = 1;
    }
}

extern "C" __global__ void count_groups_kernel(const bool* used, int64 size, int64* tile_sums) {
    sum_tiles(size, tile_sums, [&](int64 group) { return int64(used[group]); });
}

// numbers[group] = the number of used groups below it.
extern "C" __global__ void number_groups_kernel(
    const bool* used, int64 size, const int64* tile_sums, int64* numbers, int64* count
) {
    with_offsets(
        size, tile_sums, count, [&](int64 group) { return int64(used[group]); },
        [&](int64 group, int64 number, int64) { numbers[group] = number; }
    );
}

// parts[i] = the number of the group of position i; 0 where it has none.
extern "C" __global__ void number_members_kernel(const int64* groups, const int64* numbers, int64 size, int64* parts) {
    for (int64 i = thread_in_grid(); i < size; i += threads_in_grid())
        parts[i] = uint64(groups[i]) < uint64(size) ? numbers[groups[i]] : 0;
}

// keys[entry] = the numbers of its row and its column; and the digits of all keys.
extern "C" __global__ void __launch_bounds__(256, 4) pack_groups_kernel(
    const Offset* indptr, const Column* indices, const int64* parts, int64 nrows, int64 entries, int64 column_bits, Key* keys, int64 bits,
    int64 width, Place* workspace, int64 tiles
) {
    __shared__ DigitCounts counts;
    Passes passes = {int(bits), int(width)};
    clear_counts(counts);
    for_each_window(indptr, nrows, entries, [&](int64 first, int64 hi, const int64(&rows)[ITEMS]) {
        int left = hi - first < WINDOW ? int(hi - first) : WINDOW;
        Key own[ITEMS];
        UNROLLED for (int k = 0; k < ITEMS; ++k)
            own[k] = 32 * k < left ? Key(parts[rows[k]]) << column_bits | Key(parts[indices[first + 32 * k]]) : Key(0);
        UNROLLED for (int k = 0; k < ITEMS; ++k)
            if (32 * k < left) keys[first + 32 * k] = own[k];
        count_keys<ITEMS>(own, left, passes, counts);
    });
    add_counts(passes, {workspace, tiles}, counts);
}

DEVICE bool starts_run(const OutRow* rows, const OutColumn* columns, int64 entry) {
    return entry == 0 || columns[entry - 1] != columns[entry] || rows[entry - 1] != rows[entry];
}

extern "C" __global__ void count_runs_kernel(const OutRow* rows, const OutColumn* columns, int64 entries, int64* tile_sums) {
    sum_tiles(entries, tile_sums, [&](int64 entry) { return int64(starts_run(rows, columns, entry)); });
}

extern "C" __global__ void list_runs_kernel(
    const OutRow* rows, const OutColumn* columns, int64 entries, const int64* tile_sums, OutRow* out_rows, OutColumn* out_columns,
    int64* starts, int64* count
) {
    with_offsets(
        entries, tile_sums, count, [&](int64 entry) { return int64(starts_run(rows, columns, entry)); },
        [&](int64 entry, int64 run, int64 first) {
            if (!first) return;
            out_rows[run] = rows[entry];
            out_columns[run] = columns[entry];
            starts[run] = entry;
        }
    );
}

extern "C" __global__ void list_rows_kernel(const OutRow* rows, int64 entries, int64 nrows, OutOffset* indptr) {
    list_lines(entries, nrows, [&](int64 entry) { return int64(rows[entry]); }, indptr);
}

// Values above the diagonal of a matrix with a symmetric structure become those below it.
extern "C" __global__ void mirror_kernel(const OutOffset* indptr, const OutRow* rows, const OutColumn* columns, int64 entries, Word* values) {
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        int64 row = rows[entry], column = columns[entry];
        if (row >= column) continue;
        values[entry] = values[first_above(int64(indptr[column]), int64(indptr[column + 1]), [&](int64 other) {
            return int64(columns[other]) < row;
        })];
    }
}
