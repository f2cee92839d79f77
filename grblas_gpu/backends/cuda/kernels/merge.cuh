// Two matrices of one shape merged, row by row, in equal tiles: the entries of both are numbered through as they come in
// the order of rows and columns, however long the rows are. Generated: XOffset, XColumn, YOffset, YColumn.

#include "cooperate.cuh"

constexpr int MERGED_AT_A_TIME = 8, TILE = 2048;  // entries of both matrices, that a thread and a block take

struct Pair {
    const XOffset* x_indptr;
    const XColumn* x_indices;
    const YOffset* y_indptr;
    const YColumn* y_indices;
    int64 nrows, entries;  // of both

    DEVICE int64 start(int64 row) const { return int64(x_indptr[row]) + int64(y_indptr[row]); }
};

// So many entries of each come before; the next one is in this row, or behind it.
struct Split {
    int64 row, x, y;
};

// The split after `number` entries, those of x first where both have one. All lanes of the warp ask for the same.
DEVICE Split split_at(const Pair& pair, int64 number) {
    int64 lo = 0, hi = pair.nrows + 1;  // the last row that starts no later
    while (lo < hi) {
        int64 step = (hi - lo + 31) >> 5, probe = lo + (lane() + 1) * step - 1;
        bool below = probe < hi && pair.start(probe) <= number;
        int passed = __popc(__ballot_sync(FULL_WARP, below));
        int64 end = lo + (passed + 1) * step - 1;
        lo += passed * step;
        if (end < hi) hi = end;
    }
    int64 row = lo - 1, x = pair.x_indptr[row], y = pair.y_indptr[row];
    if (row == pair.nrows) return {row, x, y};
    int64 left = number - x - y, xs = int64(pair.x_indptr[row + 1]) - x, ys = int64(pair.y_indptr[row + 1]) - y;
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

// A tile: its entries, row above column, with one of x before it and one of y behind it; and the entries of the union, each
// by where it is in x and in y.
struct Tile {
    uint64 entries[TILE + 2];  // rows are counted from the first one
    unsigned places[TILE];     // HAS_X, HAS_Y, perhaps OPEN, and the numbers of entries in the tile
    unsigned kept[TILE / 32], before[TILE / 32 + 1];
    unsigned last_rows[32];    // that begin in the entries of each warp
    int64 shared[32];
    Split from, to;
    int xs, ys, number;  // entries of x, of y, and of the union

    DEVICE const uint64* x() const { return entries + 1; }
    DEVICE const uint64* y() const { return entries + 1 + xs; }
    DEVICE unsigned& row(int entry) { return ((unsigned*)(entries + 1 + entry))[1]; }  // little-endian
};
constexpr unsigned HAS_X = 1u << 31, HAS_Y = 1u << 30, OPEN = 1u << 29;
constexpr int BITS_OF_PLACE = 12;
DEVICE unsigned place_at(bool has_x, int x, bool has_y, int y) {
    return (has_x ? HAS_X : 0) | (has_y ? HAS_Y : 0) | unsigned(x) << BITS_OF_PLACE | unsigned(y);
}
DEVICE int x_of(unsigned place) { return int(place >> BITS_OF_PLACE & ((1 << BITS_OF_PLACE) - 1)); }
DEVICE int y_of(unsigned place) { return int(place & ((1 << BITS_OF_PLACE) - 1)); }
DEVICE uint64 entry_of(const Tile& tile, unsigned place) {
    return place & HAS_X ? tile.x()[x_of(place)] : tile.y()[y_of(place)];
}

constexpr unsigned OF_Y = 1u << 31;  // above the row of an entry of y, until all rows are there
constexpr uint64 NO_ENTRY = ~uint64(0);

// The rows of the tile's entries, which are 0, or OF_Y for the first of y: the first entry of each row gets its number, and
// from there it goes on to the next. All threads of the block call it.
DEVICE void number_rows(const Pair& pair, Tile& tile) {
    Split from = tile.from, to = tile.to;
    int xs = tile.xs, ys = tile.ys;
    for (int64 row = from.row + 1 + threadIdx.x; row <= to.row && row < pair.nrows; row += blockDim.x) {
        int64 x = int64(pair.x_indptr[row]) - from.x, x_end = int64(pair.x_indptr[row + 1]) - from.x;
        int64 y = int64(pair.y_indptr[row]) - from.y, y_end = int64(pair.y_indptr[row + 1]) - from.y;
        if (x < x_end && x < xs) tile.row(int(x)) = unsigned(row - from.row);
        if (y < y_end && y < ys) tile.row(xs + int(y)) = unsigned(row - from.row) | OF_Y;
    }
    __syncthreads();
    int warps = int(blockDim.x >> 5), warp = int(threadIdx.x >> 5);
    int number = ((xs + ys + 31) / 32 + warps - 1) / warps * 32;  // entries of a warp
    int first = warp * number, end = first + number < xs + ys ? first + number : xs + ys;
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
    unsigned before = 0;  // of the warps before: rows ascend, and those of y are above all of x
    for (int other = 0; other < warp; ++other) before = tile.last_rows[other] ? tile.last_rows[other] : before;
    for (int base = first; base < end; base += 32) {
        bool inside = base + lane() < end;
        unsigned own = inside ? tile.row(base + lane()) : 0;
        if (inside) tile.row(base + lane()) = (own ? own : before) & ~OF_Y;
    }
    __syncthreads();
}

// All threads of the block load a tile and merge it; `from` and `to` are there.
DEVICE void merge_tile(const Pair& pair, Tile& tile) {
    __syncthreads();
    Split from = tile.from, to = tile.to;
    int xs = int(to.x - from.x), ys = int(to.y - from.y);
    if (threadIdx.x == 0) {
        tile.xs = xs;
        tile.ys = ys;
        bool before = from.row < pair.nrows && from.x > int64(pair.x_indptr[from.row]);  // in the first row
        bool behind = to.row < pair.nrows && to.y < int64(pair.y_indptr[to.row + 1]);    // in the last one
        tile.entries[0] = before ? uint64(unsigned(pair.x_indices[from.x - 1])) : NO_ENTRY;
        tile.entries[1 + xs + ys] =
            behind ? uint64(to.row - from.row) << 32 | uint64(unsigned(pair.y_indices[to.y])) : NO_ENTRY;
    }
    for (int p = threadIdx.x; p < xs; p += blockDim.x) tile.entries[1 + p] = uint64(unsigned(pair.x_indices[from.x + p]));
    for (int p = threadIdx.x; p < ys; p += blockDim.x) {
        uint64 column = unsigned(pair.y_indices[from.y + p]);
        tile.entries[1 + xs + p] = p == 0 ? column | uint64(OF_Y) << 32 : column;
    }
    __syncthreads();
    number_rows(pair, tile);
    const uint64 *x = tile.x(), *y = tile.y();
    int number = 0;
    for (int base = 0; base < xs + ys; base += blockDim.x * MERGED_AT_A_TIME) {
        int left = base + int(threadIdx.x) * MERGED_AT_A_TIME, found = 0;
        unsigned places[MERGED_AT_A_TIME];
        int lo = left > ys ? left - ys : 0, hi = left < xs ? left : xs;
        while (lo < hi) {
            int middle = (lo + hi) >> 1;
            if (x[middle] <= y[left - 1 - middle]) lo = middle + 1;
            else hi = middle;
        }
        int i = lo < xs ? lo : xs, j = left - lo < ys ? left - lo : ys;
        uint64 before = x[i - 1], next_x = x[i], next_y = y[j];  // x[-1] is before the tile, y[ys] behind it
#pragma unroll
        for (int k = 0; k < MERGED_AT_A_TIME; ++k) {
            places[k] = 0;
            if (i + j >= xs + ys) continue;
            if (i < xs && (j >= ys || next_x <= next_y)) {
                places[k] = place_at(true, i, next_x == next_y, j);
                before = next_x;
                next_x = x[++i];
            } else {
                if (before != next_y) places[k] = place_at(false, 0, true, j);
                next_y = y[++j];
            }
            found += places[k] != 0;
        }
        int64 total;
        int to_place = number + int(block_offset(found, total, tile.shared));
#pragma unroll
        for (int k = 0; k < MERGED_AT_A_TIME; ++k)
            if (places[k]) tile.places[to_place++] = places[k];
        number += int(total);
    }
    if (threadIdx.x == 0) tile.number = number;
    __syncthreads();
}

// Which of the union stay: keep(place, row, column), which may mark the place as OPEN. Returns how many. All threads of
// the block call it.
template <class Keep> DEVICE int filter_tile(Tile& tile, Keep keep) {
    int number = tile.number, words = (number + 31) >> 5;
    for (int word = int(threadIdx.x >> 5); word < words; word += int(blockDim.x >> 5)) {
        int p = 32 * word + lane();
        bool stays = false;
        if (p < number) {
            unsigned place = tile.places[p];
            uint64 entry = entry_of(tile, place);
            stays = keep(place, tile.from.row + int64(entry >> 32), int64(unsigned(entry)));
            tile.places[p] = place;
        }
        unsigned all = __ballot_sync(FULL_WARP, stays);
        if (lane() == 0) tile.kept[word] = all;
    }
    __syncthreads();
    int64 before = 0, total;
    for (int base = 0; base <= words; base += int(blockDim.x)) {
        int word = base + int(threadIdx.x);
        int64 own = word < words ? __popc(tile.kept[word]) : 0;
        int64 place = before + block_offset(own, total, tile.shared);
        if (word <= words) tile.before[word] = unsigned(place);
        before += total;
    }
    __syncthreads();
    return int(before);
}

// How many that stay come before number p of the union.
DEVICE unsigned rank_of(const Tile& tile, int p) {
    unsigned rank = tile.before[p >> 5];
    return p & 31 ? rank + __popc(tile.kept[p >> 5] & ((1u << (p & 31)) - 1)) : rank;
}

// The first of the union that is in a row, counted from the tile's first, or behind it.
DEVICE int first_in_row(const Tile& tile, int64 row) {
    int lo = 0, hi = tile.number;
    while (lo < hi) {
        int middle = (lo + hi) >> 1;
        if (int64(entry_of(tile, tile.places[middle]) >> 32) < row) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}
