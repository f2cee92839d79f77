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

// A tile: the columns of its entries, with one of x before it and one of y behind it; and the entries of the union, each by
// where it is in x and in y, and by its row.
struct Tile {
    unsigned columns[TILE + 2];
    unsigned places[TILE];  // HAS_X, HAS_Y, perhaps OPEN, and the numbers of entries in the tile
    unsigned rows[TILE];    // counted from the first one
    unsigned kept[TILE / 32], before[TILE / 32 + 1];
    int64 shared[32];
    Split from, to;
    int xs, ys, number;  // entries of x, of y, and of the union

    DEVICE const unsigned* x() const { return columns + 1; }
    DEVICE const unsigned* y() const { return columns + 1 + xs; }
};
constexpr unsigned HAS_X = 1u << 31, HAS_Y = 1u << 30, OPEN = 1u << 29;
constexpr int BITS_OF_PLACE = 12;
DEVICE unsigned place_at(bool has_x, int x, bool has_y, int y) {
    return (has_x ? HAS_X : 0) | (has_y ? HAS_Y : 0) | unsigned(x) << BITS_OF_PLACE | unsigned(y);
}
DEVICE int x_of(unsigned place) { return int(place >> BITS_OF_PLACE & ((1 << BITS_OF_PLACE) - 1)); }
DEVICE int y_of(unsigned place) { return int(place & ((1 << BITS_OF_PLACE) - 1)); }
DEVICE unsigned column_of(const Tile& tile, unsigned place) {
    return place & HAS_X ? tile.x()[x_of(place)] : tile.y()[y_of(place)];
}

// A row as a tile sees it: where its entries are among those of the tile; they may begin before it, and end behind it.
struct RowOfTile {
    int64 row;
    int x, x_end, y, y_end;

    DEVICE RowOfTile(const Pair& pair, const Split& from, int64 row) : row(row) {
        x = local(int64(pair.x_indptr[row]) - from.x);
        y = local(int64(pair.y_indptr[row]) - from.y);
        x_end = local(int64(pair.x_indptr[row + 1]) - from.x);
        y_end = local(int64(pair.y_indptr[row + 1]) - from.y);
    }
    DEVICE static int local(int64 place) { return place < -1 ? -1 : place > TILE + 1 ? TILE + 1 : int(place); }
    DEVICE bool contains(int i, int j) const { return i < x_end || j < y_end; }
};

// The last row from `lo` to `hi` that starts no later than after `number` entries.
DEVICE int64 row_after(const Pair& pair, int64 lo, int64 hi, int64 number) {
    while (lo < hi) {
        int64 middle = (lo + hi + 1) >> 1;
        if (pair.start(middle) <= number) lo = middle;
        else hi = middle - 1;
    }
    return lo;
}

// All threads of the block load a tile and merge it; `from` and `to` are there.
DEVICE void merge_tile(const Pair& pair, Tile& tile) {
    __syncthreads();
    Split from = tile.from, to = tile.to;
    int xs = int(to.x - from.x), ys = int(to.y - from.y);
    int64 last_row = to.row < pair.nrows ? to.row : pair.nrows - 1, before = from.x + from.y;
    if (threadIdx.x == 0) {
        tile.xs = xs;
        tile.ys = ys;
        tile.columns[0] = from.x > 0 ? unsigned(pair.x_indices[from.x - 1]) : 0;
        tile.columns[1 + xs + ys] = to.y < int64(pair.y_indptr[pair.nrows]) ? unsigned(pair.y_indices[to.y]) : 0;
    }
    for (int p = threadIdx.x; p < xs; p += blockDim.x) tile.columns[1 + p] = unsigned(pair.x_indices[from.x + p]);
    for (int p = threadIdx.x; p < ys; p += blockDim.x) tile.columns[1 + xs + p] = unsigned(pair.y_indices[from.y + p]);
    __syncthreads();
    const unsigned *x = tile.x(), *y = tile.y();
    int number = 0;
    for (int base = 0; base < xs + ys; base += blockDim.x * MERGED_AT_A_TIME) {
        int left = base + int(threadIdx.x) * MERGED_AT_A_TIME, i = xs, j = ys, found = 0;
        unsigned places[MERGED_AT_A_TIME], rows[MERGED_AT_A_TIME];
        RowOfTile row(pair, from, left < xs + ys ? row_after(pair, from.row, last_row, before + left) : last_row);
        if (left < xs + ys) {
            int x_lo = row.x < 0 ? 0 : row.x, x_hi = row.x_end < xs ? row.x_end : xs;
            int y_lo = row.y < 0 ? 0 : row.y, y_hi = row.y_end < ys ? row.y_end : ys;
            int lo = left - y_hi > x_lo ? left - y_hi : x_lo, hi = left - y_lo < x_hi ? left - y_lo : x_hi;
            while (lo < hi) {
                int middle = (lo + hi) >> 1;
                if (x[middle] <= y[left - 1 - middle]) lo = middle + 1;
                else hi = middle;
            }
            i = lo;
            j = left - lo;
        }
#pragma unroll
        for (int k = 0; k < MERGED_AT_A_TIME; ++k) {
            places[k] = rows[k] = 0;
            if (i + j >= xs + ys) continue;
            if (!row.contains(i, j)) {
                row = RowOfTile(pair, from, row.row + 1);  // the next one, unless it has no entries either
                if (!row.contains(i, j)) row = RowOfTile(pair, from, row_after(pair, row.row, last_row, before + i + j));
            }
            bool has_x = i < row.x_end && i < xs, has_y = j < row.y_end && j < ys;
            if (has_x && (!has_y || x[i] <= y[j])) {
                places[k] = place_at(true, i, j < row.y_end && x[i] == y[j], j);  // y[ys] is the one behind the tile
                ++i;
            } else {
                bool twice = i - 1 >= row.x && x[i - 1] == y[j];  // x[-1] is the one before the tile
                if (!twice) places[k] = place_at(false, 0, true, j);
                ++j;
            }
            rows[k] = unsigned(row.row - from.row);
            found += places[k] != 0;
        }
        int64 total;
        int to_place = number + int(block_offset(found, total, tile.shared));
#pragma unroll
        for (int k = 0; k < MERGED_AT_A_TIME; ++k) {
            if (!places[k]) continue;
            tile.places[to_place] = places[k];
            tile.rows[to_place++] = rows[k];
        }
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
            stays = keep(place, tile.from.row + tile.rows[p], column_of(tile, place));
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
        if (int64(tile.rows[middle]) < row) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}
