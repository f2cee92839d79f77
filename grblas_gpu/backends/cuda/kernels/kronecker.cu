// The entries of a Kronecker graph in some rows, as keys in any order. Every call makes all edges from their numbers, exactly as
// generators/kronecker_graphs.py and generators/randomness.py do, and keeps those in the rows.

#include "grid.cuh"

constexpr int EDGES = 4;  // that a thread makes at a time: its loads are in flight together, and few atomics are needed

// SplitMix64
constexpr uint64 STEP = 0x9E3779B97F4A7C15ull, FIRST = 0xBF58476D1CE4E5B9ull, SECOND = 0x94D049BB133111EBull;
DEVICE uint64 mixed(uint64 z) {
    z = (z ^ z >> 30) * FIRST;
    z = (z ^ z >> 27) * SECOND;
    return z ^ z >> 31;
}

struct Limits {
    uint32 b, c, d;  // where these quadrants begin
};
// One level down: c and d are the lower quadrants, b and d those at the right.
DEVICE void descend(const Limits& limits, uint32 random, uint32& source, uint32& target) {
    uint32 lower = random >= limits.c;
    uint32 right = uint32(random >= limits.b) ^ lower ^ uint32(random >= limits.d);
    source = 2 * source + lower;
    target = 2 * target + right;
}

// Writes keys up to `capacity`, and counts all.
extern "C" __global__ void kronecker_keys_kernel(
    int64 scale, int64 edges, const uint64* streams, int64 limit_b, int64 limit_c, int64 limit_d, const uint32* permutation,
    int64 low, int64 high, int64 bits, uint64* keys, int64 capacity, int64* count
) {
    Limits limits = {uint32(limit_b), uint32(limit_c), uint32(limit_d)};
    for (int64 base = warp_in_grid() * 32 * EDGES; base < edges; base += threads_in_grid() * EDGES) {
        int64 number = base + lane();  // and every 32nd after it
        uint32 source[EDGES] = {}, target[EDGES] = {};
        for (int64 level = 0; level < scale; level += 2) {  // one hash serves two levels
            uint64 stream = streams[level >> 1];
            bool both = level + 1 < scale;
            UNROLLED for (int e = 0; e < EDGES; ++e) {
                uint64 random = mixed(uint64(number + 32 * e) * STEP + stream);
                descend(limits, uint32(random), source[e], target[e]);
                if (both) descend(limits, uint32(random >> 32), source[e], target[e]);
            }
        }
        UNROLLED for (int e = 0; e < EDGES; ++e) {
            source[e] = permutation[source[e]];
            target[e] = permutation[target[e]];
        }
        bool rows[EDGES], columns[EDGES];  // whether the edge, or the same edge backwards, is an entry of these rows
        int mine = 0;
        UNROLLED for (int e = 0; e < EDGES; ++e) {
            bool exists = number + 32 * e < edges && source[e] != target[e];
            rows[e] = exists && low <= source[e] && source[e] < high;
            columns[e] = exists && low <= target[e] && target[e] < high;
            mine += rows[e] + columns[e];
        }
        int before = inclusive_sum(mine);
        int total = from_lane(before, 31);
        if (total == 0) continue;
        int64 place = 0;
        if (lane() == 0) place = int64(atomicAdd((uint64*)count, uint64(total)));
        place = from_lane(place, 0) + before - mine;
        UNROLLED for (int e = 0; e < EDGES; ++e) {
            if (rows[e]) {
                if (place < capacity) keys[place] = uint64(source[e]) << bits | target[e];
                ++place;
            }
            if (columns[e]) {
                if (place < capacity) keys[place] = uint64(target[e]) << bits | source[e];
                ++place;
            }
        }
    }
}
