// Positions of the user, negative ones from the end, as numbers from 0 on; publishes how many are out of bounds. Generated: Given.

#include "given_position.cuh"
#include "publish.cuh"

extern "C" __global__ void check_positions_kernel(
    const Given* given, int64 count, int64 size, int64* positions, int64* counters, volatile int64* host
) {
    int64 wrong = 0;
    for (int64 t = thread_in_grid(); t < count; t += threads_in_grid()) {
        int64 position = given_position(given[t], size);
        positions[t] = position;
        wrong += uint64(position) >= uint64(size);
    }
    publish_one(wrong, counters, host);
}
