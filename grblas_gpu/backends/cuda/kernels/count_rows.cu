// How many entries each row has, where it has any: flags and numbers by position. Generated: Offset.

#include "publish.cuh"

extern "C" __global__ void count_rows_kernel(
    const Offset* indptr, int64 nrows, bool* present, int64* out, int64* counters, volatile int64* host
) {
    int64 found = 0;
    for (int64 i = thread_in_grid(); i < nrows; i += threads_in_grid()) {
        int64 length = int64(indptr[i + 1]) - int64(indptr[i]);
        present[i] = length > 0;
        out[i] = length;
        found += length > 0;
    }
    publish(found, 0, counters, host);
}
