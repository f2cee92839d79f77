// The last pass of a sort of keys that are pairs of numbers: each number goes to its own array. Generated besides: Upper, Lower.

#include "radix_sort.cuh"

struct Apart {
    Upper* upper;
    Lower* lower;
    Payload* payload;
    int lower_bits;
};
DEVICE void put_key(const Apart& to, Place place, Key key) {
    to.upper[place] = Upper(key >> to.lower_bits);
    to.lower[place] = Lower(key & ((Key(1) << to.lower_bits) - 1));
}

extern "C" __global__ void __launch_bounds__(SORTERS, BLOCKS_AT_ONCE) take_apart_kernel(
    Key* from_keys, Payload* from_payload, Upper* upper, Lower* lower, Payload* to_payload, int64 lower_bits, int64 count,
    int64 bits, int64 width, Place* workspace, int64 tiles, int64 pass
) {
    Passes passes = {int(bits), int(width)};
    Apart to = {upper, lower, to_payload, int(lower_bits)};
    move_keys({from_keys, from_payload}, to, count, passes, int(pass), {workspace, tiles});
}
