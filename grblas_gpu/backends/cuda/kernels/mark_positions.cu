// Flags of the positions in a list, which may contain duplicates; publishes the number of different positions.

#include "grid.cuh"
#include "flags.cuh"
#include "publish.cuh"

extern "C" __global__ void mark_positions_kernel(const int64* list, int64 count, bool* flags, int64* counters, volatile int64* host) {
    int64 found = 0;
    for (int64 t = thread_in_grid(); t < count; t += threads_in_grid()) found += first_to_set(flags + list[t]);
    publish_one(found, counters, host);
}
