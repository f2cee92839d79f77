// Words that are copied to memory of the host, or from memory of other processes; and words that differ.

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

template <class Word> DEVICE int64 differences(const uint8* a, const uint8* b, int64 bytes) {
    const Word *x = (const Word*)a, *y = (const Word*)b;
    int64 found = 0;
    UNROLLED_BY(2) for (int64 t = thread_in_grid(); t < bytes / int64(sizeof(Word)); t += threads_in_grid()) found += x[t] != y[t];
    return found;
}

// Counts the words in which two arrays of so many bytes differ; any positive number, if a difference is known already.
extern "C" __global__ void __launch_bounds__(256, 8) differences_kernel(const uint8* a, const uint8* b, int64 bytes, int64* count) {
    if (__any_sync(FULL_WARP, *(volatile int64*)count != 0)) return;
    bool by_words = (uint64(a) | uint64(b) | uint64(bytes)) % 8 == 0, by_halves = (uint64(a) | uint64(b) | uint64(bytes)) % 4 == 0;
    int64 found = by_words ? differences<uint64>(a, b, bytes) : by_halves ? differences<uint32>(a, b, bytes) : differences<uint8>(a, b, bytes);
    add_to_counter(count, found);
}
