// The entries of each row combined. Generated: Offset, Stored (as values are stored), Value and add.

#include "publish.cuh"
#include "row_sums.cuh"

extern "C" __global__ void __launch_bounds__(256, 4) reduce_rows_kernel(
    const Offset* indptr, int64 nrows, int64 entries, const Stored* values, bool* present, Value* result,
    Value* carry_values, int64* carry_rows, int64* counters, volatile int64* host
) {
    int64 found = 0;
    auto row_is = [&](int64 row, bool filled) {
        present[row] = filled;
        found += filled;
    };
    add_up_rows<8, true>(indptr, nrows, entries, result, {carry_values, carry_rows}, LoadValues<Stored>{values}, row_is);
    publish_one(found, counters, host);
}

extern "C" __global__ void add_carries_kernel(
    const Offset* indptr, int64 nrows, int64 entries, Value* result, Value* carry_values, int64* carry_rows
) {
    add_row_carries(indptr, nrows, entries, result, {carry_values, carry_rows});
}

// One value stands for all: a row combines it as often as it has entries.
extern "C" __global__ void repeat_rows_kernel(
    const Offset* indptr, int64 nrows, const Stored* values, bool* present, Value* result, int64* counters,
    volatile int64* host
) {
    int64 found = 0;
    Value value = cast<Value>(values[0]);
    for (int64 row = thread_in_grid(); row < nrows; row += threads_in_grid()) {
        int64 count = int64(indptr[row + 1]) - int64(indptr[row]);
        present[row] = count > 0;
        found += count > 0;
        if (count > 0) result[row] = repeated(value, count);
    }
    publish_one(found, counters, host);
}
