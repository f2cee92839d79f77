// mxm.spmm: a sparse matrix times a dense one, by rows of both. Generated: what mxm_product.cuh needs, Offset, Column, MASK, and
//   FLIP    the dense matrix is the left factor: both are given as their transposes, and so is the result
//   FULL    every position of the dense matrix has an entry; otherwise its flags are words (bit_words.cuh), as the mask's are
//   WIDTH   columns of the dense matrix that a lane has; how many lanes share a row of it is an argument, a power of two
//
// The path through the entries of the first row, its end, the entries of the second row, its end and so on is cut into chunks of
// one length, and a group of lanes takes a chunk: a row of a million and a million rows of one, or of nothing, keep all groups
// equally busy. Entry e of row r is at e + r of the path. What a chunk holds of a row that began before it is its `carry`, which
// a second kernel adds to the row. So sums are made in an order that follows from sizes and from where entries lie.
// Lanes work independently: no lane waits for another.

#include "bit_words.cuh"
#include "mxm_product.cuh"

constexpr int BATCH = 8;  // rows of the dense matrix in flight at a time
constexpr int SPARSE = FLIP ? RIGHT : LEFT, DENSE = FLIP ? LEFT : RIGHT;
constexpr unsigned OWN = (1u << WIDTH) - 1;
using SparseStored = either<FLIP, RightStored, LeftStored>;
using DenseStored = either<FLIP, LeftStored, RightStored>;

template <class T> struct alignas(sizeof(T) * WIDTH) Columns {
    T at[WIDTH];
};

struct Operands {
    const Column* indices;
    const SparseStored* sparse;
    const DenseStored* dense;
    const uint64* words;  // of the dense matrix
    int64 columns, width;
};

// The sums of one row at this lane's columns.
struct Sums {
    unsigned found;  // a bit for each
    Value values[WIDTH];
};

DEVICE Value multiplied(SparseStored stored, DenseStored other, int64 i, int64 k, int64 j) {
    Left x = Left(1);
    Right y = Right(1);
    if constexpr (FLIP) {
        if constexpr (LEFT != UNUSED) x = cast<Left>(other);
        if constexpr (RIGHT != UNUSED) y = cast<Right>(stored);
        return cast<Value>(multiply(x, y, j, k, k, i));
    } else {
        if constexpr (LEFT != UNUSED) x = cast<Left>(stored);
        if constexpr (RIGHT != UNUSED) y = cast<Right>(other);
        return cast<Value>(multiply(x, y, i, k, k, j));
    }
}

DEVICE void add_to(Sums& sums, int n, Value value) {
    sums.values[n] = sums.found >> n & 1 ? add(sums.values[n], value) : value;
    sums.found |= 1u << n;
}

// Columns that may take another product.
DEVICE unsigned unfinished(const Sums& sums, unsigned open) {
    if constexpr (EXIT_AT_FIRST) {
        return open & ~sums.found;
    } else if constexpr (HAS_TERMINAL) {
        UNROLLED for (int n = 0; n < WIDTH; ++n)
            if (sums.found >> n & 1 && sums.values[n] == terminal()) open &= ~(1u << n);
    }
    return open;
}

DEVICE void add_entries(const Operands& given, int64 i, int64 start, int64 stop, int64 column, unsigned open, Sums& sums) {
    for (int64 entry = start; entry < stop && open; entry += BATCH) {
        Column k[BATCH];
        SparseStored stored[BATCH];
        Columns<DenseStored> others[BATCH];
        unsigned taken[BATCH];
        UNROLLED for (int n = 0; n < BATCH; ++n) {
            bool there = entry + n < stop;
            k[n] = there ? given.indices[entry + n] : Column(0);
            if constexpr (SPARSE == EACH) stored[n] = there ? given.sparse[entry + n] : SparseStored(0);
            taken[n] = there ? open : 0;
        }
        if constexpr (!FULL) {
            UNROLLED for (int n = 0; n < BATCH; ++n)
                if (taken[n]) taken[n] &= unsigned(given.words[k[n] * given.width + (column >> 6)] >> (column & 63));
        }
        if constexpr (DENSE == EACH) {
            UNROLLED for (int n = 0; n < BATCH; ++n)
                if (taken[n]) others[n] = *(const Columns<DenseStored>*)(given.dense + k[n] * given.columns + column);
        }
        UNROLLED for (int n = 0; n < BATCH; ++n) {
            SparseStored own = SparseStored(1);
            if constexpr (SPARSE == EACH) own = stored[n];
            else if constexpr (SPARSE == ISO) own = given.sparse[0];
            UNROLLED for (int c = 0; c < WIDTH; ++c) {
                DenseStored other = DenseStored(1);
                if constexpr (DENSE == EACH) other = others[n].at[c];
                else if constexpr (DENSE == ISO) other = given.dense[0];
                bool counts = EXIT_AT_FIRST ? taken[n] & ~sums.found & 1u << c : taken[n] & 1u << c;
                if (counts) add_to(sums, c, multiplied(own, other, i, k[n], column + c));
            }
        }
        open = unfinished(sums, open);
    }
}

DEVICE void write(const Sums& sums, int64 at, Value* out, bool* present) {
    Columns<Value> values;
    Columns<bool> found;
    UNROLLED for (int n = 0; n < WIDTH; ++n) {
        found.at[n] = sums.found >> n & 1;
        values.at[n] = found.at[n] ? sums.values[n] : Value(0);
    }
    *(Columns<Value>*)(out + at) = values;
    *(Columns<bool>*)(present + at) = found;
}

// How many rows begin before a place on the path.
DEVICE int64 rows_before(const Offset* indptr, int64 nrows, int64 place) {
    return first_above(0, nrows + 1, [&](int64 row) { return int64(indptr[row]) + row < place; });
}

extern "C" __global__ void spmm_kernel(
    const Offset* indptr, const Column* indices, const SparseStored* sparse, const DenseStored* dense, const uint64* words,
    const uint64* mask, int64 nrows, int64 entries, int64 length, int64 columns, int64 width, int64 group, Value* out,
    bool* present, Value* carry_values, bool* carry_present, int64* carry_rows
) {
    Operands given = {indices, sparse, dense, words, columns, width};
    int64 path = entries + nrows, chunks = (path + length - 1) / length;
    int64 tile_width = group * WIDTH, tiles = (columns + tile_width - 1) / tile_width;
    int64 workers = threads_in_grid() / group, column_in_tile = (thread() & (group - 1)) * WIDTH;
    for (int64 item = thread_in_grid() / group; item < chunks * tiles; item += workers) {
        int64 tile = item / chunks, chunk = item - tile * chunks, column = tile * tile_width + column_in_tile;
        if (column >= columns) continue;
        int64 lo = chunk * length, hi = lo + length < path ? lo + length : path;
        int64 row = rows_before(indptr, nrows, lo);  // the first that begins here
        bool begun = int64(indptr[row]) + row == lo;
        if (!begun) --row;
        if (column == 0) carry_rows[chunk] = begun ? -1 : row;
        int64 start = lo - row, end = indptr[row + 1];
        for (;;) {
            int64 following = row + 2 <= nrows ? int64(indptr[row + 2]) : 0;  // in flight while this row is added up
            unsigned open = OWN;
            if constexpr (MASK != EVERYWHERE)
                open = unsigned(open_columns(mask, row * width + (column >> 6), ~uint64(0)) >> (column & 63)) & OWN;
            Sums sums = {0};
            add_entries(given, row, start, end < hi - row ? end : hi - row, column, open, sums);
            if (begun) write(sums, row * columns + column, out, present);
            else write(sums, chunk * columns + column, carry_values, carry_present);
            begun = true;
            ++row;
            start = end;
            end = following;
            if (row >= nrows || start + row >= hi) break;
        }
    }
}

// What chunks have left over of rows that began before, in their order.
extern "C" __global__ void add_carries_kernel(
    const Offset* indptr, int64 path, int64 length, int64 columns, Value* out, bool* present, const Value* carry_values,
    const bool* carry_present, const int64* carry_rows
) {
    int64 tiles = (columns + 31) / 32, chunks = (path + length - 1) / length;
    for (int64 item = warp_in_grid(); item < chunks * tiles; item += warps_in_grid()) {
        int64 chunk = item / tiles, column = (item - chunk * tiles) * 32 + lane(), row = carry_rows[chunk];
        if (row < 0 || (chunk > 0 && carry_rows[chunk - 1] == row) || column >= columns) continue;
        int64 last = (int64(indptr[row + 1]) - 1 + row) / length;
        Sum sum = {present[row * columns + column], out[row * columns + column]};
        UNROLLED_BY(8) for (int64 other = chunk; other <= last; ++other) {
            Sum more = {carry_present[other * columns + column], carry_values[other * columns + column]};
            if (!more.found || finished(sum)) continue;
            sum.value = sum.found ? add(sum.value, more.value) : more.value;
            sum.found = true;
        }
        out[row * columns + column] = sum.found ? sum.value : Value(0);
        present[row * columns + column] = sum.found;
    }
}
