// mxm.gustavson, first pass: how many entries each row of the result has. No values: it serves all semirings.

#include "mxm_table.cuh"

template <class Group>
DEVICE void count_row(
    const LeftRows& a, const RightRows& b, const Mask& mask, const Division& rows, int64 i,
    Column* keys, int64* counts
) {
    int64 found = 0;
    if (rows.entries[i] > 0) {
        Shape shape = shape_for(rows.entries[i], rows.ncols);
        clear<Group>(keys, shape);
        for_each_product<Group>(a, b, i, [&](bool inside, int64, int64, int64 q) {
            bool first = false;
            if (inside) slot_of(keys, shape, mask, i, Column(b.indices[q]), first);
            found += first;
        });
        found = Group::sum(found);
        Group::sync();  // the table is free again
    }
    if (Group::rank() == 0) counts[i] = found;
}

#define GIVEN                                                                                                        \
    const LeftOffset *a_indptr, const LeftColumn *a_indices, const RightOffset *b_indptr, const RightColumn *b_indices,         \
        const MaskOffset *mask_indptr, const MaskColumn *mask_indices, const MaskValue *mask_values,                      \
        const int64 *products, const int64 *at_most, const int64 *list, int64 *counters, int64 nrows, int64 ncols,   \
        int64 *counts
#define UNPACKED                                                  \
    LeftRows a = {a_indptr, a_indices};                   \
    RightRows b = {b_indptr, b_indices};                  \
    Mask mask = {{mask_indptr, mask_indices}, mask_values};       \
    Division rows = {products, at_most, list, counters, nrows, ncols};

extern "C" __global__ void count_by_warp_kernel(GIVEN) {
    __shared__ Column keys[WARPS * WARP_SLOTS];
    UNPACKED
    Column* own = keys + (threadIdx.x >> 5) * WARP_SLOTS;
    for_each_warp_row(rows, [&](int64 i) { count_row<WarpGroup>(a, b, mask, rows, i, own, counts); });
}

extern "C" __global__ void count_by_block_kernel(GIVEN) {
    __shared__ Column keys[BLOCK_SLOTS];
    UNPACKED
    for_each_block_row(rows, [&](int64 i) { count_row<BlockGroup>(a, b, mask, rows, i, keys, counts); });
}

extern "C" __global__ void count_in_scratch_kernel(GIVEN, Column* scratch, int64 slots) {
    UNPACKED
    Column* keys = scratch + blockIdx.x * slots;
    for_each_scratch_row(rows, [&](int64 i) { count_row<BlockGroup>(a, b, mask, rows, i, keys, counts); });
}
