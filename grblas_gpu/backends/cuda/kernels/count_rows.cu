// The number of entries of each row that is not empty: flags and numbers by position. Generated: Offset.

#include "publish.cuh"

constexpr int ROWS = 4;  // rows whose offsets a thread reads before its first write

extern "C" __global__ void count_rows_kernel(
    const Offset* indptr, int64 nrows, bool* present, int64* out, int64* counters, volatile int64* host
) {
    int64 found = 0, step = threads_in_grid();
    for (int64 first = thread_in_grid(); first < nrows; first += ROWS * step) {
        Offset length[ROWS];
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            int64 i = first + k * step < nrows ? first + k * step : first;
            length[k] = indptr[i + 1] - indptr[i];
        }
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            int64 i = first + k * step;
            if (i >= nrows) continue;
            present[i] = length[k] > 0;
            out[i] = length[k];
            found += length[k] > 0;
        }
    }
    publish_one(found, counters, host);
}
