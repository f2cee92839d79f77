// push.scatter: every entry of the frontier's columns adds its product to a sum, atomically.
//   QUEUED  each sum enters a queue when first touched (otherwise the flags are the result)
//   SMALL   the frontier is small enough for shared memory

#include "atomics.cuh"
#include "frontier.cuh"

DEVICE void push_scatter(
    Matrix m, Vector u, Mask mask, Frontier frontier, const int64* offsets, Sums sums, Column* queue, int64* out_count
) {
    int64 count = 0;
    for_each_edge(m, frontier, offsets, [&](const Edge& edge, bool inside) {
        int64 i = 0;
        bool first = false;
        if (inside) {
            i = m.indices[edge.entry];
            first = allowed(mask, i) && scatter(m, u, sums, i, edge.k, edge.entry, edge.element);
        }
        if constexpr (QUEUED) {
            int64 place = place_in_list(out_count, first);
            if (first) queue[place] = Column(i);
        } else {
            count += first;
        }
    });
    if constexpr (!QUEUED) add_to_counter(out_count, count);
}

extern "C" __global__ void push_scatter_kernel(
    OPERANDS, const int64* list, const int64* device_count, int64 host_count, const int64* offsets, bool* touched,
    Value* sums, Column* queue, Value* single, int64* counters
) {
    Frontier frontier = {list, counted(device_count, host_count)};
    write_constant({indptr, indices, matrix_values}, {present, vector_values}, single);
    if constexpr (SMALL) {
        __shared__ int64 own_offsets[SMALL_FRONTIER + 1], shared[32];
        small_offsets({indptr, indices, matrix_values}, frontier, own_offsets, shared);
        push_scatter(GIVEN, frontier, own_offsets, {touched, sums}, queue, counters);
    } else {
        push_scatter(GIVEN, frontier, offsets, {touched, sums}, queue, counters);
    }
}

// The queue's sums become the result, and the workspace is as clean as it was.
extern "C" __global__ void push_finish_kernel(
    const Column* queue, const int64* device_count, int64 host_count, bool* touched, Value* sums, int64* out_list,
    Value* out_values
) {
    int64 count = counted(device_count, host_count);
    for (int64 t = thread_in_grid(); t < count; t += threads_in_grid()) {
        int64 i = queue[t];
        out_list[t] = i;
        touched[i] = false;
        if constexpr (!STRUCTURE) {
            out_values[t] = sums[i];
            if constexpr (!EXIT_AT_FIRST) sums[i] = initial();
        }
    }
}
