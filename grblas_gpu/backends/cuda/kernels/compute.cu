// z = op(x), op(x, y) or op(x, i, j, y) on every element, by ARITY; a stride of 0 reads one value for all.

#if ARITY == 1
#define ARGUMENTS const X *x, int64 x_stride
#define RESULT(p) op(x[p * x_stride])
#elif ARITY == 2
#define ARGUMENTS const X *x, int64 x_stride, const Y *y, int64 y_stride
#define RESULT(p) op(x[p * x_stride], y[p * y_stride])
#else
#define ARGUMENTS                                                                                             \
    const X *x, int64 x_stride, const int64 *i, int64 i_stride, const int64 *j, int64 j_stride, const Y *y, int64 y_stride
#define RESULT(p) op(x[p * x_stride], i[p * i_stride], j[p * j_stride], y[p * y_stride])
#endif

extern "C" __global__ void compute(ARGUMENTS, Z* z, int64 count) {
    for (int64 p = blockIdx.x * int64(blockDim.x) + threadIdx.x; p < count; p += int64(gridDim.x) * blockDim.x)
        z[p] = RESULT(p);
}
