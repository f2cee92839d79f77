// What a masked product found, at the entries of the mask. Generated: MaskOffset, MaskColumn, Column, Value, STRUCTURE (all
// values are one).

#include "grid.cuh"

// The entries that are present, without gaps; kept[entry] is how many there are up to and including this one.
extern "C" __global__ void keep_present_kernel(
    const MaskOffset* mask_indptr, const MaskColumn* mask_indices, int64 nrows, int64 entries, const bool* present,
    const Value* values, const int64* kept, int64* out_indptr, Column* out_indices, Value* out_values
) {
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        if (!present[entry]) continue;
        int64 place = kept[entry] - 1;
        out_indices[place] = Column(mask_indices[entry]);
        if constexpr (!STRUCTURE) out_values[place] = values[entry];
    }
    for (int64 i = thread_in_grid(); i <= nrows; i += threads_in_grid()) {
        int64 before = mask_indptr[i];
        out_indptr[i] = before > 0 ? kept[before - 1] : 0;
    }
}
