// The entries of a sparse matrix as bits of words that are 0 (bit_words.cuh). Generated: Offset, Column, Stored, and
//   TURNED  words of the transpose
//   VALUED  entries that are 0 do not count; ISO: one value stands for all

#include "row_starts.cuh"

extern "C" __global__ void scatter_bits_kernel(
    const Offset* indptr, const Column* indices, const Stored* values, int64 nrows, int64 entries, int64 width,
    uint64* words
) {
    for_each_entry(indptr, nrows, entries, [&](int64 entry, int64 row) {
        if constexpr (VALUED)
            if (!cast<bool>(values[ISO ? 0 : entry])) return;
        int64 column = indices[entry], line = TURNED ? column : row, bit = TURNED ? row : column;
        atomicOr(words + line * width + (bit >> 6), uint64(1) << (bit & 63));
    });
}
