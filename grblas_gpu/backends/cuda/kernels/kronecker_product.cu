// t[i * b_rows + k, j * b_columns + l] = op(a[i, j], b[k, l]). The offsets of the result, and the operands of each entry, follow from the
// offsets of the factors. Generated: AOffset, AColumn, A, BOffset, BColumn, B (as stored), Left, Right, multiply, Offset, Column, Value (of
// the result), A_ISO, B_ISO, OUT_ISO (one value stands for all, and is not written here), and NARROW: 32 bits number the rows and entries
// of the result.

#include "row_starts.cuh"

DEVICE int64 quotient(int64 number, int64 by) {
    if constexpr (NARROW) return uint32(number) / uint32(by);
    else return number / by;
}

extern "C" __global__ void kronecker_offsets_kernel(
    const AOffset* a_indptr, const BOffset* b_indptr, int64 a_rows, int64 b_rows, Offset* out_indptr
) {
    int64 nrows = a_rows * b_rows, b_entries = b_indptr[b_rows];
    for (int64 row = thread_in_grid(); row <= nrows; row += threads_in_grid()) {
        int64 i = quotient(row, b_rows), k = row - i * b_rows, start = a_indptr[i];
        int64 length = i < a_rows ? int64(a_indptr[i + 1]) - start : 0;
        out_indptr[row] = Offset(start * b_entries + length * int64(b_indptr[k]));
    }
}

extern "C" __global__ void kronecker_entries_kernel(
    const AOffset* a_indptr, const AColumn* a_indices, const A* a, const BOffset* b_indptr, const BColumn* b_indices,
    const B* b, int64 b_rows, int64 b_columns, const Offset* out_indptr, int64 nrows, int64 entries, Column* out_indices,
    Value* out
) {
    for_each_window(out_indptr, nrows, entries, [&](int64 first, int64 hi, const int64(&rows)[ITEMS]) {
        AOffset from_a[ITEMS];
        BOffset from_b[ITEMS];
        Column columns[ITEMS];
        Value values[ITEMS];
        UNROLLED for (int n = 0; n < ITEMS; ++n) {
            int64 to = first + 32 * n, row = rows[n];
            if (to >= hi) continue;
            int64 i = quotient(row, b_rows), k = row - i * b_rows, start = b_indptr[k], number = int64(b_indptr[k + 1]) - start;
            int64 at = to - int64(out_indptr[row]), turn = quotient(at, number);
            from_a[n] = AOffset(a_indptr[i] + turn);
            from_b[n] = BOffset(start + (at - turn * number));
        }
        UNROLLED for (int n = 0; n < ITEMS; ++n) {
            if (first + 32 * n >= hi) continue;
            int64 j = a_indices[from_a[n]], l = b_indices[from_b[n]];
            columns[n] = Column(j * b_columns + l);
            if constexpr (!OUT_ISO) {
                int64 i = quotient(rows[n], b_rows);
                Left x = cast<Left>(a[A_ISO ? 0 : from_a[n]]);
                Right y = cast<Right>(b[B_ISO ? 0 : from_b[n]]);
                values[n] = cast<Value>(multiply(x, y, i, j, rows[n] - i * b_rows, l));
            }
        }
        UNROLLED for (int n = 0; n < ITEMS; ++n) {
            if (first + 32 * n >= hi) continue;
            out_indices[first + 32 * n] = columns[n];
            if constexpr (!OUT_ISO) out[first + 32 * n] = values[n];
        }
    });
}
