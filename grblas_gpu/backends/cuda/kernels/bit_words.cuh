// Flags of a dense matrix, 64 columns to a word: row i has its columns 64 w to 64 w + 63 in words[i * width + w].
// Generated: MASK, what a mask in this form allows (as in mxm_rows.cuh).

#include "grid.cuh"

constexpr int EVERYWHERE = 0, INSIDE = 1, OUTSIDE = 2;
constexpr int BITS = 64;

// A bit for every column that word w of a row has.
DEVICE uint64 all_columns(int64 columns, int64 w) {
    int64 left = columns - w * BITS;
    return left >= BITS ? ~uint64(0) : (uint64(1) << left) - 1;
}

// The columns of a word that may have a result.
DEVICE uint64 open_columns(const uint64* mask, int64 at, uint64 all) {
    if constexpr (MASK == INSIDE) return mask[at] & all;
    else if constexpr (MASK == OUTSIDE) return ~mask[at] & all;
    else return all;
}

// The union over a warp, in every lane.
DEVICE uint64 warp_union(uint64 word) { return uint64(warp_union(unsigned(word >> 32))) << 32 | warp_union(unsigned(word)); }
