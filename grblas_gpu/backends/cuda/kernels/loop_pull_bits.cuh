// A pull in a loop by a thread for each row, where the operand has bits.

#include "loop_operands.cuh"
#include "loop_pull_hybrid.cuh"

// The frontier of a search as bits, for pulls with a thread for each row. A warp that finds the next frontier gets the results of 32 rows by
// one ballot and writes it next to their flags. At the next level blocks load all bits into shared memory, where a lookup of a flag would
// read a cache line; no extra pass makes the bits. In large graphs a bit stands for 32 positions: nearly all bits of a short frontier are
// unset, and flags decide where a bit is set.

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

// The entries of a row that a thread reads at once: WIDTH. More than four are read 16 bytes at a time, from a multiple of four on, so that
// some of them are before the row.
template <int WIDTH> struct Look {
    Column k[WIDTH];
    static DEVICE int before(Offset start) { return WIDTH > 4 ? int(start & 3) : 0; }
    DEVICE void read(const Column* indices, Offset start, int length, Column unset) {
        if constexpr (WIDTH == 4) {
            UNROLLED for (int n = 0; n < WIDTH; ++n) {
                k[n] = unset;
                if (n < length) k[n] = indices[start + n];
            }
        } else {
            int skipped = before(start), stop = length ? skipped + length : 0;
            const Four<Column>* fours = (const Four<Column>*)(indices + (start - skipped));
            Four<Column> read[WIDTH / 4] = {};
            UNROLLED for (int f = 0; f < WIDTH / 4; ++f)
                if (4 * f < stop) read[f] = fours[f];
            UNROLLED for (int n = 0; n < WIDTH; ++n) k[n] = (n > 2 || n >= skipped) && n < stop ? read[n / 4].of[n % 4] : unset;
        }
    }
    template <class Bits> DEVICE bool looked_up(const Bits& bits) const {
        unsigned any = 0;
        UNROLLED for (int n = 0; n < WIDTH; ++n) any |= bits.at(k[n]);
        return any & 1;
    }
    // A bit for each entry.
    template <class Bits> DEVICE unsigned which(const Bits& bits) const {
        unsigned set = 0;
        UNROLLED for (int n = 0; n < WIDTH; ++n) set |= (bits.at(k[n]) & 1) << n;
        return set;
    }
    // Whether one of the entries has its flag set. There is no branch, so that all loads are in flight.
    DEVICE bool confirmed(unsigned set, const bool* flags) const {
        bool hit[WIDTH] = {}, any = false;
        UNROLLED for (int n = 0; n < WIDTH; ++n)
            if (set >> n & 1) hit[n] = flags[k[n]];
        UNROLLED for (int n = 0; n < WIDTH; ++n) any |= hit[n];
        return any;
    }
};

// The entries of a row from `start` to `stop`, four at a time.
template <class Bits> DEVICE bool find_the_rest(const Operands& given, const Bits& bits, Offset start, Offset stop) {
    bool hit = false;
    UNROLLED_BY(1) for (; start < stop && !hit; start += 4) {
        Look<4> look;
        look.read(given.rows.indices, start, stop - start < 4 ? int(stop - start) : 4, Bits::UNSET);
        hit = Bits::TELLS ? look.looked_up(bits) : look.confirmed(look.which(bits), given.looked_up.present);
    }
    return hit;
}

// The lowest four bits, in a byte each.
DEVICE unsigned bytes_of(unsigned bits) { return (bits & 1) | (bits & 2) << 7 | (bits & 4) << 14 | (bits & 8) << 21; }

// If 32 bits can number all entries of a matrix, they can number those of some rows.
DEVICE void publish(::Count<Offset>& count, int64* counters) {
    if constexpr (sizeof(Offset) > 4) {
        count.publish(counters);
    } else {
        unsigned entries = ::sum_of_lanes(unsigned(count.entries)), edges = ::sum_of_lanes(unsigned(count.edges));
        if (lane() == 0 && entries != 0) add_alone(counters + ::ENTRIES, entries);
        if (lane() == 0 && edges != 0) add_alone(counters + ::EDGES_NEXT, edges);
    }
}

// For products that one entry of a row decides: a thread for each row of a lot, so that a warp reads consecutive memory, and WIDTH entries
// at first. A warp takes LOTS of 32 rows and reads their flags at once; with few rows it takes one lot, so that all warps have work, and
// reads the offsets together with the flags. `epilogue`: it also runs the steps at the operand's entries.
template <int LOTS, int WIDTH, int SHIFT, class S, class C>
DEVICE void find_by_bits(const Operands& given, const S& out, int64* counters, C& change, bool epilogue) {
    constexpr int TOGETHER = LOTS * WIDTH <= 16 ? LOTS : 16 / WIDTH;  // lots that are processed together
    using Bits = BlockBits<SHIFT>;
    constexpr bool CONFIRMS = !Bits::TELLS && WIDTH > 4;  // at once; few short rows have a set bit, and these are read again
    Bits bits(out, given.filter);
    if constexpr (LOTS > 1) bits.wait();  // with one lot all other reads are in flight meanwhile
    unsigned* next = bits_in(given.filter, out, out.next_buffer());
    ::Count<Offset> count = {given.next, 0, 0};
    bool same = given.next == given.rows.indptr;  // the lengths of rows are loaded
    bool* flags = out.other_flags();
    int64 warp = (thread() >> 5) * BLOCK_COUNT + blockIdx.x;  // neighbours are in different blocks
    for (int64 base = 32 * LOTS * warp; base < out.size; base += 32 * LOTS * warps_in_grid()) {
        int64 mine = base + LOTS * lane();  // the rows whose flags this lane reads and writes
        unsigned open = 0, closing = 0, found = 0, word = 0;  // `word` is of the lot that has the lane's number
        if (mine < out.size) {
            open = open_of<LOTS>(given, mine, out.size);
            if (CLOSING && epilogue) closing = closing_of<LOTS>(given, mine, out.size);
        }
        UNROLLED for (int lot = 0; lot < LOTS; lot += TOGETHER) {
            Offset start[TOGETHER], stop[TOGETHER];
            Look<WIDTH> look[TOGETHER];
            bool any = false;
            UNROLLED for (int n = 0; n < TOGETHER; ++n) {
                const Offset* offsets = given.rows.indptr + (base + 32 * (lot + n) + lane());
                bool is = LOTS == 1 ? open : from_lane(open, 8 * (lot + n) + lane() / 4) >> 8 * (lane() & 3) & 1;
                start[n] = stop[n] = 0;
                if (LOTS == 1 ? mine < out.size : is) start[n] = offsets[0], stop[n] = offsets[1];
                if (!is) stop[n] = start[n];
                any |= is;
            }
            if (!__any_sync(FULL_WARP, any)) continue;
            UNROLLED for (int n = 0; n < TOGETHER; ++n) look[n].read(given.rows.indices, start[n], int(stop[n] - start[n]), Bits::UNSET);
            if constexpr (LOTS == 1) bits.wait();
            Offset from[TOGETHER];  // entries not read yet, or to be read again
            unsigned hits[TOGETHER];
            any = false;
            UNROLLED for (int n = 0; n < TOGETHER; ++n) {
                hits[n] = CONFIRMS ? look[n].which(bits) : look[n].looked_up(bits);
                from[n] = start[n] + (WIDTH - Look<WIDTH>::before(start[n]));
                any |= hits[n] || from[n] < stop[n];
            }
            if (!__any_sync(FULL_WARP, any)) continue;
            UNROLLED for (int n = 0; n < TOGETHER; ++n) {
                if (CONFIRMS) hits[n] = look[n].confirmed(hits[n], given.looked_up.present);
                else if (!Bits::TELLS && hits[n]) hits[n] = 0, from[n] = start[n];
            }
            UNROLLED for (int n = 0; n < TOGETHER; ++n) {
                bool hit = hits[n];
                if (!hit && from[n] < stop[n]) hit = find_the_rest(given, bits, from[n], stop[n]);
                if (hit) {
                    ++count.entries;
                    count.edges += same ? stop[n] - start[n] : count.edges_of(base + 32 * (lot + n) + lane());
                }
                unsigned all = __ballot_sync(FULL_WARP, hit);
                if (LOTS == 1) found = hit;
                else if (lane() / 8 == lot + n) found = all >> 4 * (lane() & 7) & 15;
                if (lane() == lot + n) word = all;
            }
        }
        if constexpr (LOTS == 4) {
            if (closing) change.visit_four(mine, closing);
            ::put_four_flags(flags, mine, bytes_of(found), out.size);
            unsigned lots = __ballot_sync(FULL_WARP, word != 0);
            if (!Bits::TELLS && lane() == 0) ((uint8*)next)[base / 128] = uint8(lots);
        } else {
            if (closing) change.make(mine, change.look(mine));
            if (mine < out.size) flags[mine] = found;
        }
        if (Bits::TELLS && lane() < LOTS) next[base / 32 + lane()] = word;
    }
    if constexpr (LOTS == 1) bits.wait();
    publish(count, counters);
}

template <class S, class C> DEVICE void pull_by_bits(const Operands& given, const S& out, int64* counters, C& change, bool epilogue) {
    if (has_bit_for_each(out.size)) find_by_bits<1, 16, 0>(given, out, counters, change, epilogue);
    else if (given.nvals > 4 * out.size) find_by_bits<4, 8, FOLDED>(given, out, counters, change, epilogue);
    else find_by_bits<4, 4, FOLDED>(given, out, counters, change, epilogue);  // most rows have no more entries; all lots are processed together
}
