// Parts of equal length from several places, in memory that other processes may own, one after another. One launch instead of a copy
// for each: a device that several processes share goes from one of them to the next whenever one has nothing to do.

#include "grid.cuh"

extern "C" __global__ void collect_parts(const uint64* places, int64 parts, int64 words, int64 first, uint32* target) {
    for (int64 t = thread_in_grid(); t < parts * words; t += threads_in_grid()) {
        int64 part = t / words;
        target[t] = ((const uint32*)places[part])[first + t - part * words];
    }
}
