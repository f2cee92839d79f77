// Words that go to memory of the host, or come from memory of other processes.

#include "grid.cuh"

// The numbers of a call to the host, one more each: it is watching until they are not 0.
extern "C" __global__ void publish_kernel(const int64* counters, int64 count, volatile int64* host) {
    for (int64 slot = threadIdx.x; slot < count; slot += blockDim.x) host[slot] = counters[slot] + 1;
}

// Parts of equal length from several places, one after another. One launch instead of a copy for each: a device that
// several processes share goes from one of them to the next whenever one has nothing to do.
extern "C" __global__ void collect_parts(const uint64* places, int64 parts, int64 words, int64 first, uint32* target) {
    for (int64 t = thread_in_grid(); t < parts * words; t += threads_in_grid()) {
        int64 part = t / words;
        target[t] = ((const uint32*)places[part])[first + t - part * words];
    }
}
