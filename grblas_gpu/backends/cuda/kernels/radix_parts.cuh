// A sort of keys that are in parts already: the part is the highest digit, so this digit need not be sorted. Every part is sorted
// separately, as in radix_sort.cuh: tiles have keys of one part, and look back at tiles of the same part.

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
