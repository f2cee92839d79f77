// Cooperation of warps and blocks besides sums and lists: searches by a whole warp, and work for the last block.

#include "grid.cuh"

// The number of the ascending numbers[0..count), or of numbers[n] + spacing * n, that are at most `wanted`. All lanes of the warp pass the
// same arguments and probe 32 places at a time, so that a million numbers take four steps instead of twenty.
template <class T> DEVICE int64 warp_upper_bound(const T* numbers, int64 count, int64 wanted, int64 spacing = 0) {
    int64 lo = 0, hi = count;
    while (lo < hi) {
        int64 step = (hi - lo + 31) >> 5;
        int64 probe = lo + (lane() + 1) * step - 1;
        bool below = probe < hi && int64(numbers[probe]) + spacing * probe <= wanted;
        int passed = __popc(__ballot_sync(FULL_WARP, below));
        int64 end = lo + (passed + 1) * step - 1;  // this number is known to be larger, or is beyond the end
        lo += passed * step;
        if (end < hi) hi = end;
    }
    return lo;
}

// True in the block that calls it last, which sees all earlier writes of the other blocks. All threads of all blocks call it once. `done`
// is 0 before and after.
DEVICE bool last_block(unsigned* done) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(done, 1u) == gridDim.x - 1;
        if (last) *done = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}
