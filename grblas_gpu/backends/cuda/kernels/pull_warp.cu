// pull.warp: one warp for each row that the mask allows, 32 entries at a time.

#include "tally.cuh"

DEVICE void pull_warp(
    Matrix m, Vector u, Mask mask, int64 nrows, bool* out_present, Value* out_values, const Offset* next,
    int64* counters, volatile int64* host
) {
    Tally total = {next, 0, 0};
    write_constant(m, u, out_values);
    for (int64 i = warp_in_grid(); i < nrows; i += warps_in_grid()) {
        Sum sum = {false, Value(0)};
        if (allowed(mask, i)) sum = warp_sum(m, u, i, m.indptr[i], m.indptr[i + 1]);
        if (lane() == 0) write_row(sum, i, out_present, out_values, total);
    }
    publish(total, counters, host);
}

extern "C" __global__ void pull_warp_kernel(
    OPERANDS, int64 nrows, bool* out_present, Value* out_values, const Offset* next, int64* counters,
    volatile int64* host
) {
    pull_warp(GIVEN, nrows, out_present, out_values, next, counters, host);
}
