// Two matrices of one shape merged, row by row, in equal tiles of the merge path through the entries of both in order of rows and columns.
// The path has an extra step for every few rows, so that neither long rows nor long runs of empty rows overload a tile. Generated: XOffset,
// XColumn, YOffset, YColumn.

#include "cooperate.cuh"

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
    int64 lo = 0, hi = pair.nrows + 1;  // the last row that starts no later
    while (lo < hi) {
        int64 step = (hi - lo + 31) >> 5, probe = lo + (lane() + 1) * step - 1;
        bool below = probe < hi && pair.start(probe) + probe / ROWS_OF_A_STEP <= number;
        int passed = __popc(__ballot_sync(FULL_WARP, below));
        int64 end = lo + (passed + 1) * step - 1;
        lo += passed * step;
        if (end < hi) hi = end;
    }
    int64 row = lo - 1, x = pair.x_indptr[row], y = pair.y_indptr[row];
    if (row == pair.nrows) return {row, x, y};
    int64 left = number - row / ROWS_OF_A_STEP - x - y, xs = int64(pair.x_indptr[row + 1]) - x, ys = int64(pair.y_indptr[row + 1]) - y;
    lo = left > ys ? left - ys : 0;
    hi = left < xs ? left : xs;
    while (lo < hi) {  // how many of x: the first place whose column is behind that of its counterpart in y
        int64 step = (hi - lo + 31) >> 5, probe = lo + (lane() + 1) * step - 1;
        bool below = probe < hi && int64(pair.x_indices[x + probe]) <= int64(pair.y_indices[y + left - 1 - probe]);
        int passed = __popc(__ballot_sync(FULL_WARP, below));
        int64 end = lo + (passed + 1) * step - 1;
        lo += passed * step;
        if (end < hi) hi = end;
    }
    return {row, x + lo, y + left - lo};
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
#pragma unroll
            for (int k = 0; k < MERGED_AT_A_TIME; ++k) {  // what is behind x is above all of y, what is behind y above all of x
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
        unsigned own = __popc(words[base + lane()]), sum = own;
#pragma unroll
        for (int distance = 1; distance < 32; distance <<= 1) {
            unsigned lower = from_lower(sum, distance);
            if (lane() >= distance) sum += lower;
        }
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
