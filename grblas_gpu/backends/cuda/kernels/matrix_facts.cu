// What is remembered about a matrix: its longest row, and whether it equals its transpose.

#include "grid.cuh"

extern "C" __global__ void longest_row_kernel(const Offset* indptr, int64 nrows, int64* longest) {
    int64 most = 0;
    for (int64 i = thread_in_grid(); i < nrows; i += threads_in_grid()) {
        int64 length = int64(indptr[i + 1]) - int64(indptr[i]);
        if (length > most) most = length;
    }
    for (int distance = 16; distance > 0; distance >>= 1) {
        int64 other = from_higher(most, distance);
        if (other > most) most = other;
    }
    if (lane() == 0) atomicMax((uint64*)longest, uint64(most));
}

// How many words of two arrays differ.
extern "C" __global__ void differences_kernel(const Word* a, const Word* b, int64 words, int64* count) {
    int64 found = 0;
    for (int64 t = thread_in_grid(); t < words; t += threads_in_grid()) found += a[t] != b[t];
    add_to_counter(count, found);
}
