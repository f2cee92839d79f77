// Two matrices combined tile by tile: merged and counted, then written from the bits that the merge has stored. Generated: X, Y (as
// stored), XOffset, XColumn, YOffset, YColumn, Left, Right (types of the operator `op`), Out, OutOffset, the mask, and
//   KIND       UNION, INTERSECTION, or WRITE: out<mask, REPLACE> = x with y written to it
//   DEFAULTS   of a union: a missing operand has a value (otherwise the other one is the result)
//   ACCUM      of a write: where both have an entry the result is op(x, y)
//   X_ISO, Y_ISO, OUT_ISO  one value stands for all
//   POSITIONAL the operator reads the positions of its operands

#include "matrix_mask.cuh"
#include "grid.cuh"
#include "tiles.cuh"

// Two matrices of one shape merged, row by row, in equal tiles of the merge path through the entries of both in order of rows and columns.
// The path has an extra step for every few rows, so that neither long rows nor long runs of empty rows overload a tile. Generated: XOffset,
// XColumn, YOffset, YColumn.

constexpr int MERGED_AT_A_TIME = 8, TILE = 2048;  // entries of both matrices, that a thread and a block take at most
constexpr int ROWS_OF_A_STEP = 4;
constexpr int WORDS = TILE / 32;                   // of a bit for each of them

struct Pair {
    const XOffset* x_indptr;
    const XColumn* x_indices;
    const YOffset* y_indptr;
    const YColumn* y_indices;
    int64 nrows, entries;  // of both

    DEVICE int64 start(int64 row) const { return int64(x_indptr[row]) + int64(y_indptr[row]); }
    DEVICE int64 steps() const { return entries + nrows / ROWS_OF_A_STEP; }
    DEVICE int64 tiles() const { return (steps() + TILE - 1) / TILE; }
};

// The numbers of entries of each before the split; the next one is in this row, or behind it.
struct Split {
    int64 row, x, y;

    DEVICE int64 entries() const { return x + y; }
};

// The split after `number` steps, entries of x first at equal positions. All lanes of the warp pass the same arguments.
DEVICE Split split_at(const Pair& pair, int64 number) {
    auto starts = [&](int64 row) { return pair.start(row) + row / ROWS_OF_A_STEP <= number; };
    int64 row = warp_first_above(0, pair.nrows + 1, starts) - 1;  // the last row that starts no later
    int64 x = pair.x_indptr[row], y = pair.y_indptr[row];
    if (row == pair.nrows) return {row, x, y};
    int64 left = number - row / ROWS_OF_A_STEP - x - y, xs = int64(pair.x_indptr[row + 1]) - x, ys = int64(pair.y_indptr[row + 1]) - y;
    // How many of x: the first place whose column is behind that of its counterpart in y.
    auto comes_first = [&](int64 at) { return int64(pair.x_indices[x + at]) <= int64(pair.y_indices[y + left - 1 - at]); };
    int64 of_x = warp_first_above(left > ys ? left - ys : 0, left < xs ? left : xs, comes_first);
    return {row, x + of_x, y + left - of_x};
}

constexpr uint64 NO_ENTRY = ~uint64(0), FIRST_ROW = uint64(1) << 32;

// A tile: its entries, row above column; those of x follow one entry of x, those of y precede one of y, with a sentinel in between. Rows
// are counted from the first one of the tile, which is 1.
struct Tile {
    uint64 entries[TILE + 3 + MERGED_AT_A_TIME];  // threads that merge beyond the end read the last ones
    unsigned last_rows[32];                       // that begin in the entries of each warp
    Split from, to;
    int xs, ys;     // entries of x, of y
    unsigned kept;  // entries of the result

    DEVICE const uint64* x() const { return entries + 1; }
    DEVICE const uint64* y() const { return entries + 2 + xs; }
    DEVICE unsigned& row(int entry) { return ((unsigned*)(entries + 1 + entry))[1]; }  // little-endian
};

// The rows of the tile's entries, which are 1 for the first of x and of y, and 0 for others: the first entry of each row gets its number,
// which a scan copies to the entries up to the next row. Called by all threads of the block.
DEVICE void number_rows(const Pair& pair, Tile& tile) {
    Split from = tile.from, to = tile.to;
    int xs = tile.xs, ys = tile.ys, all = xs + 1 + ys;
    for (int64 row = from.row + 1 + threadIdx.x; row <= to.row && row < pair.nrows; row += blockDim.x) {
        int64 x = int64(pair.x_indptr[row]) - from.x, x_end = int64(pair.x_indptr[row + 1]) - from.x;
        int64 y = int64(pair.y_indptr[row]) - from.y, y_end = int64(pair.y_indptr[row + 1]) - from.y;
        if (x < x_end && x < xs) tile.row(int(x)) = unsigned(row - from.row) + 1;
        if (y < y_end && y < ys) tile.row(xs + 1 + int(y)) = unsigned(row - from.row) + 1;
    }
    __syncthreads();
    int warps = int(blockDim.x >> 5), warp = int(threadIdx.x >> 5);
    int number = ((all + 31) / 32 + warps - 1) / warps * 32;  // entries of a warp
    int first = warp * number, end = first + number < all ? first + number : all;
    unsigned open = 0;  // the row that began last
    for (int base = first; base < end; base += 32) {
        bool inside = base + lane() < end;
        unsigned own = inside ? tile.row(base + lane()) : 0, begun = __ballot_sync(FULL_WARP, own != 0);
        unsigned lower = begun & (FULL_WARP >> (31 - lane()));
        unsigned row = __shfl_sync(FULL_WARP, own, lower ? 31 - __clz(lower) : 0);
        if (inside) tile.row(base + lane()) = lower ? row : open;
        if (begun) open = __shfl_sync(FULL_WARP, own, 31 - __clz(begun));
    }
    if (lane() == 0) tile.last_rows[warp] = open;
    __syncthreads();
    unsigned before = 0;  // of the warps before
    for (int other = 0; other < warp; ++other) before = tile.last_rows[other] ? tile.last_rows[other] : before;
    for (int base = first; base < end; base += 32) {  // only entries before the first row that begins have none yet
        bool none = base + lane() < end && tile.row(base + lane()) == 0;
        if (none) tile.row(base + lane()) = before;
        if (!__all_sync(FULL_WARP, none)) break;
    }
    __syncthreads();
}

// A bit for each entry that a thread merges, in order, the lowest first.
struct Slots {
    unsigned of_x, in_union, in_both;  // from x; first entry of its position; y has it, too
};

// All threads of the block load the tile between the splits `from` and `to` and merge it: use(place, slots) gets all slots of a tile,
// including those behind its end, eight at a time.
template <class Use> DEVICE void merge_tile(const Pair& pair, Tile& tile, Use use) {
    __syncthreads();
    Split from = tile.from, to = tile.to;
    int xs = int(to.x - from.x), ys = int(to.y - from.y), all = xs + ys;
    if (threadIdx.x == 0) {
        tile.xs = xs;
        tile.ys = ys;
        bool before = from.row < pair.nrows && from.x > int64(pair.x_indptr[from.row]);  // in the first row
        bool behind = to.row < pair.nrows && to.y < int64(pair.y_indptr[to.row + 1]);    // in the last one
        tile.entries[0] = before ? FIRST_ROW | uint64(unsigned(pair.x_indices[from.x - 1])) : NO_ENTRY;
        tile.entries[1 + xs] = NO_ENTRY;
        tile.entries[2 + all] =
            behind ? uint64(to.row - from.row + 1) << 32 | uint64(unsigned(pair.y_indices[to.y])) : NO_ENTRY;
    }
    for (int p = threadIdx.x; p < xs; p += blockDim.x)
        tile.entries[1 + p] = uint64(unsigned(pair.x_indices[from.x + p])) | (p == 0 ? FIRST_ROW : 0);
    for (int p = threadIdx.x; p < ys; p += blockDim.x)
        tile.entries[2 + xs + p] = uint64(unsigned(pair.y_indices[from.y + p])) | (p == 0 ? FIRST_ROW : 0);
    __syncthreads();
    number_rows(pair, tile);
    const uint64 *x = tile.entries + 1, *y = tile.entries + 2 + xs;
    for (int left = int(threadIdx.x) * MERGED_AT_A_TIME; left < TILE; left += int(blockDim.x) * MERGED_AT_A_TIME) {
        Slots found = {0, 0, 0};
        if (left < all) {
            int lo = left > ys ? left - ys : 0, hi = left < xs ? left : xs;
            while (lo < hi) {
                int middle = (lo + hi) >> 1;
                if (x[middle] <= y[left - 1 - middle]) lo = middle + 1;
                else hi = middle;
            }
            int i = lo, j = left - lo;
            uint64 before = x[i - 1], next_x = x[i], next_y = y[j];
            UNROLLED for (int k = 0; k < MERGED_AT_A_TIME; ++k) {  // what is behind x is above all of y, what is behind y above all of x
                bool of_x = next_x <= next_y;
                found.of_x |= unsigned(of_x) << k;
                found.in_both |= unsigned(next_x == next_y) << k;
                found.in_union |= unsigned(of_x || before != next_y) << k;
                uint64 next = *(of_x ? x + ++i : y + ++j);
                before = of_x ? next_x : before;
                next_x = of_x ? next : next_x;
                next_y = of_x ? next_y : next;
            }
            unsigned inside = all - left < MERGED_AT_A_TIME ? (1u << (all - left)) - 1 : (1u << MERGED_AT_A_TIME) - 1;
            found = {found.of_x & inside, found.in_union & inside, found.in_both & inside};
        }
        use(left / MERGED_AT_A_TIME, found);
    }
}

// Bits of the slots of a tile, eight in a byte as they are merged.
DEVICE unsigned char& eight_of(unsigned* words, int place) { return ((unsigned char*)words)[place]; }  // little-endian

// The number of bits before each word, and the total. For one warp.
DEVICE void list_ranks(const unsigned* words, unsigned* before) {
    unsigned all = 0;
    for (int base = 0; base < WORDS; base += 32) {
        unsigned own = __popc(words[base + lane()]), sum = inclusive_sum(own);
        before[base + lane()] = all + sum - own;
        all += from_lane(sum, 31);
    }
    if (lane() == 0) before[WORDS] = all;
}

// The number of bits before that of a slot, which may be the end of the tile.
DEVICE int rank_of(const unsigned* words, const unsigned* before, int slot) {
    int word = slot >> 5, bit = slot & 31;
    return int(before[word]) + (bit ? __popc(words[word] & ((1u << bit) - 1)) : 0);
}

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
    return first_above(lo + 1, hi + 1, [&](int64 row) { return pair.start(row) <= number; }) - 1;
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
