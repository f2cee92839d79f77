// The offsets of a large frontier, in two passes.

#include "frontier.cuh"
#include "tiles.cuh"

extern "C" __global__ void sum_degrees_kernel(
    const Offset* indptr, const int64* list, const int64* device_count, int64 host_count, int64* tile_sums
) {
    Matrix m = {indptr, nullptr, nullptr};
    Frontier frontier = {list, counted(device_count, host_count)};
    sum_tiles(frontier.count, tile_sums, [&](int64 t) { return degree(m, frontier, t); });
}

extern "C" __global__ void offsets_kernel(
    const Offset* indptr, const int64* list, const int64* device_count, int64 host_count, const int64* tile_sums,
    int64* offsets
) {
    Matrix m = {indptr, nullptr, nullptr};
    Frontier frontier = {list, counted(device_count, host_count)};
    with_offsets(
        frontier.count, tile_sums, offsets + frontier.count, [&](int64 t) { return degree(m, frontier, t); },
        [&](int64 t, int64 offset, int64) { offsets[t] = offset; }
    );
}
