// Stable sort by the digits of a key, the lowest ones first, as many bits as are needed and at most eight at a time.
// Generated: Key and Payload (unsigned types), HAS_PAYLOAD, and Place, an unsigned type with two bits more than it takes to
// count the keys.
//
// The digits of all passes are counted at once. Then every pass moves the keys once: a block takes the next tile, brings it
// into order in shared memory, so that it writes runs of neighbours, and finds out from the tiles before where these go.
// A tile notes how many keys of a digit it has, and as soon as it knows, how many there are up to its end: who looks back
// adds up the former until it finds one of the latter. Tiles are taken in order, so the one before is always on its way.

#include "radix_digits.cuh"

constexpr int SORTERS = 256, WARPS = SORTERS / 32;  // threads of every block that sorts
constexpr int DIGITS_EACH = MOST_DIGITS / SORTERS;   // that a thread counts
constexpr int WIDEST = HAS_PAYLOAD && sizeof(Payload) > sizeof(Key) ? sizeof(Payload) : sizeof(Key);
constexpr int EACH = WIDEST > 4 ? 12 : 16;  // keys that a thread takes at a time: longer runs are written at once
constexpr int TILE = EACH * SORTERS;
constexpr Place UP_TO_HERE = Place(1) << (sizeof(Place) * 8 - 1), OF_THIS_TILE = UP_TO_HERE >> 1;
constexpr Place NOTED = UP_TO_HERE | OF_THIS_TILE;
constexpr int NOTES_AT_ONCE = 8;  // that a thread has in flight when it looks back

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

DEVICE void count_digits(const Key* keys, int64 count, Passes passes, const Work& work) {
    __shared__ DigitCounts counts;
    auto key_at = [&](int64 p, bool inside) { return inside ? keys[p] : Key(0); };
    count_digits(key_at, [](int64, Key) {}, count, passes, work, counts);
}

// The lanes that have the same digit, of so many bits, as this one.
DEVICE unsigned lanes_alike(unsigned d, int bits) {
    unsigned alike = FULL_WARP;
    auto look_at = [&](int bit) {
        unsigned set = __ballot_sync(FULL_WARP, d >> bit & 1);
        alike &= d >> bit & 1 ? set : ~set;
    };
#pragma unroll
    for (int bit = 0; bit < DIGIT_BITS - 2; ++bit) look_at(bit);
    if (bits > DIGIT_BITS - 2) look_at(DIGIT_BITS - 2);  // the same for all threads
    if (bits > DIGIT_BITS - 1) look_at(DIGIT_BITS - 1);
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
#pragma unroll
    for (int n = 0; n < DIGITS_EACH; ++n) {
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

// How many keys with a digit the tiles before this one have; `notes` are the tile's own, those of others are before it.
// Tiles that work at the same time finish at the same time, so there are dozens of notes to add up until one tells about
// all before it, and a note takes as long as all else that a tile does to a few keys: several are in flight together.
DEVICE Place look_back(volatile Place* notes, int64 tile, int d, Place number) {
    Place before = 0;
    bool up_to_here = tile == 0;
    for (volatile Place* note = notes + d; !up_to_here;) {
        Place noted[NOTES_AT_ONCE];
#pragma unroll
        for (int k = 0; k < NOTES_AT_ONCE; ++k) noted[k] = k < tile ? note[-(k + 1) * MOST_DIGITS] : UP_TO_HERE;
        int used = 0;
#pragma unroll
        for (int k = 0; k < NOTES_AT_ONCE; ++k) {
            if (used != k || up_to_here || !(noted[k] & NOTED)) continue;
            before += noted[k] & ~NOTED;
            up_to_here = noted[k] & UP_TO_HERE;
            ++used;
        }
        note -= used * MOST_DIGITS;
        tile -= used;
        if (used == 0)
            while (!(note[-MOST_DIGITS] & NOTED));
    }
    notes[d] = (before + number) | UP_TO_HERE;
    return before;
}

// Where the keys of a tile go in it: those of a digit begin at `placing.starts`, and those of a warp at `placing.ranks`.
// How many have a digit is noted for the tiles behind. All threads of the block call it.
DEVICE void place_digits(Placing& placing, Digit digit, volatile Place* notes, int64 tile) {
    int warp = int(threadIdx.x >> 5);
    unsigned own = 0;
    for_own_digits(digit, [&](int d) {
        unsigned number = 0;
#pragma unroll
        for (int other = 0; other < WARPS; ++other) number += placing.ranks[other][d];
        notes[d] = Place(number) | (tile ? OF_THIS_TILE : UP_TO_HERE);
        placing.shift[d] = number;
        own += number;
    });
    unsigned place = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance <<= 1) {
        unsigned lower = from_lower(place, distance);
        if (lane() >= distance) place += lower;
    }
    if (lane() == 31) placing.of_warps[warp] = place;
    __syncthreads();
    place -= own;
#pragma unroll
    for (int other = 0; other < WARPS; ++other) place += other < warp ? placing.of_warps[other] : 0;
    for_own_digits(digit, [&](int d) {
        placing.starts[d] = place;
#pragma unroll
        for (int other = 0; other < WARPS; ++other) {
            unsigned number = placing.ranks[other][d];
            placing.ranks[other][d] = place;
            place += number;
        }
    });
    __syncthreads();
}

// A number of so many bits for each key of a thread, as few registers as they fit into: a compiler takes one for each.
template <int BITS> struct SmallNumbers {
    static constexpr int IN_A_WORD = 32 / BITS;
    unsigned words[(EACH + IN_A_WORD - 1) / IN_A_WORD];

    DEVICE unsigned get(int k) const { return words[k / IN_A_WORD] >> k % IN_A_WORD * BITS & ((1u << BITS) - 1); }
    DEVICE void set(int k, unsigned number) {  // in ascending order
        if (k % IN_A_WORD == 0) words[k / IN_A_WORD] = number;
        else words[k / IN_A_WORD] |= number << k % IN_A_WORD * BITS;
    }
};

// One tile: keys to shared memory in the order of their digits, from there to their places; the payload after them.
// Registers are scarce here, so what is within the tile is numbered by 32 bits. Behind the last key there are others with
// the highest digit, which come last in the tile, and go nowhere: all else need not ask whether there is a key.
template <class To>
DEVICE void move_tile(
    const Items& from, const To& to, int64 count, Digit digit, Placing& placing, void* staging, const Work& work,
    int pass
) {
    int64 tile = placing.tile, lo = tile * TILE;
    int warp = int(thread() >> 5), offset = warp * EACH * 32 + int(thread() & 31);
    int end = count - lo < TILE ? int(count - lo) : TILE;
    const Key* given_keys = from.keys + lo + offset;
    unsigned* own = placing.ranks[warp];
    for (int d = lane(); d < MOST_DIGITS; d += 32) own[d] = 0;
    Key keys[EACH];
    SmallNumbers<16> ranks, places;
#pragma unroll
    for (int k = 0; k < EACH; ++k) keys[k] = offset + k * 32 < end ? given_keys[k * 32] : Key(~Key(0));
    __syncwarp();
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        unsigned d = digit.of(keys[k]), alike = lanes_alike(d, digit.bits), before = own[d];
        int lower = __popc(alike & ((1u << lane()) - 1));
        __syncwarp();
        if (lower == 0) own[d] = before + __popc(alike);
        __syncwarp();
        ranks.set(k, before + lower);
    }
    __syncthreads();
    volatile Place* notes = work.notes(pass) + tile * MOST_DIGITS;
    place_digits(placing, digit, notes, tile);
    Key* sorted_keys = (Key*)staging;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        unsigned place = own[digit.of(keys[k])] + ranks.get(k);
        sorted_keys[place] = keys[k];
        places.set(k, place);
    }
    Payload payload[EACH];  // is in flight meanwhile
    if constexpr (HAS_PAYLOAD) {
        if (const Payload* given_payload = from.payload) {
            given_payload += lo + offset;
#pragma unroll
            for (int k = 0; k < EACH; ++k) payload[k] = offset + k * 32 < end ? given_payload[k * 32] : Payload(0);
        } else {
#pragma unroll
            for (int k = 0; k < EACH; ++k) payload[k] = Payload(lo + offset + k * 32);
        }
    }
    for_own_digits(digit, [&](int d) {
        placing.shift[d] = placing.lower[d] + look_back(notes, tile, d, placing.shift[d]) - placing.starts[d];
    });
    int me = int(thread());
    if (me == 0) placing.tile = int64(atomicAdd(work.next(pass), Place(1)));  // the next one, by the time it is needed
    __syncthreads();
    SmallNumbers<DIGIT_BITS> digits;  // of the keys that this thread writes
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        int place = k * SORTERS + me;
        Key key = sorted_keys[place];
        unsigned own_digit = digit.of(key);
        digits.set(k, own_digit);
        Place goes_to = placing.shift[own_digit] + Place(place);
        if (place < end) put_key(to, goes_to, key);
    }
    if constexpr (HAS_PAYLOAD) {
        Payload* sorted_payload = (Payload*)staging;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; ++k) sorted_payload[places.get(k)] = payload[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            int place = k * SORTERS + me;
            Place goes_to = placing.shift[digits.get(k)] + Place(place);
            Payload own_payload = sorted_payload[place];
            if (place < end) to.payload[goes_to] = own_payload;
        }
    }
}

// All keys to the places that their digit gives them, to Items or whatever has a put_key of its own, and a payload. Where all have
// the same digit they are copied as they are.
template <class To>
DEVICE void move_keys(const Items& from, const To& to, int64 count, Passes passes, int pass, const Work& work) {
    Placing& placing = shared_placing();
    __shared__ uint64 staging[TILE * WIDEST / 8];
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
    while (placing.tile * TILE < count) {
        move_tile(from, to, count, digit, placing, staging, work, pass);
        __syncthreads();  // staging is free again
    }
}
