// Two matrices combined tile by tile: merged and counted, then written from the bits that the merge has stored. Generated: X, Y (as
// stored), XOffset, XColumn, YOffset, YColumn, Left, Right (types of the operator `op`), Out, OutOffset, the mask, and
//   KIND       UNION, INTERSECTION, or WRITE: out<mask, REPLACE> = x with y written to it
//   DEFAULTS   of a union: a missing operand has a value (otherwise the other one is the result)
//   ACCUM      of a write: where both have an entry the result is op(x, y)
//   X_ISO, Y_ISO, OUT_ISO  one value stands for all
//   POSITIONAL the operator reads the positions of its operands

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

// An entry of either matrix or both: its places in these, and for a write whether the mask is open.
struct Found {
    bool has_x, has_y, open;
    int64 x, y;
};

DEVICE bool keeps(const Operands& given, Found& found, int64 i, int64 j) {
    found.open = allowed(given.mask, i, j);
    if (!found.open) return !REPLACE && found.has_x;
    return found.has_y || (ACCUM && found.has_x);
}

DEVICE Out combined(const Operands& given, const Found& found, int64 i, int64 j) {
    const X* x = given.x + (X_ISO ? 0 : found.x);
    const Y* y = given.y + (Y_ISO ? 0 : found.y);
    if constexpr (KIND == WRITE) {
        if (!found.open) return cast<Out>(*x);
        if (!ACCUM && found.has_y) return cast<Out>(*y);
    }
    if ((found.has_x && found.has_y) || (KIND == UNION && DEFAULTS)) {
        Left left = found.has_x ? cast<Left>(*x) : given.left_default;
        Right right = found.has_y ? cast<Right>(*y) : given.right_default;
        return cast<Out>(op(left, right, i, j, i, j));
    }
    return found.has_x ? cast<Out>(*x) : cast<Out>(*y);
}

// Whether the result is iso: values of either matrix alone, and results of both.
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

// splits[tile] is where it starts, found by a warp.
extern "C" __global__ void find_splits_kernel(
    const XOffset* x_indptr, const XColumn* x_indices, const YOffset* y_indptr, const YColumn* y_indices, int64 nrows,
    int64 entries, Split* splits
) {
    Pair pair = {x_indptr, x_indices, y_indptr, y_indices, nrows, entries};
    int64 tiles = pair.tiles();
    for (int64 number = warp_in_grid(); number <= tiles; number += warps_in_grid()) {
        Split found = split_at(pair, number < tiles ? number * TILE : pair.steps());
        if (lane() == 0) splits[number] = found;
    }
}

// The data that counting leaves for filling: bits of the merged entries, tile by tile.
constexpr int OF_X = 0, KEPT = 1, IN_BOTH = 2, OPEN = 3, PLANES = KIND == INTERSECTION ? 2 : KIND == UNION ? 3 : 4;
DEVICE unsigned* marks_of(unsigned* marks, int64 number, int plane) { return marks + (number * PLANES + plane) * WORDS; }

// The bits of a tile in shared memory.
struct Bits {
    unsigned of[PLANES][WORDS], x_before[WORDS + 1], kept_before[WORDS + 1];

    DEVICE bool has(int plane, int slot) const { return of[plane][slot >> 5] >> (slot & 31) & 1; }
    DEVICE int x_at(int slot) const { return rank_of(of[OF_X], x_before, slot); }
    DEVICE int kept_at(int slot) const { return rank_of(of[KEPT], kept_before, slot); }
    DEVICE Found at(const Split& from, int slot) const {
        bool has_x = has(OF_X, slot), both = KIND == INTERSECTION || has(IN_BOTH % PLANES, slot);
        int x = x_at(slot);
        return {has_x, both || !has_x, KIND == WRITE && has(OPEN % PLANES, slot), from.x + x, from.y + slot - x};
    }
};

// For a write: tests the mask at every entry of the union, all marked as kept so far. Returns the number of kept entries to all threads of
// the block.
DEVICE int filter_tile(const Operands& given, const Tile& tile, Bits& bits) {
    __syncthreads();
    if (threadIdx.x < 32) list_ranks(bits.of[OF_X], bits.x_before);
    __syncthreads();
    int kept = 0;
    for (int word = int(threadIdx.x >> 5); word < WORDS; word += int(blockDim.x >> 5)) {
        int slot = 32 * word + lane();
        Found found = bits.at(tile.from, slot);
        bool stays = false;
        found.open = false;
        if (bits.has(KEPT, slot)) {
            int x = bits.x_at(slot);
            uint64 entry = found.has_x ? tile.x()[x] : tile.y()[slot - x];
            stays = keeps(given, found, tile.from.row + int64(entry >> 32) - 1, int64(unsigned(entry)));
        }
        unsigned all_kept = __ballot_sync(FULL_WARP, stays), all_open = __ballot_sync(FULL_WARP, found.open);
        if (lane() == 0) {
            bits.of[KEPT][word] = all_kept;
            bits.of[OPEN % PLANES][word] = all_open;
            kept += __popc(all_kept);
        }
    }
    __syncthreads();
    return kept;
}

// counts[tile] = the number of entries that it keeps, in the end the sum over all earlier tiles.
extern "C" __global__ void __launch_bounds__(256, 6) count_merged_kernel(
    OPERANDS, const Split* splits, unsigned* marks, int64* counts, unsigned* done, volatile int64* host
) {
    __shared__ Tile tile;
    Operands given = {GIVEN};
    int64 tiles = given.pair.tiles();
    for (int64 number = blockIdx.x; number < tiles; number += gridDim.x) {
        if (threadIdx.x == 0) {
            tile.from = splits[number];
            tile.to = splits[number + 1];
            tile.kept = 0;
        }
        unsigned* out = marks_of(marks, number, 0);
        int kept = 0;
        if constexpr (KIND == WRITE) {
            __shared__ Bits bits;
            merge_tile(given.pair, tile, [&](int place, const Slots& found) {
                eight_of(bits.of[OF_X], place) = found.of_x;
                eight_of(bits.of[KEPT], place) = found.in_union;
                eight_of(bits.of[IN_BOTH], place) = found.in_both;
            });
            kept = filter_tile(given, tile, bits);
            for (int word = threadIdx.x; word < PLANES * WORDS; word += blockDim.x) out[word] = bits.of[0][word];
        } else {
            merge_tile(given.pair, tile, [&](int place, const Slots& found) {
                unsigned stays = KIND == UNION ? found.in_union : found.in_both;
                eight_of(out + OF_X * WORDS, place) = found.of_x;
                eight_of(out + KEPT * WORDS, place) = stays;
                if (KIND == UNION) eight_of(out + IN_BOTH * WORDS, place) = found.in_both;
                kept += __popc(stays);
            });
        }
        unsigned of_warp = sum_of_lanes(unsigned(kept));
        if (lane() == 0) atomicAdd(&tile.kept, of_warp);
        __syncthreads();
        if (threadIdx.x == 0) counts[number] = tile.kept;
    }
    publish_offsets(counts, tiles, done, all_alike(given), host);
}

// The row of an entry of both, numbered through: one of those from `lo` to `hi`.
DEVICE int64 row_of(const Pair& pair, int64 number, int64 lo, int64 hi) {
    while (lo < hi) {  // the last one that starts no later
        int64 middle = (lo + hi + 1) >> 1;
        if (pair.start(middle) <= number) lo = middle;
        else hi = middle - 1;
    }
    return lo;
}

extern "C" __global__ void __launch_bounds__(256, 8) fill_merged_kernel(
    OPERANDS, const Split* splits, unsigned* marks, const int64* offsets, OutOffset* out_indptr, XColumn* out_indices, Out* out
) {
    __shared__ Bits bits;
    Operands given = {GIVEN};
    const Pair& pair = given.pair;
    int64 tiles = given.pair.tiles();
    if (OUT_ISO && thread_in_grid() == 0) out[0] = combined(given, {true, true, true, 0, 0}, 0, 0);
    for (int64 number = blockIdx.x; number < tiles; number += gridDim.x) {
        Split from = splits[number], to = splits[number + 1];
        const unsigned* given_marks = marks_of(marks, number, 0);
        int64 offset = offsets[number], start = from.entries();
        __syncthreads();
        for (int word = threadIdx.x; word < PLANES * WORDS; word += blockDim.x) bits.of[0][word] = given_marks[word];
        __syncthreads();
        if (threadIdx.x < 32) list_ranks(bits.of[OF_X], bits.x_before);
        else if (threadIdx.x < 64) list_ranks(bits.of[KEPT], bits.kept_before);
        __syncthreads();
        for (int slot = threadIdx.x; slot < TILE; slot += blockDim.x) {
            if (!bits.has(KEPT, slot)) continue;
            Found found = bits.at(from, slot);
            int64 place = offset + bits.kept_at(slot);
            int64 j = found.has_x ? int64(pair.x_indices[found.x]) : int64(pair.y_indices[found.y]);
            out_indices[place] = XColumn(j);
            int64 i = POSITIONAL ? row_of(pair, start + slot, from.row, to.row) : 0;
            if (!OUT_ISO) out[place] = combined(given, found, i, j);
        }
        int64 first = number == 0 ? 0 : from.row + 1;
        for (int64 row = first + threadIdx.x; row <= to.row; row += blockDim.x)
            out_indptr[row] = OutOffset(offset + bits.kept_at(int(pair.start(row) - start)));
    }
}
