// The group of columns with the largest sum of values in a row, less a handicap: the lowest of those. A thread compares all pairs of entries
// of a short row; otherwise a hash table holds the sums of the groups of a row, in memory of a warp or a block.
// Generated: Offset, Column, Stored, Group, Handicap, Factor and Diagonal, COUNTS (all values are one: they are counted), HANDICAP, FACTORS and
// DIAGONAL_GIVEN (whether there are any), ONE_GROUP, ONE_HANDICAP, ONE_FACTOR and ONE_DIAGONAL (one value stands for all).

#include "thread_groups.cuh"

constexpr int ALONE = 8;           // entries that a thread compares
constexpr unsigned EMPTY = ~0u, MOST_PROBES = 64;
using Sum = either<COUNTS, unsigned, double>;

struct Graph {
    const Offset* indptr;
    const Column* indices;
    const Stored* values;
    const Group* groups;
    const Handicap* handicap;
    const Factor* factors;
    const Diagonal* diagonal;
    int64 nrows, ncols;

    // The group of a column, or at least ncols if it has none.
    DEVICE uint64 group_of(int64 column) const { return uint64(int64(groups[ONE_GROUP ? 0 : column])); }
    DEVICE uint64 group(int64 p) const { return group_of(indices[p]); }
    DEVICE double value(int64 p) const { return double(values[COUNTS ? 0 : p]); }
    // Whether another value stands for this entry of row i.
    DEVICE bool replaced(int64 i, int64 p) const { return DIAGONAL_GIVEN && int64(indices[p]) == i; }
    DEVICE double on_diagonal(int64 i) const { return double(diagonal[ONE_DIAGONAL ? 0 : i]); }
    DEVICE double worth(int64 i, double sum, unsigned group) const {
        if constexpr (!HANDICAP) return sum;
        double cost = double(handicap[ONE_HANDICAP ? 0 : group]);
        if constexpr (FACTORS) cost *= double(factors[ONE_FACTOR ? 0 : i]);
        return sum - cost;
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

// False where an entry has no group.
DEVICE bool alone(const Graph& graph, int64 i, int64 start, int length, Best& best) {
    constexpr int MOST = ALONE + DIAGONAL_GIVEN;
    uint64 groups[MOST];
    double values[MOST];
    bool right = true;
    UNROLLED for (int k = 0; k < ALONE; ++k) {
        groups[k] = k < length ? graph.group(start + k) : ~uint64(0);
        values[k] = k < length && !graph.replaced(i, start + k) ? graph.value(start + k) : 0.0;
        right &= k >= length || groups[k] < uint64(graph.ncols);
    }
    if constexpr (DIAGONAL_GIVEN) {
        groups[ALONE] = graph.group_of(i);
        values[ALONE] = graph.on_diagonal(i);
        right &= groups[ALONE] < uint64(graph.ncols);
    }
    if (!right) return false;
    UNROLLED for (int k = 0; k < MOST; ++k) {
        if (k >= length && k < ALONE) continue;
        double sum = 0.0;
        UNROLLED for (int other = 0; other < MOST; ++other) sum += groups[other] == groups[k] ? values[other] : 0.0;
        best.see(graph.worth(i, sum, unsigned(groups[k])), int64(groups[k]));
    }
    return true;
}

struct Table {
    unsigned* keys;
    Sum* sums;
    // A power of two.
    DEVICE static int64 slots_in(int64 bytes) {
        int64 slots = 1;
        while (2 * slots * int64(sizeof(unsigned) + sizeof(Sum)) <= bytes) slots <<= 1;
        return slots;
    }
    // In memory for so many slots.
    DEVICE static Table at(void* memory, int64 slots) { return {(unsigned*)((Sum*)memory + slots), (Sum*)memory}; }
};

// Groups are distributed over a number of shares, which is a power of two.
DEVICE uint64 share_of(uint64 group, uint64 shares) { return (group * 0x9e3779b97f4a7c15ull >> 32) & (shares - 1); }

// The best group of a row, in thread 0; of several `parts`, that of the groups in one. If the table overflows, it takes a share of the groups
// at a time: long rows have few groups, mostly. Or nothing is found, if the caller asks whether it `overflows`.
template <class Threads, class OnWrong>
DEVICE Best elect(
    const Graph& graph, int64 i, const Table& table, unsigned most, OnWrong on_wrong, bool* overflowed = nullptr, uint64 part = 0,
    uint64 parts = 1
) {
    int64 start = graph.indptr[i], stop = graph.indptr[i + 1];
    uint64 mine = DIAGONAL_GIVEN ? graph.group_of(i) : ~uint64(0);  // the group of the diagonal's value, which is in no table
    bool counted = false;
    unsigned slots = most < 32 ? most : 32;
    while (slots < most && int64(slots) < 2 * (stop - start)) slots <<= 1;
    uint64 shares = parts;
    Best own = {0.0, -1};
    for (uint64 share = part; share < shares; share += parts) {
        for (unsigned slot = Threads::rank(); slot < slots; slot += Threads::size()) {
            table.keys[slot] = EMPTY;
            table.sums[slot] = Sum(0);
        }
        Threads::sync();
        bool overflows = false;
        for (int64 p = start + Threads::rank(); p < stop && !overflows; p += Threads::size()) {
            if (graph.group(p) >= uint64(graph.ncols)) {
                on_wrong();
                continue;
            }
            if (graph.replaced(i, p)) continue;
            unsigned group = unsigned(graph.group(p)), slot = (group * 0x9e3779b9u >> 8) & (slots - 1), probed = 0;
            if (shares > 1 && share_of(group, shares) != share) continue;
            unsigned longest = slots < MOST_PROBES ? slots : MOST_PROBES;
            for (; probed < longest; ++probed) {
                unsigned key = ((volatile unsigned*)table.keys)[slot];
                if (key == EMPTY) key = atomicCAS(table.keys + slot, EMPTY, group);
                if (key == EMPTY || key == group) break;
                slot = (slot + 1) & (slots - 1);
            }
            if (probed < longest) atomicAdd(table.sums + slot, COUNTS ? Sum(1) : Sum(graph.value(p)));
            else overflows = true;
        }
        if (Threads::any(overflows)) {
            if (overflowed) {
                *overflowed = true;
                return own;
            }
            shares *= 2;
            share = part - parts;  // from the beginning: the best of all is the same
            continue;
        }
        for (unsigned slot = Threads::rank(); slot < slots; slot += Threads::size()) {
            unsigned group = table.keys[slot];
            if (group == EMPTY) continue;
            double sum = double(table.sums[slot]) * (COUNTS ? graph.value(start) : 1.0);
            if (group == mine) {
                sum += graph.on_diagonal(i);
                counted = true;
            }
            own.see(graph.worth(i, sum, group), group);
        }
        Threads::sync();  // the table is free again
    }
    if (DIAGONAL_GIVEN && share_of(mine, parts) == part && !Threads::any(counted) && Threads::rank() == 0) {
        if (mine < uint64(graph.ncols)) own.see(graph.worth(i, graph.on_diagonal(i), unsigned(mine)), int64(mine));
        else on_wrong();
    }
    gather(own, Threads());
    return own;
}
