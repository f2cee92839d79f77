// The entries of each row combined. Generated: Offset, Stored (as values are stored), Value, add, FLAGS (rows may be
// empty), and ALIGNED (the values begin at a multiple of 16 bytes).

#include "publish.cuh"
#include "row_sums.cuh"

constexpr int PER_LOAD = sizeof(Stored) >= 8 ? 2 : sizeof(Stored) == 4 ? 4 : 8;  // up to 16 bytes
struct alignas(PER_LOAD * sizeof(Stored)) Several {
    Stored values[PER_LOAD];
};

extern "C" __global__ void __launch_bounds__(256, 4) reduce_rows_kernel(
    const Offset* indptr, int64 nrows, int64 entries, const Stored* values, bool* present, Value* result,
    Value* carry_values, int64* carry_rows, int64* counters, volatile int64* host
) {
    auto load = [&](int64 base, int64 hi, Value* items) {
        int64 own = base + lane() * ITEMS;
        if (ALIGNED && own + ITEMS <= hi) {
            UNROLLED for (int k = 0; k < ITEMS; k += PER_LOAD) {
                Several some = *(const Several*)(values + own + k);
                UNROLLED for (int n = 0; n < PER_LOAD; ++n) items[k + n] = cast<Value>(some.values[n]);
            }
        } else {
            UNROLLED for (int k = 0; k < ITEMS; ++k) items[k] = own + k < hi ? cast<Value>(values[own + k]) : Value(0);
        }
    };
    int64 found = 0;
    auto row_is = [&](int64 row, bool filled) {
        present[row] = filled;
        found += filled;
    };
    reduce_rows(indptr, nrows, entries, result, {carry_values, carry_rows}, load, row_is);
    publish_one(found, counters, host);
}

extern "C" __global__ void add_carries_kernel(
    const Offset* indptr, int64 entries, Value* result, Value* carry_values, int64* carry_rows
) {
    add_carries(indptr, entries, chunk_length(entries), result, {carry_values, carry_rows});
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
