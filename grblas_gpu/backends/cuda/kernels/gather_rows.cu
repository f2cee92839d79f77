// Rows of a matrix b, one for each row of the result, multiplied by a factor with at most one entry per row:
//   INDEXED  row p of the result is row index[p] of b;  otherwise row k if (p, k) is the entry of row p of the factor
//   KEEPS    the result has the structure of b: offsets and columns are shared
//   COLUMNS  the factor is a diagonal on the right: it scales columns
// Generated: Offset (of the result), RowOffset (of b), Column, FactorOffset, FactorColumn, LeftStored, RightStored, Left,
// Right, Value, multiply, LEFT_ISO, RIGHT_ISO, OUT_ISO, MULTIPLIED (otherwise values are copied).

#include "publish.cuh"
#include "row_starts.cuh"
#include "tiles.cuh"

struct Factor {
    const int64* index;
    const FactorOffset* indptr;
    const FactorColumn* indices;

    // The row of b to read, or -1; and the entry of the factor that selects it.
    DEVICE int64 row(int64 p) const {
        if constexpr (KEEPS) return p;
        else if constexpr (INDEXED) return index[p];
        else return indptr[p] < indptr[p + 1] ? int64(indices[indptr[p]]) : -1;
    }
    DEVICE int64 entry(int64 p) const {
        if constexpr (KEEPS || INDEXED) return p;
        else return indptr[p];
    }
};
#define FACTOR const int64 *index, const FactorOffset *factor_indptr, const FactorColumn *factor_indices

DEVICE int64 length_of(const Factor& factor, const RowOffset* indptr, int64 p) {
    int64 row = factor.row(p);
    return row < 0 ? 0 : int64(indptr[row + 1]) - int64(indptr[row]);
}

extern "C" __global__ void sum_lengths_kernel(FACTOR, const RowOffset* indptr, int64 nrows, int64* sums) {
    Factor factor = {index, factor_indptr, factor_indices};
    sum_tiles(nrows, sums, [&](int64 p) { return length_of(factor, indptr, p); });
}

extern "C" __global__ void list_offsets_kernel(
    FACTOR, const RowOffset* indptr, int64 nrows, const int64* sums, Offset* out_indptr, volatile int64* host
) {
    Factor factor = {index, factor_indptr, factor_indices};
    list_offsets(nrows, sums, [&](int64 p) { return length_of(factor, indptr, p); }, out_indptr, host);
}

// The entries of the result, whose rows start at `out_indptr`.
extern "C" __global__ void gather_entries_kernel(
    FACTOR, const LeftStored* left, const RightStored* right, const RowOffset* indptr, const Column* indices,
    const Offset* out_indptr, int64 nrows, int64 entries, Column* out_indices, Value* out
) {
    Factor factor = {index, factor_indptr, factor_indices};
    for_each_window(out_indptr, nrows, entries, [&](int64 first, int64 hi, const int64(&rows)[ITEMS]) {
        int64 row[ITEMS];
        RowOffset from[ITEMS];
        Column columns[ITEMS];
        Value values[ITEMS];
        UNROLLED for (int k = 0; k < ITEMS; ++k) {
            int64 to = first + 32 * k, p = rows[k];
            if (to >= hi) continue;
            row[k] = factor.row(p);
            from[k] = RowOffset(KEEPS ? to : int64(indptr[row[k]]) + (to - int64(out_indptr[p])));
        }
        UNROLLED for (int k = 0; k < ITEMS; ++k)
            if (first + 32 * k < hi) columns[k] = indices[from[k]];
        if constexpr (!OUT_ISO) {
            UNROLLED for (int k = 0; k < ITEMS; ++k) {
                int64 to = first + 32 * k, p = rows[k], column = columns[k];
                if (to >= hi) continue;
                if constexpr (!MULTIPLIED) {
                    values[k] = right[from[k]];
                } else if constexpr (COLUMNS) {
                    Left x = cast<Left>(left[LEFT_ISO ? 0 : to]);
                    Right y = cast<Right>(right[RIGHT_ISO ? 0 : column]);
                    values[k] = cast<Value>(multiply(x, y, p, column, column, column));
                } else {
                    Left x = cast<Left>(left[LEFT_ISO ? 0 : factor.entry(p)]);
                    Right y = cast<Right>(right[RIGHT_ISO ? 0 : from[k]]);
                    values[k] = cast<Value>(multiply(x, y, p, row[k], row[k], column));
                }
            }
        }
        UNROLLED for (int k = 0; k < ITEMS; ++k) {
            if (first + 32 * k >= hi) continue;
            if constexpr (!KEEPS) out_indices[first + 32 * k] = columns[k];
            if constexpr (!OUT_ISO) out[first + 32 * k] = values[k];
        }
    });
}
