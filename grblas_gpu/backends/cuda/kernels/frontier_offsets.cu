// The offsets of a large frontier (frontier.cuh), in two passes. Generated: Offset.

#include "tiles.cuh"

struct Vertices {
    const Offset* indptr;
    const int64* list;  // or null: all of them
    DEVICE int64 degree(int64 t) const {
        int64 k = list ? list[t] : t;
        return int64(indptr[k + 1]) - int64(indptr[k]);
    }
};

extern "C" __global__ void sum_degrees_kernel(
    const Offset* indptr, const int64* list, const int64* device_count, int64 host_count, int64* tile_sums
) {
    Vertices vertices = {indptr, list};
    sum_tiles(counted(device_count, host_count), tile_sums, [&](int64 t) { return vertices.degree(t); });
}

extern "C" __global__ void offsets_kernel(
    const Offset* indptr, const int64* list, const int64* device_count, int64 host_count, const int64* tile_sums,
    int64* offsets
) {
    Vertices vertices = {indptr, list};
    int64 count = counted(device_count, host_count);
    with_offsets(
        count, tile_sums, offsets + count, [&](int64 t) { return vertices.degree(t); },
        [&](int64 t, int64 offset, int64) { offsets[t] = offset; }
    );
}
