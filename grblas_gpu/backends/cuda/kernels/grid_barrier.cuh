// The blocks that run a whole loop in one kernel. Most of the time that is the whole grid, with a barrier in global memory. While there is
// little work, a cluster of blocks on neighbouring processors continues alone, with a barrier that is four times as fast; on devices
// without clusters, one block. Kernels in which no cluster ever continues alone (TEAMS, generated) have no clusters: these need
// neighbouring processors, so 12 of an H200's 132 would be idle. The state of the loop (`State`, generated) has a copy in the shared memory
// of every block, and all copies are equal after a barrier.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && TEAMS
constexpr unsigned CLUSTER = 8;
#define CLUSTERS __cluster_dims__(8, 1, 1)
#else
constexpr unsigned CLUSTER = 1;
#define CLUSTERS
#endif
// Up to here a cluster is faster than all blocks.
constexpr int64 SMALL_ENTRIES = CLUSTER > 1 ? 4096 : 512, SMALL_EDGES = CLUSTER > 1 ? 8192 : 2048;

DEVICE unsigned& team_blocks() {
    __shared__ unsigned blocks;
    return blocks;
}
#define BLOCK_COUNT team_blocks()

#include "grid.cuh"

// Memory that other blocks write, read past the cache of this processor.
DEVICE int64 fresh(const int64* address) { return *(const volatile int64*)address; }
DEVICE unsigned fresh_count(const unsigned* address) { return *(const volatile unsigned*)address; }

// A barrier for the grid: `arrived` only grows, until the last block that leaves the kernel resets it. Writes of a block before its arrival
// are visible to all blocks that leave.
struct Barrier {
    unsigned* arrived;
    unsigned target;  // in thread 0 of every block
    DEVICE void wait(bool sleeps = false) {
        target += gridDim.x;
#ifdef __CUDA_ARCH__
        unsigned now;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
        while (true) {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
            if (now >= target) break;
            if (sleeps) __nanosleep(100);
        }
#else
        atomicAdd(arrived, 1u);
        while (fresh_count(arrived) < target) __nanosleep(100);
#endif
    }
};
DEVICE Barrier& barrier() {
    __shared__ Barrier shared;
    return shared;
}
// All threads of a cluster wait for each other.
DEVICE void cluster_barrier() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}
// All threads of a block wait, and its thread 0 until those of the team have come.
CALLABLE void meet() {
    bool in_cluster = team_blocks() == CLUSTER;
    if (in_cluster) cluster_barrier();
    else __syncthreads();
    if (thread() == 0 && !in_cluster) barrier().wait();
}
// All threads of the team wait for each other; then thread 0 of every block reads the counters of the others.
template <class Note> DEVICE void grid_barrier(Note note) {
#if PLAIN
    constexpr bool called = true;
#else
    constexpr bool called = CALLS;
#endif
    if constexpr (called) {
        meet();
        if (thread() == 0) note();
        __syncthreads();
        return;
    }
    bool in_cluster = team_blocks() == CLUSTER;
    if (in_cluster) cluster_barrier();
    else __syncthreads();
    if (thread() == 0) {
        if (!in_cluster) barrier().wait();
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
