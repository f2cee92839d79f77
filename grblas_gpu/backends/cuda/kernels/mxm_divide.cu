// mxm.gustavson, before anything is multiplied: how much work each row of the result is, and which team does it.

#include "mxm_table.cuh"

// products[i] += the length of row k of the right factor, for every entry (i, k) of the left one; thread by entry, so
// that a long row is no problem.
extern "C" __global__ void count_products_kernel(
    const LeftOffset* a_indptr, const LeftColumn* a_indices, const RightOffset* b_indptr, int64 nrows, int64 entries,
    int64* products
) {
    for (int64 base = warp_in_grid() * 32; base < entries; base += warps_in_grid() * 32) {
        int64 entry = base + lane(), count = 0, i = 0;
        bool inside = entry < entries;
        if (inside) {
            int64 k = a_indices[entry];
            count = b_indptr[k + 1] - b_indptr[k];
            i = row_of(a_indptr, nrows, entry);
        }
        int64 first = from_lane(i, 0);
        if (__all_sync(FULL_WARP, !inside || i == first)) {
            int64 total = warp_total(count);
            if (lane() == 0) atomicAdd((uint64*)(products + first), uint64(total));
        } else if (count > 0) {
            atomicAdd((uint64*)(products + i), uint64(count));
        }
    }
}

// Nothing has more entries than products, columns, or places in the mask.
extern "C" __global__ void limit_entries_kernel(
    const int64* products, const MaskOffset* mask_indptr, int64 nrows, int64 ncols, int64* at_most
) {
    for (int64 i = thread_in_grid(); i < nrows; i += threads_in_grid()) {
        int64 entries = products[i] < ncols ? products[i] : ncols;
        if constexpr (MASK == INSIDE) {
            int64 places = mask_indptr[i + 1] - mask_indptr[i];
            entries = entries < places ? entries : places;
        }
        at_most[i] = entries;
    }
}

// Rows with more than `giant_products` are giants, that no team does alone; there is room for some in their list.
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
        TeamKind team = i < nrows && !giant ? team_for(entries[i], products[i], ncols) : BY_WARP;
        place = place_in_list(counters + BLOCK_ROWS, team == BY_BLOCK);
        if (team == BY_BLOCK) list[place] = i;
        place = place_in_list(counters + SCRATCH_ROWS, team == BY_BLOCK_IN_SCRATCH);
        if (team == BY_BLOCK_IN_SCRATCH) {
            list[nrows - 1 - place] = i;
            atomicMax(counters + MOST_SLOTS, shape_for(entries[i], ncols).slots);
        }
    }
}
