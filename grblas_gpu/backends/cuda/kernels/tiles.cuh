// Sums and lists over a range in two passes. The range is cut into a fixed number of tiles, independent of the grid: the first pass sums
// every tile, in the second each tile sums the earlier tiles. Or it is cut by the kernel, and the last block adds up what it counted.

#include "grid.cuh"
#include "publish.cuh"

constexpr int64 TILES = 1024;

struct TileRange {
    int64 lo, hi;
};
DEVICE TileRange tile_range(int64 tile, int64 size) {
    int64 span = (size + TILES - 1) / TILES;
    int64 lo = tile * span, hi = lo + span;
    return {lo < size ? lo : size, hi < size ? hi : size};
}

// First pass: sums[tile] = the sum of number(i) over the tile.
template <class Number> DEVICE void sum_tiles(int64 size, int64* sums, Number number) {
    __shared__ int64 shared[32];
    for (int64 tile = blockIdx.x; tile < TILES; tile += BLOCK_COUNT) {
        TileRange range = tile_range(tile, size);
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
        TileRange range = tile_range(tile, size);
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

// The same where the numbers are the lengths of rows: offsets of the rows, and for the host the sum of everything.
template <class Offset, class Length>
DEVICE void list_offsets(int64 nrows, const int64* sums, Length length, Offset* offsets, volatile int64* host) {
    with_offsets(nrows, sums, nullptr, length, [&](int64 i, int64 offset, int64 own) {
        if (i == 0) offsets[0] = 0;
        offsets[i + 1] = Offset(offset + own);
        if (i == nrows - 1) host[SLOT_COUNT] = offset + own + 1;
    });
}

// The numbers of entries that chunks of the range keep, as the places where the chunks write.

// counts[k] = the sum of the counts before it. Called by one block.
DEVICE int64 add_up(int64* counts, int64 number) {
    constexpr int AT_A_TIME = 8;
    __shared__ int64 shared[32];
    volatile int64* given = counts;
    int64 before = 0, total;
    for (int64 base = 0; base < number; base += blockDim.x * AT_A_TIME) {
        int64 first = base + threadIdx.x * AT_A_TIME, sum = 0, own[AT_A_TIME];
        UNROLLED for (int k = 0; k < AT_A_TIME; ++k) own[k] = first + k < number ? given[first + k] : 0;
        UNROLLED for (int k = 0; k < AT_A_TIME; ++k) sum += own[k];
        int64 place = before + block_offset(sum, total, shared);
        UNROLLED for (int k = 0; k < AT_A_TIME; ++k) {
            if (first + k < number) counts[first + k] = place;
            place += own[k];
        }
        before += total;
    }
    return before;
}

// All threads of all blocks call it once, after their counts are written. `fact`, known by thread 0 of a block, is published, too.
DEVICE void publish_offsets(int64* counts, int64 number, unsigned* done, int64 fact, volatile int64* host) {
    if (!last_block(done)) return;
    int64 total = add_up(counts, number);
    if (threadIdx.x != 0) return;
    host[SLOT_EDGES] = fact + 1;
    host[SLOT_COUNT] = total + 1;
}
