// The asynchronous pull: open rows look for products, and see rows that other threads have settled in the same pass.

#include "publish.cuh"
#include "asynchronous.cuh"

extern "C" __global__ void asynchronous_pull_kernel(
    OPERANDS, int64 nrows, uint8* marks, unsigned bit, Value final, bool* out_present, Value* out_values,
    int64* counters, volatile int64* host
) {
    Matrix m = {indptr, indices, matrix_values};
    Vector u = {present, vector_values};
    Mask mask = {mask_present, mask_values};
    Settled settled = {marks, bit, final};
    int64 found = 0;
    for_each_rows<32>(nrows, counters, [&](int64 first) {
        int64 i = first + lane(), start = 0, stop = 0;
        if (i < nrows && allowed(mask, i)) {
            start = m.indptr[i];
            stop = m.indptr[i + 1];
        }
        Sum sum = look_at_rows(m, u, settled, i, start, stop);
        if (i >= nrows) return;
        if (is_final(sum, settled)) ((volatile uint8*)marks)[i] = marks[i] | bit;
        if (sum.found) out_values[i] = sum.value;
        out_present[i] = sum.found;
        found += sum.found;
    });
    publish(found, 0, counters, host);
}
