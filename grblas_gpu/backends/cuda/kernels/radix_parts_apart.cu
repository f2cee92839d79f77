// The last pass of a sort in parts, of keys that are two numbers with the part above them. Generated besides: Upper, Lower.

#include "radix_parts.cuh"

struct Apart {
    Upper* upper;
    Lower* lower;
    Payload* payload;
    int lower_bits;
    uint64 above;  // a key of the part
};
DEVICE void enter_part(Apart& to, int part) { to.above = uint64(part) << (sizeof(Key) * 8); }
DEVICE void put_key(const Apart& to, Place place, Key key) {
    uint64 whole = to.above | key;
    to.upper[place] = Upper(whole >> to.lower_bits);
    to.lower[place] = Lower(whole & ((uint64(1) << to.lower_bits) - 1));
}

extern "C" __global__ void __launch_bounds__(SORTERS, BLOCKS_AT_ONCE) take_parts_apart_kernel(
    Key* from_keys, Payload* from_payload, Upper* upper, Lower* lower, Payload* to_payload, int64 lower_bits, const Place* sizes,
    const Place* firsts, Place* workspace, int64 tiles
) {
    Apart to = {upper, lower, to_payload, int(lower_bits), 0};
    move_parts({from_keys, from_payload}, to, sizes, firsts, LOW_PASSES - 1, {workspace, tiles});
}
