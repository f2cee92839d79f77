// A matrix c with a block replaced: some rows, and consecutive columns. Such a row keeps its entries before and behind these columns and
// gets the given ones between them. Row lengths first, then offsets, then entries. Generated: C, RowOffset, Column (of c), B, BOffset,
// BColumn (of the given matrix), Offset (of the result), and
//   BY_INDEX           rows have places in the block, or -1; otherwise they follow each other as columns do
//   WHOLE_ROWS         the block has all columns: nothing of its rows stays
//   FROM_MATRIX        a matrix is given; otherwise one value for every position
//   C_ISO, B_ISO, OUT_ISO   one value stands for all

#include "publish.cuh"
#include "row_starts.cuh"
#include "tiles.cuh"

struct Block {
    const RowOffset* indptr;
    const Column* indices;
    const int32* places;
    int64 first_row, rows, first_column, columns;
    const BOffset* b_indptr;
    RowOffset* cuts;  // for each row of the block, the begin and end of the replaced entries

    DEVICE int64 place(int64 i) const {
        if constexpr (BY_INDEX) return places[i];
        int64 p = i - first_row;
        return 0 <= p && p < rows ? p : -1;
    }
    DEVICE int64 own(int64 i) const { return int64(indptr[i + 1]) - int64(indptr[i]); }
    DEVICE int64 given(int64 p) const {
        if constexpr (FROM_MATRIX) return int64(b_indptr[p + 1]) - int64(b_indptr[p]);
        else return columns;
    }
    DEVICE int64 begin(int64 p) const {
        if constexpr (WHOLE_ROWS) return 0;
        else return cuts[2 * p];
    }
    DEVICE int64 end(int64 i, int64 p) const {
        if constexpr (WHOLE_ROWS) return own(i);
        else return cuts[2 * p + 1];
    }
    DEVICE int64 length(int64 i) const {
        int64 p = place(i);
        return p < 0 ? own(i) : own(i) - (end(i, p) - begin(p)) + given(p);
    }
    DEVICE void cut(int64 i) const {
        if constexpr (WHOLE_ROWS) return;
        int64 p = place(i);
        if (p < 0) return;
        int64 start = indptr[i], stop = indptr[i + 1];
        int64 from = upper_bound(indices, start, stop, Column(first_column - 1));
        cuts[2 * p] = RowOffset(from - start);
        cuts[2 * p + 1] = RowOffset(upper_bound(indices, from, stop, Column(first_column + columns - 1)) - start);
    }
    // Entry of row i of the result: an entry of c, or ~ of an entry of the given matrix.
    DEVICE int64 source(int64 i, int64 at) const {
        int64 p = place(i), start = indptr[i];
        if (p < 0) return start + at;
        int64 before = begin(p), number = given(p);
        if (at < before) return start + at;
        if (at >= before + number) return start + end(i, p) + (at - before - number);
        return ~((FROM_MATRIX ? int64(b_indptr[p]) : 0) + (at - before));
    }
};
#define BLOCK_GIVEN                                                                                                \
    const RowOffset *indptr, const Column *indices, const int32 *places, int64 nrows, int64 first_row, int64 rows, \
        int64 first_column, int64 columns, const BOffset *b_indptr, RowOffset *cuts
#define BLOCK_OF {indptr, indices, places, first_row, rows, first_column, columns, b_indptr, cuts}

extern "C" __global__ void sum_lengths_kernel(BLOCK_GIVEN, int64* sums) {
    Block block = BLOCK_OF;
    sum_tiles(nrows, sums, [&](int64 i) {
        block.cut(i);
        return block.length(i);
    });
}

extern "C" __global__ void list_offsets_kernel(BLOCK_GIVEN, const int64* sums, Offset* out_indptr, volatile int64* host) {
    Block block = BLOCK_OF;
    list_offsets(nrows, sums, [&](int64 i) { return block.length(i); }, out_indptr, host);
}

extern "C" __global__ void __launch_bounds__(256, 3) fill_block_kernel(
    BLOCK_GIVEN, const C* values, const BColumn* b_indices, const B* b_values, B scalar, const Offset* out_indptr,
    int64 entries, Column* out_indices, C* out
) {
    Block block = BLOCK_OF;
    for_each_window(out_indptr, nrows, entries, [&](int64 first, int64 hi, const int64(&row)[ITEMS]) {
        Offset from[ITEMS];
        Column column[ITEMS];
        C value[ITEMS];
        UNROLLED for (int k = 0; k < ITEMS; ++k) {
            int64 to = first + 32 * k;
            if (to < hi) from[k] = Offset(block.source(row[k], to - int64(out_indptr[row[k]])));
        }
        UNROLLED for (int k = 0; k < ITEMS; ++k) {
            if (first + 32 * k >= hi) continue;
            if (from[k] >= 0) {
                column[k] = indices[from[k]];
                if constexpr (!OUT_ISO) value[k] = values[C_ISO ? 0 : from[k]];
            } else if constexpr (FROM_MATRIX) {
                column[k] = Column(first_column + int64(b_indices[~from[k]]));
                if constexpr (!OUT_ISO) value[k] = cast<C>(b_values[B_ISO ? 0 : ~from[k]]);
            } else {
                column[k] = Column(first_column + ~from[k]);
                if constexpr (!OUT_ISO) value[k] = cast<C>(scalar);
            }
        }
        UNROLLED for (int k = 0; k < ITEMS; ++k) {
            if (first + 32 * k >= hi) continue;
            out_indices[first + 32 * k] = column[k];
            if constexpr (!OUT_ISO) out[first + 32 * k] = value[k];
        }
    });
}
