// mxm.gustavson, rows with many products: a bit and a sum for every column, in windows of columns that fit shared memory; a
// block takes a row. The first pass counts the columns that are present, the second writes them in order. Generated: what
// mxm_rows.cuh needs. mxm_masked.cu makes rows inside of a mask.

#include "mxm_rows.cuh"
#include "thread_groups.cuh"

static_assert(MASK != INSIDE, "rows inside of a mask have places there");
// The columns of one window: those that products have, and those that the mask has.
struct Bits {
    unsigned* present;
    unsigned* masked;  // nothing without a mask
    int64 lo, window;

    DEVICE int64 words() const { return window >> 5; }
    // Whether a column is in the window, and the mask allows it. Its bit is set then.
    DEVICE bool insert(int64 j) const {
        j -= lo;
        if (uint64(j) >= uint64(window)) return false;
        unsigned bit = 1u << (j & 31);
        if constexpr (MASK == OUTSIDE)
            if (masked[j >> 5] & bit) return false;
        if (!(((volatile unsigned*)present)[j >> 5] & bit)) atomicOr(present + (j >> 5), bit);
        return true;
    }
    DEVICE void start(const Mask& mask, int64 i) const {
        for (int64 word = threadIdx.x; word < words(); word += blockDim.x) {
            present[word] = 0;
            if constexpr (MASK != EVERYWHERE) masked[word] = 0;
        }
        __syncthreads();
        if constexpr (MASK != EVERYWHERE) {
            int64 stop = mask.rows.indptr[i + 1];
            int64 entry = lower_bound(mask.rows.indices, mask.rows.indptr[i], stop, lo) + threadIdx.x;
            for (; entry < stop; entry += blockDim.x) {
                int64 j = int64(mask.rows.indices[entry]) - lo;
                if (j >= window) break;
                if (counts(mask, entry)) atomicOr(masked + (j >> 5), 1u << (j & 31));
            }
            __syncthreads();
        }
    }
};

#define GIVEN OPERANDS, const int64 *list, int64 count, int64 *next, int64 ncols, int64 window

extern "C" __global__ void __launch_bounds__(1024, 1) count_dense_kernel(GIVEN, int64* counts) {
    MAKE_OPERANDS
    Bits bits = {(unsigned*)dynamic_shared(), (unsigned*)dynamic_shared() + (window >> 5), 0, window};
    for (int64 n = BlockGroup::ticket(next, 1); n < count; n = BlockGroup::ticket(next, 1)) {
        int64 i = list[n], found = 0;
        for (bits.lo = 0; bits.lo < ncols; bits.lo += window) {
            bits.start(given.mask, i);
            share_products(given, i, [&](int64, int64, int64 q) { bits.insert(b_indices[q]); });
            for (int64 word = threadIdx.x; word < bits.words(); word += blockDim.x) found += __popc(bits.present[word]);
            __syncthreads();
        }
        found = BlockGroup::sum(found);
        if (threadIdx.x == 0) counts[i] = found;
    }
}

extern "C" __global__ void __launch_bounds__(1024, 1) fill_dense_kernel(
    GIVEN, const int64* indptr, Column* out_indices, Value* out_values
) {
    __shared__ int64 shared[32];
    MAKE_OPERANDS
    Word* sums = (Word*)dynamic_shared();
    unsigned* bitmaps = (unsigned*)(sums + (STRUCTURE ? 0 : window));
    Bits bits = {bitmaps, bitmaps + (window >> 5), 0, window};
    write_constant(given.values, out_values);
    if constexpr (ADDS)  // and sums are left so
        for (int64 slot = threadIdx.x; slot < window; slot += blockDim.x) sums[slot] = to_bits<Word>(initial());
    for (int64 n = BlockGroup::ticket(next, 1); n < count; n = BlockGroup::ticket(next, 1)) {
        int64 i = list[n], out = indptr[i];
        for (bits.lo = 0; bits.lo < ncols; bits.lo += window) {
            bits.start(given.mask, i);
            share_products(given, i, [&](int64 k, int64 p, int64 q) {
                int64 j = b_indices[q];
                if (!bits.insert(j)) return;
                if constexpr (ADDS) add_to_word(sums + (j - bits.lo), product(given.values, i, k, j, p, q));
                else if constexpr (!STRUCTURE) sums[j - bits.lo] = to_bits<Word>(product(given.values, i, k, j, p, q));
            });
            for (int64 base = 0; base < bits.words(); base += blockDim.x) {
                int64 word = base + threadIdx.x, total;
                unsigned present = word < bits.words() ? bits.present[word] : 0;
                int64 place = out + block_offset(__popc(present), total, shared);
                for (int other = 0; other < 32; ++other) {  // a word at a time by the whole warp
                    unsigned one = from_lane(present, other);
                    int64 start = from_lane(place, other);
                    if (!(one >> lane() & 1)) continue;
                    int64 at = start + __popc(one & ((1u << lane()) - 1)), slot = (word - lane() + other) * 32 + lane();
                    out_indices[at] = Column(bits.lo + slot);
                    if constexpr (!STRUCTURE) out_values[at] = from_bits<Value>(sums[slot]);
                    if constexpr (ADDS) sums[slot] = to_bits<Word>(initial());
                }
                out += total;
            }
            __syncthreads();
        }
    }
}
