// For every row, the lowest of the groups of columns with the largest sum of values, less a handicap. A thread takes a short row and
// compares all pairs of entries; otherwise a hash table holds the sums of the groups of a row, in shared memory of a warp or a block, or in
// global memory for very long rows.
// Generated: Offset, Column, Stored, COUNTS (all values are one: they are counted), HANDICAP and ROWS_GIVEN (whether there is
// a handicap, and whether there are flags of the requested rows).

#include "thread_groups.cuh"

constexpr int ALONE = 8;           // entries that a thread compares
constexpr int WARP_ENTRIES = 128;  // entries in the table of a warp
constexpr int WARPS = 8;           // of a block, at most
constexpr unsigned EMPTY = ~0u;
using Sum = either<COUNTS, unsigned, double>;
enum Counter { WARP_ROWS, BLOCK_ROWS, LONG_ROWS, NEXT_FOR_WARP, NEXT_FOR_BLOCK, NEXT_LONG, FOUND, WRONG };

struct Graph {
    const Offset* indptr;
    const Column* indices;
    const Stored* values;
    const int64* groups;
    const double* handicap;
    int64 nrows, ncols;

    // The group of an entry, or at least ncols if it has none.
    DEVICE uint64 group(int64 p) const { return uint64(groups[indices[p]]); }
    DEVICE double value(int64 p) const { return double(values[COUNTS ? 0 : p]); }
    DEVICE double worth(double sum, unsigned group) const {
        if constexpr (HANDICAP) return sum - handicap[group];
        else return sum;
    }
};

struct Best {
    double worth;
    int64 group;  // -1: none
    DEVICE void see(double other_worth, int64 other) {
        bool better = other_worth > worth || (other_worth == worth && other < group);
        if (other < 0 || (group >= 0 && !better)) return;
        worth = other_worth;
        group = other;
    }
    // The best of a warp, in lane 0.
    DEVICE void gather() {
        for (int distance = 16; distance > 0; distance >>= 1) {
            double other_worth = from_higher(worth, distance);
            int64 other = from_higher(group, distance);
            if (lane() + distance < 32) see(other_worth, other);
        }
    }
};

// The best of a warp or block, in its thread 0; all of them call it.
DEVICE void gather(Best& best, WarpGroup) { best.gather(); }
DEVICE void gather(Best& best, BlockGroup) {
    __shared__ Best shared[32];
    best.gather();
    __syncthreads();  // threads may still read the previous ones
    if (lane() == 0) shared[threadIdx.x >> 5] = best;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    best = threadIdx.x < blockDim.x >> 5 ? shared[threadIdx.x] : Best{0.0, -1};
    best.gather();
}

DEVICE bool alone(const Graph& graph, int64 start, int length, Best& best) {
    uint64 groups[ALONE];
    double values[ALONE];
    bool right = true;
    UNROLLED for (int k = 0; k < ALONE; ++k) {
        groups[k] = k < length ? graph.group(start + k) : ~uint64(0);
        values[k] = k < length ? graph.value(start + k) : 0.0;
        right &= k >= length || groups[k] < uint64(graph.ncols);
    }
    if (!right) return false;
    UNROLLED for (int k = 0; k < ALONE; ++k) {
        if (k >= length) continue;
        double sum = 0.0;
        UNROLLED for (int other = 0; other < ALONE; ++other) sum += groups[other] == groups[k] ? values[other] : 0.0;
        best.see(graph.worth(sum, unsigned(groups[k])), int64(groups[k]));
    }
    return true;
}

#define GIVEN                                                                                                        \
    const Offset *indptr, const Column *indices, const Stored *values, const int64 *groups, const double *handicap, \
        int64 nrows, int64 ncols, const bool *wanted_rows, bool *present, int64 *best, int64 *list, int64 *long_list, \
        int64 *counters, unsigned slots
#define UNPACKED Graph graph = {indptr, indices, values, groups, handicap, nrows, ncols};

// Short rows at once; others are listed: those for warps from the front, for blocks from the back, and very long ones,
// which have more than half as many entries as a block has slots.
extern "C" __global__ void __launch_bounds__(256) short_rows_kernel(GIVEN) {
    UNPACKED
    int64 found = 0, wrong = 0;
    for (int64 base = warp_in_grid() * 32; base < nrows; base += warps_in_grid() * 32) {
        int64 i = base + lane(), start = 0, length = 0;
        if (i < nrows) {
            bool wanted = true;
            if constexpr (ROWS_GIVEN) wanted = wanted_rows[i];
            start = indptr[i];
            length = wanted ? int64(indptr[i + 1]) - start : 0;
            present[i] = length > 0;
            found += length > 0;
        }
        if (length > 0 && length <= ALONE) {
            Best own = {0.0, -1};
            wrong += !alone(graph, start, int(length), own);
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

struct Table {
    unsigned* keys;
    Sum* sums;
};

template <class Threads>
DEVICE void elect(const Graph& graph, int64 i, const Table& table, unsigned most, int64* best, int64* counters) {
    int64 start = graph.indptr[i], stop = graph.indptr[i + 1];
    unsigned slots = 32;
    while (slots < most && int64(slots) < 2 * (stop - start)) slots <<= 1;
    for (unsigned slot = Threads::rank(); slot < slots; slot += Threads::size()) {
        table.keys[slot] = EMPTY;
        table.sums[slot] = Sum(0);
    }
    Threads::sync();
    for (int64 p = start + Threads::rank(); p < stop; p += Threads::size()) {
        if (graph.group(p) >= uint64(graph.ncols)) {
            counters[WRONG] = 1;
            continue;
        }
        unsigned group = unsigned(graph.group(p)), slot = (group * 0x9e3779b9u >> 8) & (slots - 1);
        while (true) {
            unsigned key = ((volatile unsigned*)table.keys)[slot];
            if (key == EMPTY) key = atomicCAS(table.keys + slot, EMPTY, group);
            if (key == EMPTY || key == group) break;
            slot = (slot + 1) & (slots - 1);
        }
        atomicAdd(table.sums + slot, COUNTS ? Sum(1) : Sum(graph.value(p)));
    }
    Threads::sync();
    Best own = {0.0, -1};
    for (unsigned slot = Threads::rank(); slot < slots; slot += Threads::size()) {
        unsigned group = table.keys[slot];
        if (group == EMPTY) continue;
        double sum = double(table.sums[slot]) * (COUNTS ? graph.value(start) : 1.0);
        own.see(graph.worth(sum, group), group);
    }
    gather(own, Threads());
    if (Threads::rank() == 0) best[i] = own.group;
    Threads::sync();  // the table is free again
}

extern "C" __global__ void __launch_bounds__(256) by_warp_kernel(GIVEN) {
    __shared__ Sum sums[WARPS][2 * WARP_ENTRIES];
    __shared__ unsigned keys[WARPS][2 * WARP_ENTRIES];
    UNPACKED
    int warp = threadIdx.x >> 5;
    for (int64 first = WarpGroup::ticket(counters + NEXT_FOR_WARP, 4); first < counters[WARP_ROWS];
         first = WarpGroup::ticket(counters + NEXT_FOR_WARP, 4))
        for (int64 n = first; n < first + 4 && n < counters[WARP_ROWS]; ++n)
            elect<WarpGroup>(graph, list[n], {keys[warp], sums[warp]}, 2 * WARP_ENTRIES, best, counters);
}

extern "C" __global__ void __launch_bounds__(512) by_block_kernel(GIVEN) {
    UNPACKED
    Table table = {(unsigned*)((Sum*)dynamic_shared() + slots), (Sum*)dynamic_shared()};
    for (int64 n = BlockGroup::ticket(counters + NEXT_FOR_BLOCK, 1); n < counters[BLOCK_ROWS];
         n = BlockGroup::ticket(counters + NEXT_FOR_BLOCK, 1))
        elect<BlockGroup>(graph, list[nrows - 1 - n], table, slots, best, counters);
}

// `slots` of `sums` and `keys` for each block, which has twice as many as the longest row has entries.
extern "C" __global__ void __launch_bounds__(512) long_rows_kernel(GIVEN, Sum* sums, unsigned* keys) {
    UNPACKED
    Table table = {keys + int64(blockIdx.x) * slots, sums + int64(blockIdx.x) * slots};
    for (int64 n = BlockGroup::ticket(counters + NEXT_LONG, 1); n < counters[LONG_ROWS];
         n = BlockGroup::ticket(counters + NEXT_LONG, 1))
        elect<BlockGroup>(graph, long_list[n], table, slots, best, counters);
}
