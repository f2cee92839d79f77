// mxm.gustavson, rows with a hash table: which group makes each.

#include "mxm_table.cuh"

// Rows with more than `giant_products` are giants, that no group does alone; there is room for some in their list.
extern "C" __global__ void divide_kernel(
    const int64* products, const int64* entries, int64 nrows, int64 ncols, int64 giant_products, int64* list,
    int64* giants, int64 most_giants, int64* counters
) {
    for (int64 base = warp_in_grid() * 32; base < nrows; base += warps_in_grid() * 32) {
        int64 i = base + lane();
        bool giant = i < nrows && entries[i] > 0 && products[i] > giant_products;
        int64 place = place_in_list(counters + GIANT_ROWS, giant);
        giant = giant && place < most_giants;
        if (giant) {
            giants[place] = i;
            atomicMax(counters + GIANT_SLOTS, shape_for(entries[i], ncols).slots);
        }
        GroupKind group = i < nrows && !giant ? group_for(entries[i], products[i], ncols) : BY_WARP;
        place = place_in_list(counters + BLOCK_ROWS, group == BY_BLOCK);
        if (group == BY_BLOCK) list[place] = i;
        place = place_in_list(counters + SCRATCH_ROWS, group == BY_BLOCK_IN_SCRATCH);
        if (group == BY_BLOCK_IN_SCRATCH) {
            list[nrows - 1 - place] = i;
            atomicMax(counters + MOST_SLOTS, shape_for(entries[i], ncols).slots);
        }
    }
}
