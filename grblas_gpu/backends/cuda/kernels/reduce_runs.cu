// Each run of values combined: run r goes from starts[r] to starts[r + 1], the last one to the end.
//
// A warp takes a run. For associative operators its lanes combine neighbouring stretches, then each other, in order;
// others are folded from the left by one lane.
constexpr int WARP = 32;

extern "C" __global__ void reduce_runs(const Value* values, int64 stride, int64 count, const int64* starts,
                                       int64 runs, Value* result) {
    __shared__ Value partial[256];
    const int lane = threadIdx.x % WARP;
    const int64 warps = int64(gridDim.x) * blockDim.x / WARP;
    for (int64 run = (blockIdx.x * int64(blockDim.x) + threadIdx.x) / WARP; run < runs; run += warps) {
        const int64 begin = starts[run], end = run + 1 < runs ? starts[run + 1] : count;
        const int64 stretch = ASSOCIATIVE ? (end - begin + WARP - 1) / WARP : end - begin;
        const int64 first = begin + lane * stretch, last = first + stretch < end ? first + stretch : end;
        if (first < last) {
            Value total = values[first * stride];
            for (int64 p = first + 1; p < last; ++p) total = add(total, values[p * stride]);
            partial[threadIdx.x] = total;
        }
        __syncwarp();
        // Stretches are filled from lane 0 on: this many lanes hold something.
        const int64 filled = (end - begin + stretch - 1) / stretch;
        for (int step = 1; step < filled; step *= 2) {
            if (lane % (2 * step) == 0 && lane + step < filled)
                partial[threadIdx.x] = add(partial[threadIdx.x], partial[threadIdx.x + step]);
            __syncwarp();
        }
        if (lane == 0) result[run] = partial[threadIdx.x];
        __syncwarp();
    }
}
