// Flags of a dense matrix to words (bit_words.cuh) and back. By rows a word has the flags of 64 neighbours in a row; by columns those of 64
// rows in one column: the words of the transpose, without a transposed copy.

#include "publish.cuh"

constexpr int BITS = 64;

// The number of set flags.
extern "C" __global__ void count_flags_kernel(const bool* flags, int64 count, int64* counters, volatile int64* host) {
    const uint64* words = (const uint64*)flags;
    int64 found = 0, number = uint64(flags) % 8 ? 0 : count / 8;
    UNROLLED_BY(4) for (int64 item = thread_in_grid(); item < number; item += threads_in_grid()) {
        uint64 word = words[item];
        found += __popc(unsigned(word)) + __popc(unsigned(word >> 32));
    }
    for (int64 item = number * 8 + thread_in_grid(); item < count; item += threads_in_grid()) found += flags[item];
    publish(found, 0, counters, host);
}

extern "C" __global__ void pack_rows_kernel(const bool* flags, int64 nrows, int64 ncols, int64 width, uint64* words) {
    for (int64 item = warp_in_grid(); item < nrows * width; item += warps_in_grid()) {
        int64 row = item / width, column = (item - row * width) * BITS + lane();
        const bool* own = flags + row * ncols;
        uint64 low = __ballot_sync(FULL_WARP, column < ncols && own[column]);
        uint64 high = __ballot_sync(FULL_WARP, column + 32 < ncols && own[column + 32]);
        if (lane() == 0) words[item] = high << 32 | low;
    }
}

extern "C" __global__ void pack_columns_kernel(const bool* flags, int64 nrows, int64 ncols, int64 width, uint64* words) {
    for (int64 item = thread_in_grid(); item < ncols * width; item += threads_in_grid()) {
        int64 w = item / ncols, column = item - w * ncols, first = w * BITS;
        int count = int(nrows - first < BITS ? nrows - first : BITS);
        uint64 word = 0;
        UNROLLED_BY(8) for (int row = 0; row < count; ++row) word |= uint64(flags[(first + row) * ncols + column]) << row;
        words[column * width + w] = word;
    }
}

extern "C" __global__ void unpack_rows_kernel(
    const uint64* words, int64 nrows, int64 ncols, int64 width, bool* flags, int64* counters, volatile int64* host
) {
    int64 found = 0;
    for (int64 item = warp_in_grid(); item < nrows * width; item += warps_in_grid()) {
        int64 row = item / width, column = (item - row * width) * BITS + lane();
        uint64 word = words[item];
        UNROLLED for (int half = 0; half < BITS; half += 32) {
            if (column + half >= ncols) continue;
            bool flag = word >> (lane() + half) & 1;
            flags[row * ncols + column + half] = flag;
            found += flag;
        }
    }
    publish(found, 0, counters, host);
}

extern "C" __global__ void unpack_columns_kernel(
    const uint64* words, int64 nrows, int64 ncols, int64 width, bool* flags, int64* counters, volatile int64* host
) {
    int64 found = 0;
    for (int64 item = thread_in_grid(); item < ncols * width; item += threads_in_grid()) {
        int64 w = item / ncols, column = item - w * ncols, first = w * BITS;
        int count = int(nrows - first < BITS ? nrows - first : BITS);
        uint64 word = words[column * width + w];
        found += __popc(unsigned(word)) + __popc(unsigned(word >> 32));
        UNROLLED_BY(8) for (int row = 0; row < count; ++row) flags[(first + row) * ncols + column] = word >> row & 1;
    }
    publish(found, 0, counters, host);
}
