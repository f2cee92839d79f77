// The allowed positions of a mask as an ascending list, in two passes; values are taken along, if there are any.
// Lists the open rows for pull.compact, the entries of a bitmap for a push, and the touched sums for push.scan.

#include "mask.cuh"
#include "tiles.cuh"

extern "C" __global__ void count_kernel(const bool* present, const MaskValue* values, int64 size, int64* tile_sums) {
    Mask mask = {present, values};
    sum_tiles(size, tile_sums, [&](int64 i) { return int64(allowed(mask, i)); });
}

extern "C" __global__ void collect_kernel(
    const bool* present, const MaskValue* values, int64 size, const int64* tile_sums, int64* list, int64* count,
    const Gathered* gathered, Gathered* out_values
) {
    Mask mask = {present, values};
    with_offsets(
        size, tile_sums, count, [&](int64 i) { return int64(allowed(mask, i)); },
        [&](int64 i, int64 place, int64 wanted) {
            if (!wanted) return;
            list[place] = i;
            if (gathered) out_values[place] = gathered[i];
        }
    );
}
