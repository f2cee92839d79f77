// The passes of a sort, and the count before them; or a whole sort by one block. Generated besides what radix_sort.cuh needs: Upper, Lower
// and INTO, where keys go
//   KEYS     to one array (Upper is Key)
//   APART    to two arrays: what is above the lower bits, and these
//   FEW      to one array, and to two if these are given: there are so few keys that one block does all passes

#include "radix_sort.cuh"

constexpr int KEYS = 0, APART = 1, FEW = 2;

struct Target {
    Upper* upper;
    Lower* lower;
    Payload* payload;
    int lower_bits;
};
DEVICE void put_key(const Target& to, Place place, Key key) {
    to.upper[place] = Upper(INTO == KEYS ? key : key >> to.lower_bits);
    if constexpr (INTO != KEYS) to.lower[place] = Lower(key & ((Key(1) << to.lower_bits) - 1));
}

extern "C" __global__ void __launch_bounds__(SORTERS, BLOCKS_AT_ONCE) move_keys_kernel(
    Key* from_keys, Payload* from_payload, Upper* upper, Lower* lower, Payload* to_payload, int64 lower_bits,
    const int64* device_count, int64 host_count, int64 bits, int64 width, Place* workspace, int64 tiles, int64 pass
) {
    if constexpr (INTO == FEW) return;
    int64 count = counted(device_count, host_count);
    Target to = {upper, lower, to_payload, int(lower_bits)};
    move_keys({from_keys, from_payload}, to, count, {int(bits), int(width)}, int(pass), {workspace, tiles});
}

// The digits of keys, where the kernel that made them did not count these.
extern "C" __global__ void __launch_bounds__(SORTERS) count_digits_kernel(
    const Key* keys, const int64* device_count, int64 host_count, int64 bits, int64 width, Place* workspace, int64 tiles
) {
    if constexpr (INTO != FEW) count_digits(keys, counted(device_count, host_count), {int(bits), int(width)}, {workspace, tiles});
}

// All passes, from `given` to `first`, then to `second` and to `first` in turn. For a single block.
extern "C" __global__ void __launch_bounds__(SORTERS) sort_kernel(
    Key* given_keys, Payload* given_payload, Key* first_keys, Payload* first_payload, Key* second_keys,
    Payload* second_payload, Upper* upper, Lower* lower, int64 lower_bits, const int64* device_count, int64 host_count,
    int64 bits, int64 width, Place* workspace, int64 tiles
) {
    if constexpr (INTO != FEW) return;
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
    Target apart = {upper, lower, nullptr, int(lower_bits)};
    for (int64 p = threadIdx.x; lower && p < count; p += blockDim.x) put_key(apart, Place(p), from.keys[p]);
}
