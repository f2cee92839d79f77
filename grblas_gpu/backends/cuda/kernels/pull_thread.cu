// pull.thread: one thread for each row that the mask allows, until the row's result is certain.

#include "tally.cuh"

DEVICE void pull_thread(
    Matrix m, Vector u, Mask mask, int64 nrows, bool* out_present, Value* out_values, const Offset* next,
    int64* counters, volatile int64* host
) {
    Tally total = {next, 0, 0};
    write_constant(m, u, out_values);
    for (int64 i = thread_in_grid(); i < nrows; i += threads_in_grid()) {
        Sum sum = {false, Value(0)};
        if (allowed(mask, i)) {
            int64 stop = m.indptr[i + 1];
            for (int64 entry = m.indptr[i]; entry < stop && !finished(sum); ++entry) add_entry(m, u, i, entry, sum);
        }
        write_row(sum, i, out_present, out_values, total);
    }
    publish(total, counters, host);
}

extern "C" __global__ void pull_thread_kernel(
    OPERANDS, int64 nrows, bool* out_present, Value* out_values, const Offset* next, int64* counters,
    volatile int64* host
) {
    pull_thread(GIVEN, nrows, out_present, out_values, next, counters, host);
}
