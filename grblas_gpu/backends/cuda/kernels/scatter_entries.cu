// Entries in any order to their rows: how many each row has, and then every entry to a place in its row, in no particular
// order (sort_rows.cu brings rows into order). Generated: Line and Other (types of the coordinates that entries are
// gathered by, and of the other one), Bits (an unsigned type as wide as values), VALUED.

#include "packed_entries.cuh"

constexpr int AT_ONCE = 4;  // entries of a thread that are in flight together
constexpr int MANY_ALIKE = 4;

// counts[line] = its entries, which is 0 before; ranks[entry] = how many of them were counted before. Counts also entries
// that are not above the one before, where the other coordinates are given.
extern "C" __global__ void count_entries_kernel(
    const Line* lines, const Other* others, int64 entries, unsigned* counts, unsigned* ranks, int64* descents
) {
    int64 found = 0;
    int64 step = threads_in_grid(), base = thread_in_grid() - lane();
    for (; base < entries; base += AT_ONCE * step) {
        int64 line[AT_ONCE];
        bool inside[AT_ONCE];
#pragma unroll
        for (int n = 0; n < AT_ONCE; ++n) {
            int64 entry = base + n * step + lane();
            inside[n] = entry < entries;
            line[n] = inside[n] ? int64(lines[entry]) : -1;
            if (others != nullptr && inside[n] && entry > 0) {
                int64 before = lines[entry - 1];
                found += before > line[n] || (before == line[n] && others[entry - 1] >= others[entry]);
            }
        }
        unsigned rank[AT_ONCE];
#pragma unroll
        for (int n = 0; n < AT_ONCE; ++n) {
            // Neighbours are often in the same line, and one counter takes one at a time.
            int64 first_line = from_lane(line[n], 0);
            unsigned alike = __ballot_sync(FULL_WARP, inside[n] && line[n] == first_line);
            bool together = __popc(alike) >= MANY_ALIKE, own = alike >> lane() & 1;
            rank[n] = 0;
            if (together ? lane() == 0 : inside[n]) rank[n] = atomicAdd(counts + line[n], together ? unsigned(__popc(alike)) : 1u);
            if (together) {
                unsigned first = from_lane(rank[n], 0) + __popc(alike & ((1u << lane()) - 1));
                if (own) rank[n] = first;
                else if (inside[n]) rank[n] = atomicAdd(counts + line[n], 1u);
            }
        }
#pragma unroll
        for (int n = 0; n < AT_ONCE; ++n)
            if (inside[n]) ranks[base + n * step + lane()] = rank[n];
    }
    if (others != nullptr) add_to_counter(descents, found);
}

extern "C" __global__ void scatter_entries_kernel(
    const Line* lines, const Other* others, const Bits* values, int64 entries, const int* starts, const unsigned* ranks,
    Packed* packed
) {
#pragma unroll 4
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid())
        packed[unsigned(starts[lines[entry]]) + ranks[entry]] = pack(unsigned(others[entry]), VALUED ? values[entry] : Bits(0));
}
