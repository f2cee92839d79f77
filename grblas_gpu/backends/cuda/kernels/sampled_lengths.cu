// Some entries of a matrix, one in `step`: how many entries one matrix has in the row of that number, and another one in the row with the
// number of the entry's column. Generated: Offset, Column, OfRow and OfColumn, the types of offsets of the three.

#include "grid.cuh"

extern "C" __global__ void sampled_lengths_kernel(
    const Offset* indptr, const Column* indices, int64 nrows, int64 step, int64 count, const OfRow* by_row, const OfColumn* by_column,
    int64* lengths
) {
    for (int64 t = thread_in_grid(); t < count; t += threads_in_grid()) {
        int64 row = upper_bound(indptr, 0, nrows, Offset(t * step)) - 1, column = indices[t * step];
        lengths[t] = by_row[row + 1] - by_row[row];
        lengths[count + t] = by_column[column + 1] - by_column[column];
    }
}
