// z = op(x, i, j, thunk) on every element; a stride of 0 reads one value for all.
extern "C" __global__ void compute(const X* x, int64 x_stride, const int64* i, int64 i_stride, const int64* j,
                                   int64 j_stride, const Y* thunk, int64 thunk_stride, Z* z, int64 count) {
    for (int64 p = blockIdx.x * int64(blockDim.x) + threadIdx.x; p < count; p += int64(gridDim.x) * blockDim.x)
        z[p] = op(x[p * x_stride], i[p * i_stride], j[p * j_stride], thunk[p * thunk_stride]);
}
