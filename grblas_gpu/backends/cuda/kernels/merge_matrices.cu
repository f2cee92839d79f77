// Two matrices combined where they have entries, tile by tile: counted, then written. Generated: X, Y (as stored), XOffset,
// XColumn, YOffset, YColumn, Left, Right (as the operator `op` has them), Out, OutOffset, the mask, and
//   KIND       UNION, INTERSECTION, or WRITE: out<mask, REPLACE> = x with y written to it
//   DEFAULTS   of a union: a missing operand has a value (otherwise the other one is the result)
//   ACCUM      of a write: where both have an entry the result is op(x, y)
//   X_ISO, Y_ISO, OUT_ISO  one value stands for all

#include "matrix_mask.cuh"
#include "merge.cuh"
#include "offsets.cuh"

constexpr int UNION = 0, INTERSECTION = 1, WRITE = 2;

struct Operands {
    Pair pair;
    const X* x;
    const Y* y;
    Left left_default;
    Right right_default;
    Mask mask;
};
#define OPERANDS                                                                                              \
    const XOffset *x_indptr, const XColumn *x_indices, const X *x, const YOffset *y_indptr,                     \
        const YColumn *y_indices, const Y *y, int64 nrows, int64 entries, Left left_default, Right right_default, \
        const MaskOffset *mask_indptr, const MaskColumn *mask_indices, const MaskValue *mask_values
#define GIVEN                                                                                                 \
    {x_indptr, x_indices, y_indptr, y_indices, nrows, entries}, x, y, left_default, right_default, {             \
        {mask_indptr, mask_indices}, mask_values                                                              \
    }

DEVICE bool keeps(const Operands& given, unsigned& place, int64 i, int64 j) {
    bool has_x = place & HAS_X, has_y = place & HAS_Y;
    if constexpr (KIND == UNION) return true;
    else if constexpr (KIND == INTERSECTION) return has_x && has_y;
    else if (!allowed(given.mask, i, j)) return !REPLACE && has_x;
    place |= OPEN;
    return has_y || (ACCUM && has_x);
}

DEVICE Out combined(const Operands& given, const Tile& tile, unsigned place, int64 i, int64 j) {
    bool has_x = place & HAS_X, has_y = place & HAS_Y;
    const X* x = given.x + (X_ISO ? 0 : tile.from.x + x_of(place));
    const Y* y = given.y + (Y_ISO ? 0 : tile.from.y + y_of(place));
    bool both = has_x && has_y;
    if constexpr (KIND == WRITE) {
        if (!(place & OPEN)) return cast<Out>(*x);
        if (!ACCUM && has_y) return cast<Out>(*y);
    }
    if (both || (KIND == UNION && DEFAULTS)) {
        Left left = has_x ? cast<Left>(*x) : given.left_default;
        Right right = has_y ? cast<Right>(*y) : given.right_default;
        return cast<Out>(op(left, right, i, j, i, j));
    }
    return has_x ? cast<Out>(*x) : cast<Out>(*y);
}

// Whether one value would do for all: what either has alone, and what both make.
DEVICE bool all_alike(const Operands& given) {
    if constexpr (!(X_ISO && Y_ISO)) {
        return false;
    } else {
        Out both = cast<Out>(op(cast<Left>(given.x[0]), cast<Right>(given.y[0]), 0, 0, 0, 0));
        if constexpr (KIND == INTERSECTION) return true;
        Out left = cast<Out>(given.x[0]), right = cast<Out>(given.y[0]);
        return left == right && (left == both || (KIND == WRITE && !ACCUM));
    }
}

// splits[tile] is where it starts; a warp looks for it.
extern "C" __global__ void find_splits_kernel(
    const XOffset* x_indptr, const XColumn* x_indices, const YOffset* y_indptr, const YColumn* y_indices, int64 nrows,
    int64 entries, Split* splits
) {
    Pair pair = {x_indptr, x_indices, y_indptr, y_indices, nrows, entries};
    int64 tiles = (entries + TILE - 1) / TILE;
    for (int64 number = warp_in_grid(); number <= tiles; number += warps_in_grid()) {
        Split found = split_at(pair, number < tiles ? number * TILE : entries);
        if (lane() == 0) splits[number] = found;
    }
}

// counts[tile] = how many entries it keeps, in the end those of all tiles before.
extern "C" __global__ void __launch_bounds__(256, 6) count_merged_kernel(
    OPERANDS, const Split* splits, int64* counts, unsigned* done, volatile int64* host
) {
    __shared__ Tile tile;
    Operands given = {GIVEN};
    int64 tiles = (entries + TILE - 1) / TILE;
    for (int64 number = blockIdx.x; number < tiles; number += gridDim.x) {
        if (threadIdx.x == 0) {
            tile.from = splits[number];
            tile.to = splits[number + 1];
        }
        merge_tile(given.pair, tile);
        auto keep = [&](unsigned& place, int64 i, int64 j) { return keeps(given, place, i, j); };
        int kept = KIND == UNION ? tile.number : filter_tile(tile, keep);
        if (threadIdx.x == 0) counts[number] = kept;
        __syncthreads();
    }
    publish_offsets(counts, tiles, done, all_alike(given), host);
}

extern "C" __global__ void __launch_bounds__(256, 6) fill_merged_kernel(
    OPERANDS, const Split* splits, const int64* offsets, OutOffset* out_indptr, XColumn* out_indices, Out* out
) {
    __shared__ Tile tile;
    Operands given = {GIVEN};
    int64 tiles = (entries + TILE - 1) / TILE;
    if (OUT_ISO && thread_in_grid() == 0) {
        tile.from = {0, 0, 0};
        out[0] = combined(given, tile, HAS_X | HAS_Y | OPEN, 0, 0);
    }
    for (int64 number = blockIdx.x; number < tiles; number += gridDim.x) {
        __syncthreads();
        if (threadIdx.x == 0) {
            tile.from = splits[number];
            tile.to = splits[number + 1];
        }
        merge_tile(given.pair, tile);
        int64 offset = offsets[number];
        if constexpr (KIND != UNION)
            filter_tile(tile, [&](unsigned& place, int64 i, int64 j) { return keeps(given, place, i, j); });
        for (int p = threadIdx.x; p < tile.number; p += blockDim.x) {
            if (KIND != UNION && !(tile.kept[p >> 5] >> (p & 31) & 1)) continue;
            int64 to = offset + (KIND == UNION ? p : int(rank_of(tile, p)));
            unsigned place = tile.places[p];
            uint64 entry = entry_of(tile, place);
            int64 i = tile.from.row + int64(entry >> 32), j = int64(unsigned(entry));
            out_indices[to] = XColumn(j);
            if (!OUT_ISO) out[to] = combined(given, tile, place, i, j);
        }
        int64 first = number == 0 ? 0 : tile.from.row + 1;
        for (int64 row = first + threadIdx.x; row <= tile.to.row; row += blockDim.x) {
            int p = first_in_row(tile, row - tile.from.row);
            out_indptr[row] = OutOffset(offset + (KIND == UNION ? p : int(rank_of(tile, p))));
        }
    }
}
