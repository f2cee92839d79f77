// The products of a row, shared by the lanes of a warp or the threads of a block. Generated: what mxm_rows.cuh needs.

#include "mxm_rows.cuh"

constexpr int64 WIDE_ROW = 64;  // of the right factor: for a warp alone
constexpr int64 LONG_RIGHT_ROW = 2048;  // of the right factor: for the whole block
constexpr int MOST_LONG = 256;

// use(k, p, q) for the entries q of the rows of the right factor that the lanes of a warp bring: `count` from `begin` on, for
// entry p = (i, k) of the left one. `use` may not wait for others.
template <class Use> DEVICE void share_by_warp(int64 k, int64 p, int64 begin, int64 count, Use use) {
    for (unsigned wide = __ballot_sync(FULL_WARP, count >= WIDE_ROW); wide; wide &= wide - 1) {
        int owner = __ffs(wide) - 1;
        int64 from = from_lane(begin, owner), stop = from + from_lane(count, owner);
        int64 inner = from_lane(k, owner), entry = from_lane(p, owner);
#pragma unroll 2
        for (int64 q = from + lane(); q < stop; q += 32) use(inner, entry, q);
    }
    int few = count < WIDE_ROW ? int(count) : 0, end = few;
    for (int distance = 1; distance < 32; distance <<= 1) {
        int lower = from_lower(end, distance);
        if (lane() >= distance) end += lower;
    }
    int total = from_lane(end, 31);
    int64 shift = begin - (end - few);
    for (int base = 0; base < total; base += 32) {
        int number = base + lane(), owner = 0;
        for (int half = 16; half > 0; half >>= 1)
            if (from_lane(end, owner + half - 1) <= number) owner += half;
        int64 inner = from_lane(k, owner), entry = from_lane(p, owner), q = from_lane(shift, owner) + number;
        if (number < total) use(inner, entry, q);
    }
}

// The same for all entries of row i, by a warp. Rows of the right factor with more than `most` entries are left out.
template <class Use>
DEVICE void share_row_by_warp(const LeftRows& a, const RightRows& b, int64 i, int64 most, Use use) {
    int64 stop = a.indptr[i + 1];
    for (int64 first = a.indptr[i]; first < stop; first += 32) {
        int64 p = first + lane(), k = 0, begin = 0, count = 0;
        if (p < stop) {
            k = a.indices[p];
            begin = b.indptr[k];
            count = int64(b.indptr[k + 1]) - begin;
        }
        share_by_warp(k, p, begin, count > most ? 0 : count, use);
    }
}

// use(k, p, q) for every pair of an entry p = (i, k) of the left factor and an entry q = (k, .) of the right one, once, by
// any thread of the block. All threads call it together; `use` may not wait for others.
template <class Use>
DEVICE void share_products(const LeftRows& a, const RightRows& b, int64 i, Use use, int64 most = int64(~uint64(0) >> 1)) {
    __shared__ uint64 next;
    __shared__ int long_count;
    __shared__ int64 long_entries[MOST_LONG];
    int64 start = a.indptr[i], length = int64(a.indptr[i + 1]) - start;
    int64 step = (length + (blockDim.x >> 5) - 1) / (blockDim.x >> 5);  // entries that a warp takes at a time
    if (step > 32) step = 32;
    if (threadIdx.x == 0) {
        next = 0;
        long_count = 0;
    }
    __syncthreads();
    for (;;) {
        int64 first = 0;
        if (lane() == 0) first = int64(atomicAdd(&next, uint64(step)));
        first = from_lane(first, 0);
        if (first >= length) break;
        int64 p = start + first + lane(), k = 0, begin = 0, count = 0;
        if (lane() < step && first + lane() < length) {
            k = a.indices[p];
            begin = b.indptr[k];
            count = int64(b.indptr[k + 1]) - begin;
        }
        if (count > most) count = 0;
        if (count > LONG_RIGHT_ROW) {
            int place = atomicAdd(&long_count, 1);
            if (place < MOST_LONG) {
                long_entries[place] = p;
                count = 0;
            }
        }
        share_by_warp(k, p, begin, count, use);
    }
    __syncthreads();
    int longs = long_count < MOST_LONG ? long_count : MOST_LONG;
    for (int n = 0; n < longs; ++n) {
        int64 p = long_entries[n], k = a.indices[p], stop = b.indptr[k + 1];
        for (int64 q = int64(b.indptr[k]) + threadIdx.x; q < stop; q += blockDim.x) use(k, p, q);
    }
    __syncthreads();
}
