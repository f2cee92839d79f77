// The blocks that run a whole loop in one kernel. Most of the time that is the whole grid, which meets at a barrier in global
// memory; while there is little to do, the first block runs on alone. What the loop knows (`State`, generated) has a copy in the
// shared memory of every block, and all copies are equal after a meeting.

DEVICE unsigned& team_blocks() {
    __shared__ unsigned blocks;
    return blocks;
}
#define BLOCK_COUNT team_blocks()

#include "grid.cuh"

// Memory that other blocks write, read past the cache of this processor.
DEVICE int64 fresh(const int64* address) { return *(const volatile int64*)address; }

// A barrier for the grid: `arrived` only grows, until the last block that leaves the kernel sets it back. What a block wrote before
// it arrives is seen by all that leave.
struct Barrier {
    unsigned* arrived;
    unsigned target;  // in thread 0 of every block
    DEVICE void wait() {
        target += gridDim.x;
#ifdef __CUDA_ARCH__
        unsigned now;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
        while (now < target);
#endif
    }
};
DEVICE Barrier& barrier() {
    __shared__ Barrier shared;
    return shared;
}

// All threads of the team wait for each other; then thread 0 of every block notes what the others counted.
template <class Note> DEVICE void meet(Note note) {
    __syncthreads();
    if (thread() == 0) {
        if (team_blocks() > 1) barrier().wait();
        note();
    }
    __syncthreads();
}

DEVICE void begin_team(unsigned* words) {
    if (thread() == 0) {
        team_blocks() = gridDim.x;
        barrier().arrived = words;
        barrier().target = 0;
    }
    __syncthreads();
}
// The words are zero again for the next kernel.
DEVICE void end_team(unsigned* words) {
    __syncthreads();
    if (thread() == 0 && atomicAdd(words + 1, 1u) == gridDim.x - 1) {
        words[1] = 0;
        words[0] = 0;
    }
}

// About x / y, in a few instructions.
DEVICE float quotient(float x, float y) {
#ifdef __CUDA_ARCH__
    return __fdividef(x, y);
#else
    return x / y;
#endif
}

DEVICE uint64 nanoseconds() {
#ifdef __CUDA_ARCH__
    uint64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
#else
    return 0;
#endif
}
