// For every row, the heaviest of the groups of columns (groups.cuh): a table is in shared memory of a warp or a block, or in global memory
// for very long rows.
// Generated: what groups.cuh needs, and ROWS_GIVEN (whether there are flags of the requested rows).

#include "groups.cuh"

constexpr int WARP_ENTRIES = 128;  // entries in the table of a warp
constexpr int WARPS = 8;           // of a block, at most
enum Counter { WARP_ROWS, BLOCK_ROWS, LONG_ROWS, NEXT_FOR_WARP, NEXT_FOR_BLOCK, NEXT_LONG, FOUND, WRONG };

#define GIVEN                                                                                                        \
    const Offset *indptr, const Column *indices, const Stored *values, const Group *groups, const Handicap *handicap, \
        const Factor *factors, const Diagonal *diagonal, int64 nrows, int64 ncols, const bool *wanted_rows, bool *present, \
        int64 *best, int64 *list, int64 *long_list, int64 *counters, unsigned slots
#define UNPACKED Graph graph = {indptr, indices, values, groups, handicap, factors, diagonal, nrows, ncols};

// Short rows at once; others are listed: those for warps from the front, for blocks from the back, and very long ones,
// which have more than half as many entries as a block has slots.
extern "C" __global__ void __launch_bounds__(256) short_rows_kernel(GIVEN) {
    UNPACKED
    int64 found = 0, wrong = 0;
    for (int64 base = warp_in_grid() * 32; base < nrows; base += warps_in_grid() * 32) {
        int64 i = base + lane(), start = 0, length = 0;
        bool has = false;
        if (i < nrows) {
            bool wanted = true;
            if constexpr (ROWS_GIVEN) wanted = wanted_rows[i];
            start = indptr[i];
            length = wanted ? int64(indptr[i + 1]) - start : 0;
            has = wanted && (length > 0 || DIAGONAL_GIVEN);
            present[i] = has;
            found += has;
        }
        if (has && length <= ALONE) {
            Best own = {0.0, -1};
            wrong += !alone(graph, i, start, int(length), own);
            best[i] = own.group;
        }
        bool by_warp = length > ALONE && length <= WARP_ENTRIES;
        bool by_block = length > WARP_ENTRIES && 2 * length <= int64(slots), is_long = length > WARP_ENTRIES && !by_block;
        int64 place = place_in_list(counters + WARP_ROWS, by_warp);
        if (by_warp) list[place] = i;
        place = place_in_list(counters + BLOCK_ROWS, by_block);
        if (by_block) list[nrows - 1 - place] = i;
        place = place_in_list(counters + LONG_ROWS, is_long);
        if (is_long) long_list[place] = i;
    }
    add_to_counter(counters + FOUND, found);
    add_to_counter(counters + WRONG, wrong);
}

template <class Threads>
DEVICE void choose(const Graph& graph, int64 i, const Table& table, unsigned most, int64* best, int64* counters) {
    Best own = elect<Threads>(graph, i, table, most, [&] { counters[WRONG] = 1; });
    if (Threads::rank() == 0) best[i] = own.group;
}

extern "C" __global__ void __launch_bounds__(256) by_warp_kernel(GIVEN) {
    __shared__ Sum sums[WARPS][2 * WARP_ENTRIES];
    __shared__ unsigned keys[WARPS][2 * WARP_ENTRIES];
    UNPACKED
    int warp = threadIdx.x >> 5;
    for (int64 first = WarpGroup::ticket(counters + NEXT_FOR_WARP, 4); first < counters[WARP_ROWS];
         first = WarpGroup::ticket(counters + NEXT_FOR_WARP, 4))
        for (int64 n = first; n < first + 4 && n < counters[WARP_ROWS]; ++n)
            choose<WarpGroup>(graph, list[n], {keys[warp], sums[warp]}, 2 * WARP_ENTRIES, best, counters);
}

extern "C" __global__ void __launch_bounds__(512) by_block_kernel(GIVEN) {
    UNPACKED
    Table table = Table::at(dynamic_shared(), slots);
    for (int64 n = BlockGroup::ticket(counters + NEXT_FOR_BLOCK, 1); n < counters[BLOCK_ROWS];
         n = BlockGroup::ticket(counters + NEXT_FOR_BLOCK, 1))
        choose<BlockGroup>(graph, list[nrows - 1 - n], table, slots, best, counters);
}

// `slots` of `sums` and `keys` for each block, which has twice as many as the longest row has entries.
extern "C" __global__ void __launch_bounds__(512) long_rows_kernel(GIVEN, Sum* sums, unsigned* keys) {
    UNPACKED
    Table table = {keys + int64(blockIdx.x) * slots, sums + int64(blockIdx.x) * slots};
    for (int64 n = BlockGroup::ticket(counters + NEXT_LONG, 1); n < counters[LONG_ROWS];
         n = BlockGroup::ticket(counters + NEXT_LONG, 1))
        choose<BlockGroup>(graph, long_list[n], table, slots, best, counters);
}
