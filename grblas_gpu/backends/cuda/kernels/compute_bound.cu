// z = op(x, y) on every element of one operand; the other is one value, which comes with the launch. Generated: X, Y, Z, `op`,
// and LEFT: it is x. A stride of 0 reads one value for all.

using Each = either<LEFT, Y, X>;
using Fixed = either<LEFT, X, Y>;

extern "C" __global__ void compute_bound(const Each* each, int64 stride, Fixed fixed, Z* z, int64 count) {
    for (int64 p = blockIdx.x * int64(blockDim.x) + threadIdx.x; p < count; p += int64(gridDim.x) * blockDim.x) {
        if constexpr (LEFT) z[p] = op(fixed, each[p * stride]);
        else z[p] = op(each[p * stride], fixed);
    }
}
