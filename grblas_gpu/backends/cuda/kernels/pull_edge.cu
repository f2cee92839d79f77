// pull.edge: one thread for each entry of the matrix; row_ids[entry] is its row.

#include "atomics.cuh"

DEVICE void pull_edge(Matrix m, Vector u, Mask mask, const RowId* row_ids, int64 entries, Sums sums, int64* out_count) {
    int64 count = 0;
    write_constant(m, u, sums.values);
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        int64 i = row_ids[entry];
        if (!allowed(mask, i)) continue;
        if constexpr (STRUCTURE || EXIT_AT_FIRST)
            if (((volatile bool*)sums.touched)[i]) continue;
        int64 k = m.indices[entry];
        if constexpr (!FULL)
            if (!u.present[k]) continue;
        count += scatter(m, u, sums, i, k, entry, k);
    }
    add_to_counter(out_count, count);
}

extern "C" __global__ void pull_edge_kernel(
    OPERANDS, const RowId* row_ids, int64 entries, bool* touched, Value* sums, int64* counters
) {
    pull_edge(GIVEN, row_ids, entries, {touched, sums}, counters);
}
