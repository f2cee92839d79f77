// Columns that may have an entry of a sparse operand, as bits: one bit stands for as many columns as needed to fit all bits into the shared
// memory of every block, where a warp looks up 32 in a few cycles. A lookup in a cache reads a line each, and most frontiers of a search
// are short: nearly all bits are unset.

#include "dynamic_shared.cuh"
#include "loop_operands.cuh"

DEVICE constexpr bool has_filter(int strategy) { return strategy == BY_ENTRIES && !BALANCED && !FULL; }

// A bit stands for 2^shift columns.
DEVICE int filter_shift(int64 columns) {
    int64 bits = int64(dynamic_bytes() / 4) * 32;
    int shift = 0;
    while (bits << shift < columns) ++shift;
    return shift;
}
DEVICE int64 filter_words(int64 columns, int shift) { return (columns + (int64(32) << shift) - 1) >> (5 + shift); }

// Every block makes the bits of so few columns: reading all flags takes less time than a grid barrier.
constexpr int64 OWN_COLUMNS = 32768;
DEVICE bool has_own_filter(int64 columns) { return columns <= OWN_COLUMNS && columns <= 8 * int64(dynamic_bytes()); }
DEVICE unsigned own_word(const bool* present, int64 word, int64 columns) {
    unsigned bits = 0;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
        int64 k = 32 * word + 4 * n;
        unsigned flags = k < columns ? ::four_flags(present, k, columns) & 0x01010101u : 0;
        bits |= (flags * 0x01020408u >> 24) << 4 * n;  // four bytes become four bits
    }
    return bits;
}

// Makes the bits once for all blocks, if there is memory for them. All threads of the grid call it, before a barrier.
DEVICE void write_filter(const Operands& given) {
    if (dynamic_bytes() == 0) return;
    int64 columns = given.size;
    int shift = filter_shift(columns);
    const bool* present = given.looked_up.present;
    for (int64 word = thread_in_grid(); word < filter_words(columns, shift); word += threads_in_grid()) {
        unsigned bits = 0;
        int64 first = word << (5 + shift), stop = first + (int64(32) << shift);
        for (int64 k = first; k < stop && k < columns; k += 4)
            for (unsigned flags = ::four_flags(present, k, columns) & 0x01010101u; flags; flags &= flags - 1)
                bits |= 1u << (k - first + (__ffs(flags) - 1) / 8 >> shift);
        given.filter[word] = bits;
    }
}

struct ColumnFilter {
    const unsigned* words;
    int shift;  // negative: there is no memory for bits, and every column may have an entry
    // Called by all threads of a block.
    DEVICE ColumnFilter(const Operands& given) : words((const unsigned*)dynamic_shared()), shift(-1) {
        if (!has_filter(BY_ENTRIES) || dynamic_bytes() == 0) return;
        shift = filter_shift(given.size);
        bool own = has_own_filter(given.size);
        for (int64 at = thread(); at < filter_words(given.size, shift); at += blockDim.x)
            ((unsigned*)dynamic_shared())[at] = own ? own_word(given.looked_up.present, at, given.size) : given.filter[at];
        __syncthreads();
    }
    DEVICE bool is_exact() const { return FULL || shift == 0; }  // exact: a set bit means an entry
    DEVICE bool may_have(Column k) const {
        if (shift < 0) return true;
        unsigned bit = sizeof(Column) == 4 ? unsigned(k) >> shift : unsigned(uint64(k) >> shift);
        return words[bit >> 5] >> (bit & 31) & 1;
    }
};
