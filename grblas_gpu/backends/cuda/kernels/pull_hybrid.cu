// pull.hybrid: a thread probes the first entries of its row, its warp helps with the rows still open. Idle warps fetch rows,
// because the time of a row is unknown beforehand.

#include "hybrid.cuh"
#include "tally.cuh"

DEVICE void pull_hybrid(
    Matrix m, Vector u, Mask mask, int64 nrows, bool* out_present, Value* out_values, const Offset* next,
    int64* counters, volatile int64* host
) {
    Tally total = {next, 0, 0};
    write_constant(m, u, out_values);
    for_each_rows<32>(nrows, counters, [&](int64 first) {
        int64 i = first + lane(), start = 0, stop = 0;
        if (i < nrows && allowed(mask, i)) {
            start = m.indptr[i];
            stop = m.indptr[i + 1];
        }
        Sum sum = hybrid_sum(m, u, i, start, stop);
        if (i < nrows) write_row(sum, i, out_present, out_values, total);
    });
    publish(total, counters, host);
}

extern "C" __global__ void pull_hybrid_kernel(
    OPERANDS, int64 nrows, bool* out_present, Value* out_values, const Offset* next, int64* counters,
    volatile int64* host
) {
    pull_hybrid(GIVEN, nrows, out_present, out_values, next, counters, host);
}
