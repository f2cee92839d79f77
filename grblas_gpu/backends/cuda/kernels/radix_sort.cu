// One pass of a sort.

#include "radix_sort.cuh"

extern "C" __global__ void __launch_bounds__(SORTERS, BLOCKS_AT_ONCE) move_keys_kernel(
    Key* from_keys, Payload* from_payload, Key* to_keys, Payload* to_payload, const int64* device_count,
    int64 host_count, int64 bits, int64 width, Place* workspace, int64 tiles, int64 pass
) {
    int64 count = counted(device_count, host_count);
    Passes passes = {int(bits), int(width)};
    Items to = {to_keys, to_payload};
    move_keys({from_keys, from_payload}, to, count, passes, int(pass), {workspace, tiles});
}
