// Shared memory of the warps of a kernel that sums short rows (row_stage.cuh); a loop uses that of its queues (lists.cuh).

constexpr int WARP_WORDS = 160;
DEVICE int64* warp_memory() {
    __shared__ int64 memory[8][WARP_WORDS];
    return memory[threadIdx.x >> 5];
}
