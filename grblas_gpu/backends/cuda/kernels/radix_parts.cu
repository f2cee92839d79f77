// A sort of keys that are in parts already: the part is the highest digit, so this digit need not be sorted. Every part is sorted
// separately, as in radix_sort.cuh: tiles have keys of one part, and look back at tiles of the same part. Counts come first, then the
// resulting places, and the passes, the last of which writes keys that are two numbers with the part above them. Generated besides what
// radix_sort.cuh needs: Upper, Lower, the types of these numbers.

#include "radix_sort.cuh"

constexpr int PARTS = MOST_DIGITS, LOW_PASSES = sizeof(Key) * 8 / DIGIT_BITS;
constexpr Passes LOW = {sizeof(Key) * 8, DIGIT_BITS};

// The first key and the first tile of each part, and the end of all. In shared memory.
struct Parts {
    Place keys[PARTS + 1], tiles[PARTS + 1];
    // Parts without keys have no tiles.
    DEVICE int of_tile(int64 tile) const { return int(upper_bound(tiles, 0, PARTS, Place(tile))) - 1; }
    DEVICE Tile tile(int64 tile, int part, Place* notes) const {
        int64 number = tile - int64(tiles[part]), first = int64(keys[part]) + number * TILE, left = int64(keys[part + 1]) - first;
        return {first, left < TILE ? int(left) : TILE, number, notes + tile * MOST_DIGITS};
    }
};

// Called by all threads of a block.
DEVICE Parts& shared_parts(const Place* sizes, int64* shared) {
    __shared__ Parts parts;
    int64 keys = 0, tiles = 0, all_keys, all_tiles;
    auto tiles_of = [&](int part) { return (int64(sizes[part]) + TILE - 1) / TILE; };
    for_own_digits({0, DIGIT_BITS}, [&](int part) {
        keys += sizes[part];
        tiles += tiles_of(part);
    });
    int64 first = block_offset(keys, all_keys, shared), first_tile = block_offset(tiles, all_tiles, shared);
    for_own_digits({0, DIGIT_BITS}, [&](int part) {
        parts.keys[part] = Place(first);
        parts.tiles[part] = Place(first_tile);
        first += sizes[part];
        first_tile += tiles_of(part);
    });
    if (threadIdx.x == 0) {
        parts.keys[PARTS] = Place(all_keys);
        parts.tiles[PARTS] = Place(all_tiles);
    }
    __syncthreads();
    return parts;
}

// Where a pass puts keys: to one array, or as two numbers.
DEVICE void enter_part(Items&, int) {}
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

// One pass. `firsts`: where the keys of a part with a digit of a pass go.
template <class To>
DEVICE void move_parts(const Items& from, To to, const Place* sizes, const Place* firsts, int pass, const Work& work) {
    Placing& placing = shared_placing();
    Sorted sorted = shared_sorted();
    if (threadIdx.x == 0) placing.tile = int64(atomicAdd(work.next(pass), Place(1)));
    Parts& parts = shared_parts(sizes, placing.shared);
    while (placing.tile < int64(parts.tiles[PARTS])) {
        int part = parts.of_tile(placing.tile);
        const Place* lower = firsts + (part * LOW_PASSES + pass) * MOST_DIGITS;
        enter_part(to, part);
        Tile tile = parts.tile(placing.tile, part, work.notes(pass));
        move_tile(from, to, tile, LOW.digit(pass), placing, sorted, [&](int d) { return lower[d]; }, work.next(pass));
        __syncthreads();
    }
}

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

extern "C" __global__ void __launch_bounds__(SORTERS, BLOCKS_AT_ONCE) take_parts_apart_kernel(
    Key* from_keys, Payload* from_payload, Upper* upper, Lower* lower, Payload* to_payload, int64 lower_bits, const Place* sizes,
    const Place* firsts, Place* workspace, int64 tiles
) {
    Apart to = {upper, lower, to_payload, int(lower_bits), 0};
    move_parts({from_keys, from_payload}, to, sizes, firsts, LOW_PASSES - 1, {workspace, tiles});
}
