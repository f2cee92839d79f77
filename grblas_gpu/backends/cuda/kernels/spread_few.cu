// A list as flags and values by position, with a scalar at a few positions: these are all different, listed or not. Flags are false before.
// Generated: Stored.

#include "publish.cuh"

// A few positions that come with the launch.

constexpr int MOST_FEW = 16;
struct Few {
    int64 positions[MOST_FEW];
};

extern "C" __global__ void spread_few_kernel(
    const int64* list, const int64* device_count, int64 host_count, const Stored* values, Stored scalar, bool* present,
    Stored* out, int64* counters, volatile int64* host, int64 count, Few few
) {
    int64 length = counted(device_count, host_count), found = 0;
    for (int64 t = thread_in_grid(); t < length; t += threads_in_grid()) {
        int64 i = list[t];
        bool named = false;
#pragma unroll
        for (int k = 0; k < MOST_FEW; ++k) named = named || (k < count && few.positions[k] == i);
        present[i] = true;
        if (!named) out[i] = values[t];
        found += !named;
    }
    int64 k = thread_in_grid();
    if (k < count) {
        int64 i = few.positions[k];
        present[i] = true;
        out[i] = scalar;
        ++found;
    }
    publish_one(found, counters, host);
}
