// Words that are copied to memory of the host, or from memory of other processes.

#include "grid.cuh"

// Publishes the numbers of a call to the host, plus one each: the host polls until they are not 0.
extern "C" __global__ void publish_kernel(const int64* counters, int64 count, volatile int64* host) {
    for (int64 slot = threadIdx.x; slot < count; slot += blockDim.x) host[slot] = counters[slot] + 1;
}

// Parts of equal length from several places, one after another. One launch instead of a copy for each: a device that several processes
// share switches to another process at every idle moment.
extern "C" __global__ void collect_parts(const uint64* places, int64 parts, int64 words, int64 first, uint32* target) {
    for (int64 t = thread_in_grid(); t < parts * words; t += threads_in_grid()) {
        int64 part = t / words;
        target[t] = ((const uint32*)places[part])[first + t - part * words];
    }
}
