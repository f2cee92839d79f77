// The factors and the mask of a matrix product, and the products that one row of the result is made of, shared by the lanes
// of a warp or the threads of a block. Generated: LeftColumn, RightColumn (types of column indices), LeftOffset, RightOffset
// (types of row offsets), Column (of the result), and what matrix_mask.cuh and mxm_product.cuh need.

#include "matrix_mask.cuh"
#include "mxm_product.cuh"

using LeftRows = Rows<LeftOffset, LeftColumn>;
using RightRows = Rows<RightOffset, RightColumn>;

struct Operands {
    LeftRows a;
    RightRows b;
    Values values;
    Mask mask;
};
// Operands as parameters of a kernel, and the object that they make.
#define OPERANDS                                                                                                          \
    const LeftOffset *a_indptr, const LeftColumn *a_indices, const LeftStored *a_values, const RightOffset *b_indptr,     \
        const RightColumn *b_indices, const RightStored *b_values, const MaskOffset *mask_indptr,                         \
        const MaskColumn *mask_indices, const MaskValue *mask_values
#define MAKE_OPERANDS                                                                                                     \
    Operands given = {                                                                                                    \
        {a_indptr, a_indices}, {b_indptr, b_indices}, {a_values, b_values}, {{mask_indptr, mask_indices}, mask_values}    \
    };

constexpr int64 WIDE_ROW = 64;          // of the right factor: a warp takes it alone
constexpr int64 LONG_RIGHT_ROW = 2048;  // of the right factor: the whole block takes it
constexpr int MOST_LONG = 256;

// The lane that has item `number`, where `end` is the inclusive sum of the numbers of items that lanes have.
template <class T, class Number> DEVICE int owner_of(T end, Number number) {
    int owner = 0;
    for (int half = 16; half > 0; half >>= 1)
        if (from_lane(end, owner + half - 1) <= number) owner += half;
    return owner;
}

// A row of the right factor, for entry p = (i, k) of the left one; empty if there is no such entry.
struct RightRow {
    int64 k, p, begin, count;
    DEVICE RightRow(const Operands& given, int64 entry, bool exists) : k(0), p(entry), begin(0), count(0) {
        if (!exists) return;
        k = given.a.indices[p];
        begin = given.b.indptr[k];
        count = int64(given.b.indptr[k + 1]) - begin;
    }
};

// use(k, p, q) for the entries q of the rows of the right factor that the lanes of a warp bring. `use` may not wait for
// others.
template <class Use> DEVICE void share_by_warp(const RightRow& row, Use use) {
    for (unsigned wide = __ballot_sync(FULL_WARP, row.count >= WIDE_ROW); wide; wide &= wide - 1) {
        int owner = __ffs(wide) - 1;
        int64 from = from_lane(row.begin, owner), stop = from + from_lane(row.count, owner);
        int64 k = from_lane(row.k, owner), p = from_lane(row.p, owner);
        UNROLLED_BY(2) for (int64 q = from + lane(); q < stop; q += 32) use(k, p, q);
    }
    int few = row.count < WIDE_ROW ? int(row.count) : 0, end = inclusive_sum(few);
    int total = from_lane(end, 31);
    int64 shift = row.begin - (end - few);
    for (int base = 0; base < total; base += 32) {
        int number = base + lane(), owner = owner_of(end, number);
        int64 k = from_lane(row.k, owner), p = from_lane(row.p, owner), q = from_lane(shift, owner) + number;
        if (number < total) use(k, p, q);
    }
}

// The same for all entries of row i, by a warp. Rows of the right factor with more than `most` entries are left out.
template <class Use> DEVICE void share_row_by_warp(const Operands& given, int64 i, int64 most, Use use) {
    int64 stop = given.a.indptr[i + 1];
    for (int64 first = given.a.indptr[i]; first < stop; first += 32) {
        RightRow row(given, first + lane(), first + lane() < stop);
        if (row.count > most) row.count = 0;
        share_by_warp(row, use);
    }
}

// use(k, p, q) for every pair of an entry p = (i, k) of the left factor and an entry q = (k, .) of the right one, once, by
// any thread of the block. All threads call it together; `use` may not wait for others.
template <class Use>
DEVICE void share_products(const Operands& given, int64 i, Use use, int64 most = int64(~uint64(0) >> 1)) {
    __shared__ uint64 next;
    __shared__ int long_count;
    __shared__ int64 long_entries[MOST_LONG];
    int64 start = given.a.indptr[i], length = int64(given.a.indptr[i + 1]) - start;
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
        RightRow row(given, start + first + lane(), lane() < step && first + lane() < length);
        if (row.count > most) row.count = 0;
        if (row.count > LONG_RIGHT_ROW) {
            int place = atomicAdd(&long_count, 1);
            if (place < MOST_LONG) {
                long_entries[place] = row.p;
                row.count = 0;
            }
        }
        share_by_warp(row, use);
    }
    __syncthreads();
    int longs = long_count < MOST_LONG ? long_count : MOST_LONG;
    for (int n = 0; n < longs; ++n) {
        int64 p = long_entries[n], k = given.a.indices[p], stop = given.b.indptr[k + 1];
        for (int64 q = int64(given.b.indptr[k]) + threadIdx.x; q < stop; q += blockDim.x) use(k, p, q);
    }
    __syncthreads();
}
