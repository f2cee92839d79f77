// Sorts keys that are in parts: the counts, the resulting places, and one pass.

#include "radix_parts.cuh"

DEVICE void enter_part(Items&, int) {}

// counts[part][pass][digit] of the keys, 0 before. A block has consecutive tiles, mostly of one part.
extern "C" __global__ void __launch_bounds__(SORTERS, BLOCKS_AT_ONCE) count_parts_kernel(
    const Key* keys, const Place* sizes, Place* counts
) {
    __shared__ DigitCounts own;
    __shared__ int64 shared[32];
    clear_counts(own);
    const Parts& parts = shared_parts(sizes, shared);
    int64 tiles = parts.tiles[PARTS], end = tiles * (blockIdx.x + 1) / gridDim.x;
    for (int64 number = tiles * blockIdx.x / gridDim.x; number < end; ++number) {
        int part = parts.of_tile(number);
        Tile tile = parts.tile(number, part, nullptr);
        Key some[EACH];
        load_items(keys + tile.first, tile.keys, Key(0), some);
        count_keys<EACH>(some, tile.keys - own_offset(), LOW, own);
        if (number + 1 < end && parts.of_tile(number + 1) == part) continue;
        __syncthreads();
        for (int d = threadIdx.x; d < LOW_PASSES * MOST_DIGITS; d += blockDim.x) {
            if (own.of[0][d]) atomicAdd(counts + part * LOW_PASSES * MOST_DIGITS + d, Place(own.of[0][d]));
            own.of[0][d] = 0;
        }
        __syncthreads();
    }
}

// Turns the counts into the places of the keys.
extern "C" __global__ void __launch_bounds__(SORTERS) place_parts_kernel(const Place* sizes, Place* counts) {
    __shared__ int64 shared[32];
    const Parts& parts = shared_parts(sizes, shared);
    for (int row = blockIdx.x; row < PARTS * LOW_PASSES; row += gridDim.x) {
        Place* of_pass = counts + row * MOST_DIGITS;
        int64 own = 0, total;
        for_own_digits({0, DIGIT_BITS}, [&](int d) { own += of_pass[d]; });
        int64 place = int64(parts.keys[row / LOW_PASSES]) + block_offset(own, total, shared);
        for_own_digits({0, DIGIT_BITS}, [&](int d) {
            Place number = of_pass[d];
            of_pass[d] = Place(place);
            place += number;
        });
    }
}

extern "C" __global__ void __launch_bounds__(SORTERS, BLOCKS_AT_ONCE) move_parts_kernel(
    Key* from_keys, Payload* from_payload, Key* to_keys, Payload* to_payload, const Place* sizes, const Place* firsts,
    Place* workspace, int64 tiles, int64 pass
) {
    Items to = {to_keys, to_payload};
    move_parts({from_keys, from_payload}, to, sizes, firsts, int(pass), {workspace, tiles});
}
