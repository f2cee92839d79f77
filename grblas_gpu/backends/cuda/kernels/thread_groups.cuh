// Threads that cooperate: a warp or a block. All threads of a group call these functions together.

#include "grid.cuh"

struct WarpGroup {
    static DEVICE int rank() { return lane(); }
    static DEVICE int size() { return 32; }
    static DEVICE void sync() { __syncwarp(); }
    // Whether any thread has the flag; they wait for each other.
    static DEVICE bool any(bool flag) {
        bool found = __any_sync(FULL_WARP, flag);
        __syncwarp();
        return found;
    }
    // The next `amount` numbers of a counter, for the group alone.
    static DEVICE int64 ticket(int64* counter, int64 amount) {
        int64 number = 0;
        if (lane() == 0) number = int64(atomicAdd((uint64*)counter, uint64(amount)));
        return from_lane(number, 0);
    }
    // The number of threads of lower rank that have the flag, and the total.
    static DEVICE int64 place(bool flag, int64& total) {
        unsigned flags = __ballot_sync(FULL_WARP, flag);
        total = __popc(flags);
        return __popc(flags & ((1u << lane()) - 1));
    }
    static DEVICE int64 sum(int64 number) { return from_lane(warp_total(number), 0); }
};

struct BlockGroup {
    static DEVICE int rank() { return threadIdx.x; }
    static DEVICE int size() { return blockDim.x; }
    static DEVICE void sync() { __syncthreads(); }
    static DEVICE bool any(bool flag) { return __syncthreads_or(flag); }
    static DEVICE int64 ticket(int64* counter, int64 amount) {
        __shared__ int64 number;
        __syncthreads();  // threads may still read the previous number
        if (threadIdx.x == 0) number = int64(atomicAdd((uint64*)counter, uint64(amount)));
        __syncthreads();
        return number;
    }
    static DEVICE int64 place(bool flag, int64& total) {
        __shared__ int64 shared[32];
        return block_offset(flag, total, shared);
    }
    static DEVICE int64 sum(int64 number) {
        __shared__ int64 shared[32];
        int64 total;
        block_offset(number, total, shared);
        return total;
    }
};
