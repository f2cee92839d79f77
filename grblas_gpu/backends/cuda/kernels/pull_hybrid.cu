// pull.hybrid: a thread probes the first entries of its row, its warp helps with the rows still open; rows are handed out
// as warps get ready, because nobody knows how long a row will take.

#include "hybrid.cuh"

DEVICE void pull_hybrid(
    Matrix m, Vector u, Mask mask, int64 nrows, bool* out_present, Value* out_values, int64* out_count, int64* next
) {
    int64 count = 0;
    write_constant(m, u, out_values);
    for (int64 first = next_rows(next); first < nrows; first = next_rows(next)) {
        int64 i = first + lane(), start = 0, stop = 0;
        if (i < nrows && allowed(mask, i)) {
            start = m.indptr[i];
            stop = m.indptr[i + 1];
        }
        Sum sum = hybrid_sum(m, u, i, start, stop);
        if (i < nrows) {
            out_present[i] = sum.found;
            if constexpr (!STRUCTURE)
                if (sum.found) out_values[i] = sum.value;
        }
        count += sum.found;
    }
    add_to_counter(out_count, count);
}

extern "C" __global__ void pull_hybrid_kernel(
    OPERANDS, int64 nrows, bool* out_present, Value* out_values, int64* counters
) {
    pull_hybrid(GIVEN, nrows, out_present, out_values, counters, counters + 1);
}
