// What the threads of a grid counted: added up by blocks, then in the slots of the call, and from there to memory of the
// host by the block that gets here last. The host is watching these words until they are not 0, so they hold one more.

#include "grid.cuh"

constexpr int SLOT_COUNT = 0, SLOT_EDGES = 3, SLOT_DONE = 4;  // as in counters.py; in the last one blocks sign off

// All threads of the grid call it once, after their loops.
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
