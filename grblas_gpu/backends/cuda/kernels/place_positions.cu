// For every position its place in a list of some; `places` is -1 everywhere before. Publishes how many positions of the list had a place
// already, and how many are no larger than the previous one.

#include "publish.cuh"

extern "C" __global__ void place_positions_kernel(
    const int64* list, int64 count, int32* places, int64* counters, volatile int64* host
) {
    int64 repeated = 0, descents = 0;
    for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) {
        int64 position = list[p];
        repeated += atomicExch(places + position, int32(p)) != -1;
        descents += p > 0 && position <= list[p - 1];
    }
    publish(repeated, descents, counters, host);
}
