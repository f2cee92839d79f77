// A sort as kernels, one for each pass.

#include "radix_sort.cuh"

extern "C" __global__ void __launch_bounds__(SORTERS) count_digits_kernel(
    const Key* keys, const int64* device_count, int64 host_count, int64 bits, int64 width, Place* workspace, int64 tiles
) {
    count_digits(keys, counted(device_count, host_count), {int(bits), int(width)}, {workspace, tiles});
}

extern "C" __global__ void __launch_bounds__(SORTERS, 4) move_keys_kernel(
    Key* from_keys, Payload* from_payload, Key* to_keys, Payload* to_payload, const int64* device_count,
    int64 host_count, int64 bits, int64 width, Place* workspace, int64 tiles, int64 pass
) {
    int64 count = counted(device_count, host_count);
    Passes passes = {int(bits), int(width)};
    move_keys({from_keys, from_payload}, {to_keys, to_payload}, count, passes, int(pass), {workspace, tiles});
}
