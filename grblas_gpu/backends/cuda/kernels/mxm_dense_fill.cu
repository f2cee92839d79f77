// mxm.gustavson, rows with many products, second pass: a sum for every column of a window, and the columns that were present
// are written in order.

#include "mxm_dense.cuh"
#include "mxm_sums.cuh"

constexpr bool ADDS = !STRUCTURE && !EXIT_AT_FIRST;  // sums start at initial(), and are left so

extern "C" __global__ void __launch_bounds__(1024, 1) fill_dense_kernel(
    const LeftOffset* a_indptr, const LeftColumn* a_indices, const LeftStored* a_values, const RightOffset* b_indptr,
    const RightColumn* b_indices, const RightStored* b_values, const MaskOffset* mask_indptr,
    const MaskColumn* mask_indices, const MaskValue* mask_values, const int64* list, int64 count, int64* next,
    int64 ncols, int64 window, const int64* indptr, Column* out_indices, Value* out_values
) {
    __shared__ int64 shared[32];
    LeftRows a = {a_indptr, a_indices};
    RightRows b = {b_indptr, b_indices};
    Values values = {a_values, b_values};
    Mask mask = {{mask_indptr, mask_indices}, mask_values};
    Word* sums = (Word*)dynamic_memory;
    unsigned* bitmaps = (unsigned*)(sums + (STRUCTURE ? 0 : window));
    Bits bits = {bitmaps, bitmaps + (window >> 5), 0, window};
    write_constant(values, out_values);
    if constexpr (ADDS)
        for (int64 slot = threadIdx.x; slot < window; slot += blockDim.x) sums[slot] = to_word(initial());
    for (int64 n = BlockGroup::ticket(next, 1); n < count; n = BlockGroup::ticket(next, 1)) {
        int64 i = list[n], out = indptr[i];
        for (bits.lo = 0; bits.lo < ncols; bits.lo += window) {
            bits.start(mask, i);
            share_products(a, b, i, [&](int64 k, int64 p, int64 q) {
                int64 j = b.indices[q];
                if (!bits.insert(j)) return;
                if constexpr (ADDS) add_atomically(sums + (j - bits.lo), product(values, i, k, j, p, q));
                else if constexpr (!STRUCTURE) sums[j - bits.lo] = to_word(product(values, i, k, j, p, q));
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
                    if constexpr (!STRUCTURE) out_values[at] = from_word(sums[slot]);
                    if constexpr (ADDS) sums[slot] = to_word(initial());
                }
                out += total;
            }
            __syncthreads();
        }
    }
}
