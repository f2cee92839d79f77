// Flags of a dense matrix to words (bit_words.cuh) and back. By rows a word has the flags of 64 neighbours in a row; by columns those of 64
// rows in one column: the words of the transpose, without a transposed copy.

#include "publish.cuh"

constexpr int BITS = 64;

// The number of set flags.
extern "C" __global__ void count_flags_kernel(const bool* flags, int64 count, int64* counters, volatile int64* host) {
    const uint64* words = (const uint64*)flags;
    int64 found = 0, number = uint64(flags) % 8 ? 0 : count / 8;
#pragma unroll 4
    for (int64 item = thread_in_grid(); item < number; item += threads_in_grid()) {
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

// Four columns at a time if rows begin at multiples of four.
DEVICE bool by_fours(const bool* flags, int64 ncols) { return ncols % 4 == 0 && uint64(flags) % 4 == 0; }

extern "C" __global__ void pack_columns_kernel(const bool* flags, int64 nrows, int64 ncols, int64 width, uint64* words) {
    if (by_fours(flags, ncols)) {
        int64 groups = ncols / 4;
        for (int64 item = thread_in_grid(); item < groups * width; item += threads_in_grid()) {
            int64 w = item / groups, group = item - w * groups, first = w * BITS;
            int count = int(nrows - first < BITS ? nrows - first : BITS);
            uint64 word[4] = {0, 0, 0, 0};
#pragma unroll 8
            for (int row = 0; row < count; ++row) {
                unsigned some = ((const unsigned*)(flags + (first + row) * ncols))[group];
#pragma unroll
                for (int n = 0; n < 4; ++n) word[n] |= uint64(some >> 8 * n & 1) << row;
            }
#pragma unroll
            for (int n = 0; n < 4; ++n) words[(4 * group + n) * width + w] = word[n];
        }
        return;
    }
    for (int64 item = thread_in_grid(); item < ncols * width; item += threads_in_grid()) {
        int64 w = item / ncols, column = item - w * ncols, first = w * BITS;
        int count = int(nrows - first < BITS ? nrows - first : BITS);
        uint64 word = 0;
#pragma unroll 8
        for (int row = 0; row < count; ++row) word |= uint64(flags[(first + row) * ncols + column]) << row;
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
#pragma unroll
        for (int half = 0; half < BITS; half += 32) {
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
    bool fours = by_fours(flags, ncols);
    int64 groups = fours ? ncols / 4 : ncols;
    for (int64 item = thread_in_grid(); item < groups * width; item += threads_in_grid()) {
        int64 w = item / groups, group = item - w * groups, first = w * BITS;
        int count = int(nrows - first < BITS ? nrows - first : BITS);
        uint64 word[4] = {0, 0, 0, 0};
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            if (n > 0 && !fours) continue;
            word[n] = words[(fours ? 4 * group + n : group) * width + w];
            found += __popc(unsigned(word[n])) + __popc(unsigned(word[n] >> 32));
        }
        if (fours) {
#pragma unroll 8
            for (int row = 0; row < count; ++row) {
                unsigned some = 0;
#pragma unroll
                for (int n = 0; n < 4; ++n) some |= unsigned(word[n] >> row & 1) << 8 * n;
                ((unsigned*)(flags + (first + row) * ncols))[group] = some;
            }
        } else {
#pragma unroll 8
            for (int row = 0; row < count; ++row) flags[(first + row) * ncols + group] = word[0] >> row & 1;
        }
    }
    publish(found, 0, counters, host);
}
