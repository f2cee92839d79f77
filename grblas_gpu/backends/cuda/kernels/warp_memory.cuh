// Shared memory that every warp of a block has for a moment: what one function keeps there is gone when another one asks. There is
// one of it in a program, however many products a loop has. Generated: BLOCK_THREADS.

constexpr int WARP_WORDS = 136;  // of 8 bytes

DEVICE uint64* warp_memory() {
    __shared__ uint64 memory[BLOCK_THREADS / 32][WARP_WORDS];
    return memory[threadIdx.x >> 5];
}
