// Values in another type, as GraphBLAS casts them. Generated: X, Z.

#include "grid.cuh"

extern "C" __global__ void cast_kernel(const X* x, Z* z, int64 count) {
    for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) z[p] = cast<Z>(x[p]);
}
