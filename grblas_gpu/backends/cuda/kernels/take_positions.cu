// What a vector has at given positions, which may repeat. Generated: Stored, and
//   FULL   the vector has an entry everywhere; otherwise flags say where
//   ISO    one value stands for all, and is not copied

#include "publish.cuh"

extern "C" __global__ void take_positions_kernel(
    const bool* present, const Stored* values, const int64* positions, int64 count, bool* out_present, Stored* out,
    int64* counters, volatile int64* host
) {
    int64 found = 0;
    for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) {
        int64 i = positions[p];
        bool there = FULL || present[i];
        if (!FULL) out_present[p] = there;
        if (!ISO && there) out[p] = values[i];
        found += there;
    }
    if (!FULL) publish(found, 0, counters, host);
}
