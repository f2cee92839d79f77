// A diagonal of a matrix: flags and values by position, found by a search in each row. Generated: Offset, Column, Stored, and
//   ISO   one value stands for all, and is copied once

#include "publish.cuh"

extern "C" __global__ void diagonal_kernel(
    const Offset* indptr, const Column* indices, const Stored* values, int64 first_row, int64 first_column, int64 size,
    bool* present, Stored* out, int64* counters, volatile int64* host
) {
    int64 found = 0;
    if (ISO && thread_in_grid() == 0) out[0] = values[0];
    for (int64 p = thread_in_grid(); p < size; p += threads_in_grid()) {
        int64 start = indptr[first_row + p], stop = indptr[first_row + p + 1];
        int64 at = lower_bound(indices, start, stop, first_column + p);
        bool there = at < stop && int64(indices[at]) == first_column + p;
        present[p] = there;
        if (!ISO && there) out[p] = values[at];
        found += there;
    }
    publish_one(found, counters, host);
}
