// Turns the numbers of entries that chunks keep into the places where the chunks write, in the block that counts last; publishes the total.

#include "grid.cuh"
#include "publish.cuh"

constexpr int AT_A_TIME = 8;

// counts[k] = the sum of the counts before it. Called by one block.
DEVICE int64 add_up(int64* counts, int64 number) {
    __shared__ int64 shared[32];
    volatile int64* given = counts;
    int64 before = 0, total;
    for (int64 base = 0; base < number; base += blockDim.x * AT_A_TIME) {
        int64 first = base + threadIdx.x * AT_A_TIME, sum = 0, own[AT_A_TIME];
#pragma unroll
        for (int k = 0; k < AT_A_TIME; ++k) own[k] = first + k < number ? given[first + k] : 0;
#pragma unroll
        for (int k = 0; k < AT_A_TIME; ++k) sum += own[k];
        int64 place = before + block_offset(sum, total, shared);
#pragma unroll
        for (int k = 0; k < AT_A_TIME; ++k) {
            if (first + k < number) counts[first + k] = place;
            place += own[k];
        }
        before += total;
    }
    return before;
}

// All threads of all blocks call it once, after their counts are written. `fact`, known by thread 0 of a block, is published, too.
DEVICE void publish_offsets(int64* counts, int64 number, unsigned* done, int64 fact, volatile int64* host) {
    if (!last_block(done)) return;
    int64 total = add_up(counts, number);
    if (threadIdx.x != 0) return;
    host[SLOT_EDGES] = fact + 1;
    host[SLOT_COUNT] = total + 1;
}
