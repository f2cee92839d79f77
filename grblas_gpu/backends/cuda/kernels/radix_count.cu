// Counts the digits of keys before they are sorted, if no earlier kernel counted them.

#include "radix_sort.cuh"

extern "C" __global__ void __launch_bounds__(SORTERS) count_digits_kernel(
    const Key* keys, const int64* device_count, int64 host_count, int64 bits, int64 width, Place* workspace, int64 tiles
) {
    count_digits(keys, counted(device_count, host_count), {int(bits), int(width)}, {workspace, tiles});
}
