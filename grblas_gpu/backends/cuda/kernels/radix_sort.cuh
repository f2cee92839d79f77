// Stable sort by the digits of a key, the lowest ones first, as many bits as are needed and at most eight at a time.
// Generated: Key and Payload (unsigned types), HAS_PAYLOAD, Place, an unsigned type with two bits more than it takes to
// count the keys, and SORTERS, threads of every block that sorts.
//
// The digits of all passes are counted at once. Then every pass moves the keys once: a block takes the next tile, sorts it in shared
// memory, so that it writes runs of neighbours, and gets their places from the earlier tiles.
// A tile publishes its number of keys per digit and, as soon as it is known, the inclusive prefix sum (decoupled look-back):
// later tiles add the former until they find one of the latter. Tiles are taken in order, so the previous one always runs.

#include "grid.cuh"
#include "radix_digits.cuh"

constexpr int WARPS = SORTERS / 32;
constexpr int BLOCKS_AT_ONCE = 1024 / SORTERS;       // blocks per processor that fit into its registers
constexpr int DIGITS_EACH = SORTERS < MOST_DIGITS ? MOST_DIGITS / SORTERS : 1;  // that a thread counts, of the first ones
constexpr int WARPS_WITH_DIGITS = MOST_DIGITS / DIGITS_EACH / 32;
constexpr int ITEM_BYTES = sizeof(Key) + (HAS_PAYLOAD ? sizeof(Payload) : 0);
constexpr int EACH = ITEM_BYTES > 12 ? 8 : ITEM_BYTES > 8 ? 12 : 16;  // items per thread: longer runs are written at once
constexpr int TILE = EACH * SORTERS;
constexpr Place UP_TO_HERE = Place(1) << (sizeof(Place) * 8 - 1), OF_THIS_TILE = UP_TO_HERE >> 1;
constexpr Place NOTED = UP_TO_HERE | OF_THIS_TILE;
constexpr int NOTES_AT_ONCE = SORTERS > 256 ? 4 : 8;  // loads of a thread in flight when it looks back; with large tiles over fewer of them

// How the keys of a block are placed.
struct Placing {
    unsigned ranks[WARPS][MOST_DIGITS];  // keys of the warp with the digit; then the first place of these in the tile
    unsigned starts[MOST_DIGITS];        // the first place of the digit in the tile
    Place lower[MOST_DIGITS];            // keys with a lower digit
    Place shift[MOST_DIGITS];            // keys of the tile with the digit; then from a place in it to where the key goes
    unsigned of_warps[WARPS];
    int64 shared[32];
    int64 tile;
    bool all_alike;
};
DEVICE Placing& shared_placing() {
    __shared__ Placing placing;
    return placing;
}

// The items of a tile in the order of their digits, in memory that the launch gives.
struct Sorted {
    Key* keys;
    Payload* payload;
};
DEVICE Sorted shared_sorted() {
#ifdef __CUDA_ARCH__
    uint64* memory = dynamic_shared();
#else
    static uint64 memory[TILE * ITEM_BYTES / 8];  // an emulation
#endif
    return {(Key*)memory, (Payload*)((Key*)memory + TILE)};
}

DEVICE void count_digits(const Key* keys, int64 count, Passes passes, const Work& work) {
    __shared__ DigitCounts counts;
    auto load = [&](int64 first, Key* loaded) {
        UNROLLED for (int n = 0; n < COUNTED_AT_ONCE; ++n) loaded[n] = first + 32 * n < count ? keys[first + 32 * n] : Key(0);
    };
    count_digits(load, [](int64, Key) {}, count, passes, work, counts);
}

// The lanes of `lanes` whose two bits equal those of this lane. Written in assembly because a sort spends most time here: a compiler
// evaluates each bit twice, for the ballot and for this lane, in seven instructions instead of three.
DEVICE unsigned lanes_alike(unsigned lanes, unsigned bit, unsigned other) {
#ifdef __CUDA_ARCH__
    asm volatile(
        "{ .reg .pred is_set, is_other; .reg .b32 with, with_other;"
        "setp.ne.u32 is_set, %1, 0; vote.sync.ballot.b32 with, is_set, 0xffffffff; @!is_set not.b32 with, with;"
        "setp.ne.u32 is_other, %2, 0; vote.sync.ballot.b32 with_other, is_other, 0xffffffff; @!is_other not.b32 with_other, with_other;"
        "lop3.b32 %0, %0, with, with_other, 0x80; }"
        : "+r"(lanes) : "r"(bit), "r"(other)
    );
    return lanes;
#else
    unsigned with = __ballot_sync(FULL_WARP, bit != 0), with_other = __ballot_sync(FULL_WARP, other != 0);
    return lanes & (bit ? with : ~with) & (other ? with_other : ~with_other);
#endif
}

// The lanes that have the same digit as this one. Bits outside of the digit are equal in all of them.
DEVICE unsigned lanes_alike(unsigned d) {
    unsigned alike = FULL_WARP;
    UNROLLED for (int bit = 0; bit < DIGIT_BITS; bit += 2) alike = lanes_alike(alike, d & 1u << bit, d & 2u << bit);
    return alike;
}

struct Items {
    Key* keys;
    Payload* payload;  // read from nowhere: the payload is the position
};
DEVICE void put_key(const Items& to, Place place, Key key) { to.keys[place] = key; }
DEVICE Payload payload_at(const Items& from, int64 p) { return from.payload ? from.payload[p] : Payload(p); }

// use(d) for the digits that this thread counts.
template <class Use> DEVICE void for_own_digits(Digit digit, Use use) {
    UNROLLED for (int n = 0; n < DIGITS_EACH; ++n) {
        int d = int(thread()) * DIGITS_EACH + n;
        if (d < digit.number()) use(d);
    }
}

DEVICE void start_placing(Placing& placing, int64 count, Digit digit, const Place* totals) {
    if (threadIdx.x == 0) placing.all_alike = false;
    __syncthreads();
    int64 own = 0, total;
    for_own_digits(digit, [&](int d) {
        own += totals[d];
        if (totals[d] == Place(count)) placing.all_alike = true;
    });
    int64 place = block_offset(own, total, placing.shared);
    for_own_digits(digit, [&](int d) {
        placing.lower[d] = Place(place);
        place += totals[d];
    });
    __syncthreads();
}

// The number of keys with a digit in earlier tiles; `notes` are the tile's own, those of other tiles are before it. Concurrent tiles finish
// at the same time, so many notes have to be added until one contains the sum over all before it, and reading a note takes as long as all
// other work on a few keys: several are in flight together. They are added without a branch, with their upper bits, which are removed at
// the end.
DEVICE Place look_back(volatile Place* notes, int64 tile, int d, Place number) {
    Place before = 0;
    bool up_to_here = tile == 0;
    for (volatile Place* note = notes + d; !up_to_here;) {
        int left = tile < NOTES_AT_ONCE ? int(tile) : NOTES_AT_ONCE, used = 0;
        Place noted[NOTES_AT_ONCE], last = 0;
        UNROLLED for (int k = 0; k < NOTES_AT_ONCE; ++k) noted[k] = k < left ? note[-(k + 1) * MOST_DIGITS] : 0;
        bool more = true;
        UNROLLED for (int k = 0; k < NOTES_AT_ONCE; ++k) {
            bool there = more && noted[k] != 0;
            before += there ? noted[k] : 0;
            last = there ? noted[k] : last;
            used += there;
            more = there && noted[k] < UP_TO_HERE;
        }
        up_to_here = last >= UP_TO_HERE;
        note -= used * MOST_DIGITS;
        tile -= used;
        if (used == 0)
            while (!(note[-MOST_DIGITS] & NOTED));
    }
    before &= ~NOTED;
    notes[d] = (before + number) | UP_TO_HERE;
    return before;
}

// The places of the keys in a tile: those of a digit begin at `placing.starts`, and those of a warp at `placing.ranks`. The counts of the
// digits are published for later tiles. Called by all threads of the block.
DEVICE void place_digits(Placing& placing, Digit digit, volatile Place* notes, int64 tile) {
    int warp = int(threadIdx.x >> 5);
    unsigned own = 0;
    for_own_digits(digit, [&](int d) {
        unsigned number = 0;
        UNROLLED for (int other = 0; other < WARPS; ++other) number += placing.ranks[other][d];
        notes[d] = Place(number) | (tile ? OF_THIS_TILE : UP_TO_HERE);
        placing.shift[d] = number;
        own += number;
    });
    unsigned place = inclusive_sum(own);
    if (lane() == 31) placing.of_warps[warp] = place;
    __syncthreads();
    place -= own;
    UNROLLED for (int other = 0; other < WARPS_WITH_DIGITS; ++other) place += other < warp ? placing.of_warps[other] : 0;
    for_own_digits(digit, [&](int d) {
        placing.starts[d] = place;
        UNROLLED for (int other = 0; other < WARPS; ++other) {
            unsigned number = placing.ranks[other][d];
            placing.ranks[other][d] = place;
            place += number;
        }
    });
    __syncthreads();
}

// A number of 16 bits for each key of a thread, two in a register: hidden from the compiler, which would use one register for each.
struct SmallNumbers {
    unsigned words[EACH / 2];

    DEVICE unsigned get(int k) const { return k % 2 ? words[k / 2] >> 16 : words[k / 2] & 0xffff; }
    DEVICE void set(int k, unsigned number) {  // in ascending order
        unsigned& word = words[k / 2];
#ifdef __CUDA_ARCH__
        if (k % 2) asm("prmt.b32 %0, %0, %1, 0x5410;" : "+r"(word) : "r"(number));
#else
        if (k % 2) word |= number << 16;
#endif
        else word = number;
    }
};

// Where the items of a thread are in a tile, every 32nd from there on: the warps share it.
DEVICE int own_offset() { return int(thread() >> 5) * EACH * 32 + int(thread() & 31); }

// Loads the items of a thread. All tiles but the last are full and skip the bounds test, which takes as long as the reads.
template <class T> DEVICE void load_items(const T* tile, int end, T missing, T* items) {
    int offset = own_offset();
    const T* from = tile + offset;
    if (end == TILE) {
        UNROLLED for (int k = 0; k < EACH; ++k) items[k] = from[k * 32];
    } else {
        UNROLLED for (int k = 0; k < EACH; ++k) items[k] = offset + k * 32 < end ? from[k * 32] : missing;
    }
}

// put(place) for the places in the tile that this thread writes, in the same way.
template <class Put> DEVICE void for_own_places(int end, Put put) {
    int me = int(thread());
    if (end == TILE) {
        UNROLLED for (int k = 0; k < EACH; ++k) put(k * SORTERS + me);
    } else {
        UNROLLED for (int k = 0; k < EACH; ++k)
            if (k * SORTERS + me < end) put(k * SORTERS + me);
    }
}

// One tile: keys and payload go to shared memory in the order of their digits, and from there to their places. Registers are scarce here,
// so 32 bits number the items of a tile. Padding behind the last key has the highest digit, comes last in the tile, and is not written.
// `number` is that of the tile, `taken` how many are taken, of which the next one is stored.
template <class To>
DEVICE void move_tile(
    const Items& from, const To& to, int64 first, int end, int64 number, Digit digit, Placing& placing, const Sorted& sorted,
    volatile Place* notes, Place* taken
) {
    unsigned* own = placing.ranks[thread() >> 5];
    UNROLLED for (int d = 0; d < MOST_DIGITS; d += 32) own[d + lane()] = 0;
    Key keys[EACH];
    SmallNumbers places;
    load_items((const Key*)from.keys + first, end, Key(~Key(0)), keys);
    __syncwarp();
    UNROLLED for (int k = 0; k < EACH; ++k) {
        unsigned d = digit.of(keys[k]), alike = lanes_alike(d), before = own[d];
        int earlier = __popc(alike & ((1u << lane()) - 1));
        __syncwarp();
        if (earlier == 0) own[d] = before + __popc(alike);
        __syncwarp();
        places.set(k, before + earlier);
    }
    Payload payload[EACH];  // is in flight meanwhile
    if constexpr (HAS_PAYLOAD) {
        if (from.payload) {
            load_items((const Payload*)from.payload + first, end, Payload(0), payload);
        } else {
            Payload own_first = Payload(first) + Payload(own_offset());
            UNROLLED for (int k = 0; k < EACH; ++k) payload[k] = own_first + Payload(k * 32);
        }
    }
    __syncthreads();
    place_digits(placing, digit, notes, number);
    UNROLLED for (int k = 0; k < EACH; k += 2) {
        unsigned place = own[digit.of(keys[k])] + places.get(k), other = own[digit.of(keys[k + 1])] + places.get(k + 1);
        sorted.keys[place] = keys[k];
        sorted.keys[other] = keys[k + 1];
        places.set(k, place);
        places.set(k + 1, other);
    }
    for_own_digits(digit, [&](int d) {
        Place before = look_back(notes, number, d, placing.shift[d]);
        placing.shift[d] = placing.lower[d] + before - placing.starts[d];
    });
    if constexpr (HAS_PAYLOAD) {
        UNROLLED for (int k = 0; k < EACH; ++k) sorted.payload[places.get(k)] = payload[k];
    }
    Place next;  // tile: it is in flight while keys are written
    if (threadIdx.x == 0) next = atomicAdd(taken, Place(1));
    __syncthreads();
    for_own_places(end, [&](int place) {
        Key key = sorted.keys[place];
        Place goes_to = placing.shift[digit.of(key)] + Place(place);
        put_key(to, goes_to, key);
        if constexpr (HAS_PAYLOAD) to.payload[goes_to] = sorted.payload[place];
    });
    if (threadIdx.x == 0) placing.tile = int64(next);
}

// Moves all keys and payloads to the places of their digits, to Items or another class with put_key. Where all have
// the same digit they are copied as they are.
template <class To>
DEVICE void move_keys(const Items& from, const To& to, int64 count, Passes passes, int pass, const Work& work) {
    Placing& placing = shared_placing();
    Sorted sorted = shared_sorted();
    Digit digit = passes.digit(pass);
    if (threadIdx.x == 0) placing.tile = int64(atomicAdd(work.next(pass), Place(1)));
    start_placing(placing, count, digit, work.totals(pass));
    if (placing.all_alike) {
        for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) {
            put_key(to, Place(p), from.keys[p]);
            if constexpr (HAS_PAYLOAD) to.payload[p] = payload_at(from, p);
        }
        return;
    }
    for (int64 first; (first = placing.tile * TILE) < count;) {
        int keys = count - first < TILE ? int(count - first) : TILE;
        volatile Place* notes = work.notes(pass) + placing.tile * MOST_DIGITS;
        move_tile(from, to, first, keys, placing.tile, digit, placing, sorted, notes, work.next(pass));
        __syncthreads();
    }
}
