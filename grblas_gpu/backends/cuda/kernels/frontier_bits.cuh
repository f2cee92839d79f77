// The frontier of a search as bits, for pulls with a thread for each row. A warp that finds the next frontier gets the results of 32 rows by
// one ballot and writes it next to their flags. At the next level blocks load all bits into shared memory, where a lookup of a flag would
// read a cache line; no extra pass makes the bits. In large graphs a bit stands for 32 positions: nearly all bits of a short frontier are
// unset, and flags decide where a bit is set.

#include "column_filter.cuh"
#include "loop_pull_hybrid.cuh"

// KEEPS_BITS (generated): a round consists of this product alone, and overwrites the vector.
constexpr bool BY_BITS = KEEPS_BITS && STRUCTURE && ENDS_EARLY && !FULL && !REPEATED && !REUSES_MASK && sizeof(Column) == 4;
#ifdef __CUDA_ARCH__
constexpr int BLOCK_BITS = 1 << 18;  // bits in a block: read at every level, with room left for a cache
#else
constexpr int BLOCK_BITS = 2048;  // an emulation, whose graphs are small
#endif
constexpr int FOLDED = 5;  // with many positions a bit stands for 2^FOLDED of them
constexpr int64 MOST_BIT_POSITIONS = int64(BLOCK_BITS) << FOLDED;

DEVICE bool has_bit_for_each(int64 positions) { return positions <= BLOCK_BITS; }
// The words of a buffer of the vector: a bit for each position, in pieces of 16 bytes; or four bits in a byte for 128 positions.
template <class S> DEVICE unsigned* bits_in(unsigned* bits, const S& slot, int64 buffer) { return bits + buffer * ((slot.size + 127) / 128 * 4); }

// Before the first level, all threads of the grid: bits of the flags.
template <class S> DEVICE void write_bits(const S& slot, unsigned* bits) {
    if constexpr (BY_BITS) {
        if (slot.size > MOST_BIT_POSITIONS) return;
        unsigned* words = bits_in(bits, slot, slot.now);
        for (int64 at = thread_in_grid(); 128 * at < slot.size; at += threads_in_grid()) {
            unsigned any = 0;
            for (int n = 0; n < 4; ++n) {
                unsigned word = own_word(slot.flags(), 4 * at + n, slot.size);
                if (has_bit_for_each(slot.size)) words[4 * at + n] = word;
                any |= unsigned(word != 0) << n;
            }
            if (!has_bit_for_each(slot.size)) ((uint8*)words)[at] = uint8(any);
        }
    }
}

DEVICE unsigned* block_words() {
    __shared__ Four<unsigned> fours[BLOCK_BITS / 128 + 1];
    return fours[0].of;
}
// The bits in a block: one is for 2^SHIFT positions.
template <int SHIFT> struct BlockBits {
    bool there;
    // Called by all threads of a block; does not synchronize.
    template <class S> DEVICE BlockBits(const S& slot, unsigned* bits) : there(false) {
        const unsigned* from = bits_in(bits, slot, slot.now);
        if constexpr (TELLS) {
            for (int at = 4 * thread(); at < (slot.size + 31) / 32; at += 4 * blockDim.x) copy_four(block_words() + at, from + at);
        } else {
            for (int at = thread(); at < (slot.size + 511) / 512; at += blockDim.x) {  // four bits of each byte become 16 in a row
                unsigned four = from[at] & 0x0f0f0f0fu;
                four = (four | four >> 4) & 0x00ff00ffu;
                ((uint16*)block_words())[at] = uint16(four | four >> 8);
            }
        }
        if (thread() == 0) block_words()[BLOCK_BITS / 32] = 0;
    }
    // All threads of a block, once: warps may call it at different places.
    DEVICE void wait() {
        if (there) return;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
        __syncthreads();
        there = true;
    }
    static constexpr bool TELLS = SHIFT == 0;  // a bit stands for one position
    static constexpr Column UNSET = BLOCK_BITS << SHIFT;  // a position whose bit is not set
    // The lowest bit matters.
    DEVICE unsigned at(Column k) const {
        unsigned bit = unsigned(k) >> SHIFT;
        return block_words()[bit >> 5] >> (bit & 31);
    }
    static DEVICE void copy_four(unsigned* to, const unsigned* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from) : "memory");
#else
        *(Four<unsigned>*)to = *(const Four<unsigned>*)from;
#endif
    }
};
