// mxm.gustavson, rows with many products, first pass: how many entries each has. No values: it serves all semirings.

#include "mxm_dense.cuh"

extern "C" __global__ void __launch_bounds__(1024, 1) count_dense_kernel(
    const LeftOffset* a_indptr, const LeftColumn* a_indices, const RightOffset* b_indptr, const RightColumn* b_indices,
    const MaskOffset* mask_indptr, const MaskColumn* mask_indices, const MaskValue* mask_values, const int64* list,
    int64 count, int64* next, int64 ncols, int64 window, int64* counts
) {
    LeftRows a = {a_indptr, a_indices};
    RightRows b = {b_indptr, b_indices};
    Mask mask = {{mask_indptr, mask_indices}, mask_values};
    Bits bits = {(unsigned*)dynamic_memory, (unsigned*)dynamic_memory + (window >> 5), 0, window};
    for (int64 n = BlockGroup::ticket(next, 1); n < count; n = BlockGroup::ticket(next, 1)) {
        int64 i = list[n], found = 0;
        for (bits.lo = 0; bits.lo < ncols; bits.lo += window) {
            bits.start(mask, i);
            share_products(a, b, i, [&](int64, int64, int64 q) { bits.insert(b.indices[q]); });
            for (int64 word = threadIdx.x; word < bits.words(); word += blockDim.x) found += __popc(bits.present[word]);
            __syncthreads();
        }
        found = BlockGroup::sum(found);
        if (threadIdx.x == 0) counts[i] = found;
    }
}
