// The first pass of a sort in parts (radix_parts.cuh): by the digit above the low bits, and only these are stored. Generated besides: Low,
// an unsigned type for them.

#include "radix_sort.cuh"

struct Lowered {
    Low* keys;
    Payload* payload;
};
DEVICE void put_key(const Lowered& to, Place place, Key key) { to.keys[place] = Low(key); }

extern "C" __global__ void __launch_bounds__(SORTERS, BLOCKS_AT_ONCE) move_lowered_kernel(
    Key* from_keys, Payload* from_payload, Low* to_keys, Payload* to_payload, int64 count, int64 bits, int64 width, Place* workspace,
    int64 tiles
) {
    Passes passes = {int(bits), int(width), int(sizeof(Low) * 8)};
    Lowered to = {to_keys, to_payload};
    move_keys({from_keys, from_payload}, to, count, passes, 0, {workspace, tiles});
}
