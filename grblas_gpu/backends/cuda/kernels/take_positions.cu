// What a vector has at given positions, which may repeat. Generated: Stored, Given (the type of the positions), and
//   FULL    the vector has an entry everywhere; otherwise flags say where
//   ISO     one value stands for all, and is copied once
//   CHECK   positions are as somebody gave them: the host is told how many are outside, where nothing is read

#include "given_position.cuh"
#include "publish.cuh"

extern "C" __global__ void take_positions_kernel(
    const bool* present, const Stored* values, int64 size, const Given* positions, int64 count, bool* out_present,
    Stored* out, int64* counters, volatile int64* host
) {
    int64 found = 0, outside = 0;
    if (ISO && thread_in_grid() == 0) out[0] = values[0];
    for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) {
        int64 i = CHECK ? given_position(positions[p], size) : int64(positions[p]);
        bool inside = !CHECK || uint64(i) < uint64(size), there = inside && (FULL || present[i]);
        if (!FULL) out_present[p] = there;
        if (!ISO && there) out[p] = values[i];
        found += there;
        outside += !inside;
    }
    if (!FULL || CHECK) publish(found, outside, counters, host);
}
