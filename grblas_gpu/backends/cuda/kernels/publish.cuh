// Counts of the threads of a grid: summed by blocks, then in the slots of the call; the last block publishes them to pinned memory. The
// host polls these words until they are not 0, so they hold one more.

#include "grid.cuh"

constexpr int SLOT_COUNT = 0, SLOT_EDGES = 3, SLOT_DONE = 4;  // as in counters.py; in the last one blocks sign off

constexpr int DONE_BITS = 20;  // bits of a word for the number of blocks that have signed off; the upper bits hold their sum

// One number, where no other kernel counts in the slots of the call: all threads of the grid call it once, after their loops.
// A block adds its part and signs off by the same atomic, so the last block knows the sum, and no memory fence is needed.
template <int SLOT = SLOT_COUNT> DEVICE void publish_one(int64 number, int64* counters, volatile int64* host) {
    __shared__ int64 of_warps[32];
    number = warp_total(number);
    if (lane() == 0) of_warps[threadIdx.x >> 5] = number;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    number = warp_total(lane() < int(blockDim.x >> 5) ? of_warps[lane()] : 0);
    if (lane() != 0) return;
    uint64 mine = uint64(number) << DONE_BITS | 1;
    uint64 all = mine + atomicAdd((uint64*)counters + SLOT_DONE, mine);
    if ((all & ((uint64(1) << DONE_BITS) - 1)) != gridDim.x) return;
    counters[SLOT] = int64(all >> DONE_BITS);
    host[SLOT] = int64(all >> DONE_BITS) + 1;
}

// Two numbers, added to the slots. All threads of the grid call it once, after their loops.
DEVICE void publish(int64 entries, int64 edges, int64* counters, volatile int64* host) {
    __shared__ int64 warp_entries[32], warp_edges[32];
    entries = warp_total(entries);
    edges = warp_total(edges);
    if (lane() == 0) {
        warp_entries[threadIdx.x >> 5] = entries;
        warp_edges[threadIdx.x >> 5] = edges;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int warp = 1; warp < int(blockDim.x >> 5); ++warp) {
        entries += warp_entries[warp];
        edges += warp_edges[warp];
    }
    uint64* slots = (uint64*)counters;
    uint64 all_entries = entries + atomicAdd(slots + SLOT_COUNT, uint64(entries));
    uint64 all_edges = edges + atomicAdd(slots + SLOT_EDGES, uint64(edges));
    if (gridDim.x > 1) {
        __threadfence();
        if (atomicAdd(slots + SLOT_DONE, uint64(1)) != gridDim.x - 1) return;
        __threadfence();
        all_entries = atomicAdd(slots + SLOT_COUNT, uint64(0));
        all_edges = atomicAdd(slots + SLOT_EDGES, uint64(0));
    }
    host[SLOT_EDGES] = int64(all_edges) + 1;
    host[SLOT_COUNT] = int64(all_entries) + 1;
}
