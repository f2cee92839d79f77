// Sums and lists over a range in two passes. The range is cut into a fixed number of tiles, independent of the grid: the first pass sums
// every tile, in the second each tile sums the earlier tiles.

#include "grid.cuh"

constexpr int64 TILES = 1024;

struct Tile {
    int64 lo, hi;
};
DEVICE Tile tile_range(int64 tile, int64 size) {
    int64 span = (size + TILES - 1) / TILES;
    int64 lo = tile * span, hi = lo + span;
    return {lo < size ? lo : size, hi < size ? hi : size};
}

// First pass: sums[tile] = the sum of number(i) over the tile.
template <class Number> DEVICE void sum_tiles(int64 size, int64* sums, Number number) {
    __shared__ int64 shared[32];
    for (int64 tile = blockIdx.x; tile < TILES; tile += BLOCK_COUNT) {
        Tile range = tile_range(tile, size);
        int64 sum = 0, total;
        for (int64 i = range.lo + threadIdx.x; i < range.hi; i += blockDim.x) sum += number(i);
        block_offset(sum, total, shared);
        if (threadIdx.x == 0) sums[tile] = total;
    }
}

// Second pass: use(i, offset) for every i, where offset is the sum of number(j) over j < i. Returns nothing, but block 0
// stores the sum of everything at `grand_total`, where one is given.
template <class Number, class Use>
DEVICE void with_offsets(int64 size, const int64* sums, int64* grand_total, Number number, Use use) {
    __shared__ int64 shared[32];
    for (int64 tile = blockIdx.x; tile < TILES; tile += BLOCK_COUNT) {
        Tile range = tile_range(tile, size);
        bool whole = tile == 0 && grand_total != nullptr;
        if (range.lo >= range.hi && !whole) continue;
        int64 before = 0, everything = 0, offset, ignored;
        for (int64 other = threadIdx.x; other < TILES; other += blockDim.x) {
            everything += sums[other];
            if (other < tile) before += sums[other];
        }
        block_offset(before, offset, shared);
        if (whole) {
            block_offset(everything, ignored, shared);
            if (threadIdx.x == 0) *grand_total = ignored;
        }
        for (int64 base = range.lo; base < range.hi; base += blockDim.x) {
            int64 i = base + threadIdx.x, total;
            int64 mine = i < range.hi ? number(i) : 0;
            int64 place = offset + block_offset(mine, total, shared);
            if (i < range.hi) use(i, place, mine);
            offset += total;
        }
    }
}
