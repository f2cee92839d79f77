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

#define DIFFERENCES(BYTES, Word)                                                          \
    extern "C" __global__ void __launch_bounds__(256, 8) differences_##BYTES##_kernel(     \
        const Word* a, const Word* b, int64 words, int64* count                           \
    ) {                                                                                   \
        count_differences(a, b, words, count);                                            \
    }
DIFFERENCES(1, uint8)
DIFFERENCES(2, uint16)
DIFFERENCES(4, uint32)
DIFFERENCES(8, uint64)
