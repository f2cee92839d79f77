// The values of two matrices of one structure: those of x where a bit is set, those of y elsewhere. A step of 0: one value
// stands for all. Generated: Bits, an unsigned type as wide as values.

#include "grid.cuh"

extern "C" __global__ void blend_kernel(
    const unsigned* chosen, const Bits* x, int64 x_step, const Bits* y, int64 y_step, int64 entries, Bits* out
) {
#pragma unroll 4
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        bool from_x = chosen[entry >> 5] >> (entry & 31) & 1;
        out[entry] = from_x ? x[entry * x_step] : y[entry * y_step];
    }
}
