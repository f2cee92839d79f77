// A whole sort by one block, for few keys.

#include "radix_sort.cuh"

// All passes, from `given` to `first`, then to `second` and to `first` in turn. For a single block.
extern "C" __global__ void __launch_bounds__(SORTERS) sort_kernel(
    Key* given_keys, Payload* given_payload, Key* first_keys, Payload* first_payload, Key* second_keys,
    Payload* second_payload, const int64* device_count, int64 host_count, int64 bits, int64 width, Place* workspace,
    int64 tiles
) {
    int64 count = counted(device_count, host_count);
    Passes passes = {int(bits), int(width)};
    Work work = {workspace, tiles};
    for (int64 p = threadIdx.x; p < work.size(passes.number()); p += blockDim.x) workspace[p] = 0;
    __syncthreads();
    Items from = {given_keys, given_payload}, to = {first_keys, first_payload}, other = {second_keys, second_payload};
    count_digits(from.keys, count, passes, work);
    __syncthreads();
    for (int pass = 0; pass < passes.number(); ++pass) {
        move_keys(from, to, count, passes, pass, work);
        __syncthreads();
        from = to;
        to = other;
        other = from;
    }
}
