// A matrix as flags and values by position, and the rows and columns of positions. Generated: Offset, Column, RowId, and Value, which
// stands for all types of its width.

#include "grid.cuh"

// `values`: null if one value stands for all.
extern "C" __global__ void scatter_kernel(
    const RowId* rows, const Column* columns, const Value* values, int64 nvals, int64 ncols, bool* present, Value* out
) {
    for (int64 entry = thread_in_grid(); entry < nvals; entry += threads_in_grid()) {
        int64 position = int64(rows[entry]) * ncols + int64(columns[entry]);
        present[position] = true;
        if (values) out[position] = values[entry];
    }
}

// The positions of a matrix's entries ascend.
extern "C" __global__ void split_kernel(
    const int64* positions, int64 nvals, int64 nrows, int64 ncols, Offset* offsets, Column* columns
) {
    for (int64 t = thread_in_grid(); t < nvals; t += threads_in_grid()) columns[t] = Column(positions[t] % ncols);
    for (int64 i = thread_in_grid(); i <= nrows; i += threads_in_grid())
        offsets[i] = Offset(lower_bound(positions, 0, nvals, i * ncols));
}
