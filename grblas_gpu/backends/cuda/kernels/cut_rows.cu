// Offsets of consecutive rows of a matrix; publishes where their entries begin, and their number. Generated: Offset.

#include "publish.cuh"

extern "C" __global__ void cut_rows_kernel(
    const Offset* indptr, int64 first, int64 nrows, Offset* out_indptr, volatile int64* host
) {
    Offset begin = indptr[first];
    for (int64 p = thread_in_grid(); p <= nrows; p += threads_in_grid()) {
        Offset offset = indptr[first + p] - begin;
        out_indptr[p] = offset;
        if (p < nrows) continue;
        host[SLOT_EDGES] = int64(begin) + 1;
        host[SLOT_COUNT] = int64(offset) + 1;
    }
}
