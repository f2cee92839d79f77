// Kernels that only move values. Generated: Value, an unsigned type as wide as these.

#include "grid.cuh"

// The transpose of a dense matrix, in tiles that a warp transposes in shared memory.

constexpr int WARPS = 8;
constexpr int ACROSS = 32, DOWN = sizeof(Value) == 8 ? 16 : 32;  // of a tile

extern "C" __global__ void transpose_dense_kernel(const Value* values, int64 nrows, int64 ncols, Value* out) {
    __shared__ Value tiles[WARPS][DOWN][ACROSS + 1];
    auto& tile = tiles[threadIdx.x >> 5];
    int64 across = (ncols + ACROSS - 1) / ACROSS, down = (nrows + DOWN - 1) / DOWN;
    for (int64 item = warp_in_grid(); item < across * down; item += warps_in_grid()) {
        int64 top = item % down * DOWN, left = item / down * ACROSS, column = left + lane();
        UNROLLED_BY(8) for (int row = 0; row < DOWN; ++row)
            if (top + row < nrows && column < ncols) tile[row][lane()] = values[(top + row) * ncols + column];
        __syncwarp();
        UNROLLED_BY(8) for (int place = lane(); place < DOWN * ACROSS; place += 32) {
            int row = place % DOWN, own = place / DOWN;
            if (top + row < nrows && left + own < ncols) out[(left + own) * nrows + top + row] = tile[row][own];
        }
        __syncwarp();
    }
}
