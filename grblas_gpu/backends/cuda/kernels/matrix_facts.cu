// What is remembered about a matrix: its longest row, whether it equals its transpose, and the likeliest entries of its rows.

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

// For every row the column whose own row has most entries, or -1 if it has none: a search is likely to have been there. A warp
// takes a row, and the beginning of a very long one will do.
constexpr int64 LOOKED_AT = 1024;
extern "C" __global__ void likeliest_kernel(const Offset* indptr, const Column* indices, int64 nrows, Column* likeliest) {
    for (int64 i = warp_in_grid(); i < nrows; i += warps_in_grid()) {
        int64 start = indptr[i], stop = indptr[i + 1], best = -1, most = -1;
        stop = stop - start < LOOKED_AT ? stop : start + LOOKED_AT;
        for (int64 entry = start + lane(); entry < stop; entry += 32) {
            int64 k = indices[entry], length = int64(indptr[k + 1]) - int64(indptr[k]);
            if (length > most) most = length, best = k;
        }
        for (int distance = 16; distance > 0; distance >>= 1) {
            int64 other_most = from_higher(most, distance), other = from_higher(best, distance);
            if (other_most > most) most = other_most, best = other;
        }
        if (lane() == 0) likeliest[i] = Column(best);
    }
}
