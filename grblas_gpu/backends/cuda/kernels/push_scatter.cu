// push.scatter: every entry of the frontier's columns adds its product to a sum, atomically.
//   QUEUED  each sum enters a list when first touched (otherwise the marks are the result)
//   SMALL   the frontier is small enough for shared memory

#include "frontier.cuh"
#include "sums.cuh"
#include "tally.cuh"

// If any product is the result, `out_values` gets it: at its place in the list, or in the result.
DEVICE void push_scatter(
    Matrix m, Vector u, Mask mask, Frontier frontier, const int64* offsets, Sums sums, int64* out_list,
    Value* out_values, const Offset* next, int64* counters,
    volatile int64* host
) {
    Tally total = {next, 0, 0};
    for_each_edge(m, frontier, offsets, [&](const Edge& edge, bool inside) {
        int64 i = 0;
        bool first = false;
        if (inside) {
            i = m.indices[edge.entry];
            first = allowed(mask, i) && scatter(m, u, sums, i, edge.k, edge.entry, edge.element);
        }
        int64 place = i;
        if constexpr (QUEUED) {
            place = place_in_list(counters + LISTED_COUNT, first);
            if (first) out_list[place] = i;
        }
        if (first) {
            if constexpr (EXIT_AT_FIRST && !STRUCTURE)
                out_values[place] = product(m, u, i, edge.k, edge.entry, edge.element);
            tally(total, i);
        }
    });
    publish(total, counters, host);
}

extern "C" __global__ void push_scatter_kernel(
    OPERANDS, const int64* list, const int64* device_count, int64 host_count, const int64* offsets, uint8* marks,
    unsigned bit, Value* sums, int64* out_list, Value* out_values, const Offset* next, int64* counters,
    volatile int64* host
) {
    Frontier frontier = {list, counted(device_count, host_count)};
    write_constant({indptr, indices, matrix_values}, {present, vector_values}, out_values);
    if constexpr (SMALL) {
        __shared__ int64 own_offsets[SMALL_FRONTIER + 1], shared[32];
        small_offsets({indptr, indices, matrix_values}, frontier, own_offsets, shared);
        push_scatter(GIVEN, frontier, own_offsets, {marks, bit, sums}, out_list, out_values, next, counters, host);
    } else {
        push_scatter(GIVEN, frontier, offsets, {marks, bit, sums}, out_list, out_values, next, counters, host);
    }
}

// The listed sums become the result, and the workspace is cleaned.
extern "C" __global__ void push_finish_kernel(
    const int64* list, const int64* device_count, int64 host_count, Value* sums, Value* out_values
) {
    int64 count = counted(device_count, host_count);
    for (int64 t = thread_in_grid(); t < count; t += threads_in_grid()) {
        out_values[t] = sums[list[t]];
        sums[list[t]] = initial();
    }
}
