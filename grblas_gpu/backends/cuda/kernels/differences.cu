// The number of words in which two arrays differ; or any positive number, if a difference is known already.
// One program has the kernels for words of every length, which are short.

#include "grid.cuh"

template <class Word> DEVICE void count_differences(const Word* a, const Word* b, int64 words, int64* count) {
    if (__any_sync(FULL_WARP, *(volatile int64*)count != 0)) return;
    int64 found = 0;
#pragma unroll 2
    for (int64 t = thread_in_grid(); t < words; t += threads_in_grid()) found += a[t] != b[t];
    add_to_counter(count, found);
}

extern "C" __global__ void __launch_bounds__(256, 8) differences_1_kernel(const uint8* a, const uint8* b, int64 words, int64* count) {
    count_differences(a, b, words, count);
}

extern "C" __global__ void __launch_bounds__(256, 8) differences_2_kernel(const uint16* a, const uint16* b, int64 words, int64* count) {
    count_differences(a, b, words, count);
}

extern "C" __global__ void __launch_bounds__(256, 8) differences_4_kernel(const uint32* a, const uint32* b, int64 words, int64* count) {
    count_differences(a, b, words, count);
}

extern "C" __global__ void __launch_bounds__(256, 8) differences_8_kernel(const uint64* a, const uint64* b, int64 words, int64* count) {
    count_differences(a, b, words, count);
}
