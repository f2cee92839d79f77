// Positions in a list: whether they are in range, which there are, and where each is. Generated: Given, their type.

#include "publish.cuh"

// Positions as they are given, negative ones from the end, as numbers from 0 on; the host is told how many there are not.
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

// Flags of positions, which may repeat; the host is told how many different ones there are.
extern "C" __global__ void mark_positions_kernel(
    const Given* list, int64 count, bool* flags, int64* counters, volatile int64* host
) {
    int64 found = 0;
    for (int64 t = thread_in_grid(); t < count; t += threads_in_grid()) found += first_to_set(flags + list[t]);
    publish_one(found, counters, host);
}

// For every position its place in the list; `places` is -1 everywhere before. The host is told how many positions of the list had a
// place already, and how many are no larger than the one before.
extern "C" __global__ void place_positions_kernel(
    const Given* list, int64 count, int32* places, int64* counters, volatile int64* host
) {
    int64 repeated = 0, descents = 0;
    for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) {
        int64 position = list[p];
        repeated += atomicExch(places + position, int32(p)) != -1;
        descents += p > 0 && position <= int64(list[p - 1]);
    }
    publish(repeated, descents, counters, host);
}
