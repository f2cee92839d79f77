// The number of entries in the rows of a matrix that a vector lists, or flags (FLAGGED).

#include "publish.cuh"

extern "C" __global__ void count_edges_kernel(
    const Offset* indptr, const int64* list, const bool* present, const int64* device_count, int64 host_count,
    int64* counters, volatile int64* host
) {
    int64 items = counted(device_count, host_count), sum = 0;
    for (int64 t = thread_in_grid(); t < items; t += threads_in_grid()) {
        if (FLAGGED && !present[t]) continue;
        int64 k = FLAGGED ? t : list[t];
        sum += int64(indptr[k + 1]) - int64(indptr[k]);
    }
    publish(0, sum, counters, host);
}
