// pull.edge: one thread for each entry of the matrix; row_ids[entry] is its row.

#include "mxv.cuh"
#include "sums.cuh"
#include "tally.cuh"

DEVICE void pull_edge(
    Matrix m, Vector u, Mask mask, const RowId* row_ids, int64 entries, Sums sums, const Offset* next,
    int64* counters, volatile int64* host
) {
    Tally total = {next, 0, 0};
    write_constant(m, u, sums.values);
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        int64 i = row_ids[entry];
        if (!allowed(mask, i)) continue;
        if constexpr (STRUCTURE || EXIT_AT_FIRST)
            if (touched(sums, i)) continue;
        int64 k = m.indices[entry];
        if constexpr (!FULL)
            if (!u.present[k]) continue;
        if (!scatter(m, u, sums, i, k, entry, k)) continue;
        if constexpr (EXIT_AT_FIRST && !STRUCTURE) sums.values[i] = product(m, u, i, k, entry, k);
        tally(total, i);
    }
    publish(total, counters, host);
}

extern "C" __global__ void pull_edge_kernel(
    OPERANDS, const RowId* row_ids, int64 entries, uint8* touched, Value* sums, const Offset* next, int64* counters,
    volatile int64* host
) {
    pull_edge(GIVEN, row_ids, entries, {touched, 1, sums}, next, counters, host);
}
