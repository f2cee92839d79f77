// pull.compact: only the listed rows. The mask, if there is one, applies to the list: its values say which rows count. LISTED_RESULT: the
// result is a list, too (in any order); otherwise flags that were all false before.

#include "hybrid.cuh"
#include "tally.cuh"

DEVICE void pull_compact(
    Matrix m, Vector u, Mask mask, const int64* rows, int64 row_count, int64* out_list, bool* out_present,
    Value* out_values, const Offset* next, int64* counters,
    volatile int64* host
) {
    Tally total = {next, 0, 0};
    write_constant(m, u, out_values);
    for_each_rows<32>(row_count, counters, [&](int64 first) {
        int64 t = first + lane(), i = 0, start = 0, stop = 0;
        if (t < row_count && allowed(mask, t)) {
            i = rows[t];
            start = m.indptr[i];
            stop = m.indptr[i + 1];
        }
        Sum sum = hybrid_sum(m, u, i, start, stop);
        int64 place = i;
        if constexpr (LISTED_RESULT) place = place_in_list(counters + LISTED_COUNT, sum.found);
        if (sum.found) {
            tally(total, i);
            if constexpr (LISTED_RESULT) out_list[place] = i;
            else out_present[place] = true;
            if constexpr (!STRUCTURE) out_values[place] = sum.value;
        }
    });
    publish(total, counters, host);
}

extern "C" __global__ void pull_compact_kernel(
    OPERANDS, const int64* rows, const int64* device_count, int64 host_count, int64* out_list, bool* out_present,
    Value* out_values, const Offset* next, int64* counters,
    volatile int64* host
) {
    int64 row_count = counted(device_count, host_count);
    pull_compact(GIVEN, rows, row_count, out_list, out_present, out_values, next, counters, host);
}
