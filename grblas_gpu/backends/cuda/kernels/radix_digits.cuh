// The digits of keys that a sort uses (radix_sort.cuh), and their histograms. Generated: Key, Place.

#include "grid.cuh"

constexpr int MOST_DIGITS = 256, DIGIT_BITS = 8, MOST_PASSES = 8;

struct Digit {
    int shift, bits;
    DEVICE int number() const { return 1 << bits; }
    DEVICE unsigned of(Key key) const { return unsigned(key >> shift) & ((1u << bits) - 1); }
};
// The digits of one pass after another.
struct Passes {
    int bits, width;
    DEVICE int number() const { return (bits + width - 1) / width; }
    DEVICE Digit digit(int pass) const {
        int shift = pass * width;
        return {shift, bits - shift < width ? bits - shift : width};
    }
};

// The counters of the passes, all 0 before. `tiles`: at least the number of tiles.
struct Work {
    Place* workspace;
    int64 tiles;
    DEVICE Place* next(int pass) const { return workspace + pass; }  // the number of the next tile
    DEVICE Place* totals(int pass) const { return workspace + MOST_PASSES + pass * MOST_DIGITS; }
    DEVICE Place* notes(int pass) const { return totals(MOST_PASSES) + pass * tiles * MOST_DIGITS; }
    DEVICE int64 size(int passes) const { return notes(passes) - workspace; }
};

// In shared memory.
struct DigitCounts {
    unsigned of[MOST_PASSES][MOST_DIGITS];
};

// Called by all threads of a block, before they count.
DEVICE void clear_counts(DigitCounts& own) {
    for (int d = threadIdx.x; d < MOST_PASSES * MOST_DIGITS; d += blockDim.x) own.of[0][d] = 0;
    __syncthreads();
}

// The digits of some keys of each lane, every 32nd, of which there are `left` from its first one on. Shared-memory atomics combine lanes
// with the same digit: testing first whether all lanes have the same digit took half as long again, and gained nothing if they have.
template <int NUMBER> DEVICE void count_keys(const Key* keys, int left, Passes passes, DigitCounts& own) {
    for (int pass = 0; pass < passes.number(); ++pass) {
        Digit digit = passes.digit(pass);
        unsigned* counts = own.of[pass];
        UNROLLED for (int n = 0; n < NUMBER; ++n) {
            if (32 * n < left) atomicAdd(&counts[digit.of(keys[n])], 1u);
        }
    }
}

// work.totals(pass)[digit] = the number of keys with this digit, over all blocks. Called by all threads of a block.
DEVICE void add_counts(Passes passes, const Work& work, const DigitCounts& own) {
    __syncthreads();
    for (int d = threadIdx.x; d < passes.number() * MOST_DIGITS; d += blockDim.x)
        if (own.of[0][d]) atomicAdd(work.totals(0) + d, Place(own.of[0][d]));
}

constexpr int COUNTED_AT_ONCE = 4;  // keys of a thread that are in flight together

// Counts the digits of all keys. All lanes of a warp call load(first, keys) together for COUNTED_AT_ONCE keys each, every 32nd from
// `first` on: these are consecutive. use(p, key) is called for every key.
template <class Load, class Use>
DEVICE void count_digits(Load load, Use use, int64 count, Passes passes, const Work& work, DigitCounts& own) {
    clear_counts(own);
    constexpr int OF_A_WARP = 32 * COUNTED_AT_ONCE;
    for (int64 base = warp_in_grid() * OF_A_WARP; base < count; base += warps_in_grid() * OF_A_WARP) {
        int left = (count - base < OF_A_WARP ? int(count - base) : OF_A_WARP) - lane();
        Key keys[COUNTED_AT_ONCE];
        load(base + lane(), keys);
        UNROLLED for (int n = 0; n < COUNTED_AT_ONCE; ++n)
            if (32 * n < left) use(base + lane() + 32 * n, keys[n]);
        count_keys<COUNTED_AT_ONCE>(keys, left, passes, own);
    }
    add_counts(passes, work, own);
}

// Where each line (a row, or a column) begins among sorted entries.

constexpr int64 LINES_OF_A_WARP = 128;  // neighbouring lines amortize the search: a lane's target is then close by

// offsets[line] = the number of entries in earlier lines, for `lines` lines and their end; line_of(entry) ascends.
template <class LineOf, class Offset>
DEVICE void list_lines(int64 entries, int64 lines, LineOf line_of, Offset* offsets) {
    for (int64 base = warp_in_grid() * LINES_OF_A_WARP; base <= lines; base += warps_in_grid() * LINES_OF_A_WARP) {
        int64 last = base + LINES_OF_A_WARP - 1 < lines ? base + LINES_OF_A_WARP - 1 : lines;
        int64 lo = warp_first_above(0, entries, [&](int64 entry) { return line_of(entry) < base; });
        int64 hi = warp_first_above(lo, entries, [&](int64 entry) { return line_of(entry) < last; });
        for (int64 line = base + lane(); line <= last; line += 32)
            offsets[line] = Offset(first_above(lo, hi, [&](int64 entry) { return line_of(entry) < line; }));
    }
}
