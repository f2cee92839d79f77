// Stable sort by the digits of a key, the lowest ones first, as many bits as are needed and at most eight at a time.
// Generated: Key and Payload (unsigned types), HAS_PAYLOAD, and Place, an unsigned type with two bits more than it takes to
// count the keys.
//
// The digits of all passes are counted at once. Then every pass moves the keys once: a block takes the next tile, brings it
// into order in shared memory, so that it writes runs of neighbours, and finds out from the tiles before where these go.
// A tile notes how many keys of a digit it has, and as soon as it knows, how many there are up to its end: who looks back
// adds up the former until it finds one of the latter. Tiles are taken in order, so the one before is always on its way.

#include "radix_digits.cuh"

constexpr int MOST_THREADS = 256, MOST_WARPS = MOST_THREADS / 32;
constexpr int EACH = 12;  // keys that a thread takes at a time
constexpr int TILE = EACH * MOST_THREADS;
constexpr int WIDEST = HAS_PAYLOAD && sizeof(Payload) > sizeof(Key) ? sizeof(Payload) : sizeof(Key);
constexpr Place UP_TO_HERE = Place(1) << (sizeof(Place) * 8 - 1), OF_THIS_TILE = UP_TO_HERE >> 1;
constexpr Place NOTED = UP_TO_HERE | OF_THIS_TILE;

// How the keys of a block are placed.
struct Placing {
    unsigned ranks[MOST_WARPS][MOST_DIGITS];  // keys of the warp with the digit, then of the warps before it
    unsigned starts[MOST_DIGITS];             // the first place of the digit in the tile
    Place lower[MOST_DIGITS];                 // keys with a lower digit
    Place shift[MOST_DIGITS];                 // keys of the tile with the digit; then from a place in it to where the key goes
    int64 shared[32];
    int64 tile;
    bool all_alike;
};
DEVICE Placing& shared_placing() {
    __shared__ Placing placing;
    return placing;
}

// Counts digits where ranks are later.
DEVICE void count_digits(const Key* keys, int64 count, Passes passes, const Work& work) {
    static_assert(sizeof(Placing::ranks) >= sizeof(DigitCounts), "they fit");
    count_digits([&](int64 p) { return keys[p]; }, count, passes, work, *(DigitCounts*)shared_placing().ranks);
}

// The lanes that have the same digit as this one; those without a key are not counted.
DEVICE unsigned lanes_alike(unsigned d, bool inside) {
    unsigned alike = __ballot_sync(FULL_WARP, inside);
#pragma unroll
    for (int bit = 0; bit < DIGIT_BITS; ++bit) {
        unsigned set = __ballot_sync(FULL_WARP, d >> bit & 1);
        alike &= d >> bit & 1 ? set : ~set;
    }
    return alike;
}

struct Items {
    Key* keys;
    Payload* payload;  // read from nowhere: the payload is the position
};
DEVICE Payload payload_at(const Items& from, int64 p) { return from.payload ? from.payload[p] : Payload(p); }

DEVICE void start_placing(Placing& placing, int64 count, Digit digit, const Place* totals) {
    if (threadIdx.x == 0) placing.all_alike = false;
    __syncthreads();
    int64 before = 0, total;
    for (int base = 0; base < digit.number(); base += blockDim.x) {
        int d = base + threadIdx.x;
        int64 number = d < digit.number() ? totals[d] : 0;
        int64 place = before + block_offset(number, total, placing.shared);
        if (d < digit.number()) placing.lower[d] = Place(place);
        if (number == count) placing.all_alike = true;
        before += total;
    }
    __syncthreads();
}

// How many keys with a digit the tiles before this one have; `notes` are the tile's own, those of others are before it.
DEVICE Place look_back(volatile Place* notes, int64 tile, int d, Place number) {
    Place before = 0;
    for (volatile Place* note = notes + d; tile > 0; --tile) {
        note -= MOST_DIGITS;
        Place noted;
        do noted = *note;
        while (!(noted & NOTED));
        before += noted & ~NOTED;
        if (noted & UP_TO_HERE) break;
    }
    notes[d] = (before + number) | UP_TO_HERE;
    return before;
}

// One tile: keys to shared memory in the order of their digits, from there to their places; the payload after them.
// Registers are scarce here, so what is within the tile is numbered by 32 bits.
DEVICE void move_tile(
    const Items& from, const Items& to, int64 count, Digit digit, Placing& placing, void* staging, volatile Place* notes
) {
    int warp = threadIdx.x >> 5, warps = blockDim.x >> 5, size = EACH * int(blockDim.x);
    int64 tile = placing.tile, lo = tile * size;
    int offset = warp * EACH * 32 + lane(), end = count - lo < size ? int(count - lo) : size;
    const Key* given_keys = from.keys + lo;
    unsigned* own = placing.ranks[warp];
    for (int d = lane(); d < MOST_DIGITS; d += 32) own[d] = 0;
    Key keys[EACH];
    uint16 places[EACH];
#pragma unroll
    for (int k = 0; k < EACH; ++k) keys[k] = offset + k * 32 < end ? given_keys[offset + k * 32] : Key(0);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        bool inside = offset + k * 32 < end;
        unsigned d = digit.of(keys[k]), alike = lanes_alike(d, inside), before = own[d];
        int lower = __popc(alike & ((1u << lane()) - 1));
        __syncwarp();
        if (inside && lower == 0) own[d] = before + __popc(alike);
        __syncwarp();
        places[k] = uint16(before + lower);
    }
    __syncthreads();
    notes += tile * MOST_DIGITS;
    int64 before = 0, total;
    for (int base = 0; base < digit.number(); base += blockDim.x) {
        int d = base + threadIdx.x;
        unsigned number = 0;
        if (d < digit.number()) {
            for (int other = 0; other < warps; ++other) {
                unsigned there = placing.ranks[other][d];
                placing.ranks[other][d] = number;
                number += there;
            }
            notes[d] = Place(number) | (tile ? OF_THIS_TILE : UP_TO_HERE);
            placing.shift[d] = number;
        }
        int64 start = before + block_offset(number, total, placing.shared);
        if (d < digit.number()) placing.starts[d] = unsigned(start);
        before += total;
    }
    __syncthreads();
    Key* sorted_keys = (Key*)staging;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        if (offset + k * 32 >= end) continue;
        unsigned d = digit.of(keys[k]);
        places[k] += uint16(placing.starts[d] + own[d]);
        sorted_keys[places[k]] = keys[k];
    }
    Payload payload[EACH];  // is in flight meanwhile
    if constexpr (HAS_PAYLOAD) {
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (offset + k * 32 < end) payload[k] = payload_at(from, lo + offset + k * 32);
    }
    for (int d = threadIdx.x; d < digit.number(); d += blockDim.x)
        placing.shift[d] = placing.lower[d] + look_back(notes, tile, d, placing.shift[d]) - placing.starts[d];
    __syncthreads();
    uint8 digits[EACH];  // of the keys that this thread writes
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        int place = k * blockDim.x + threadIdx.x;
        if (place >= end) continue;
        Key key = sorted_keys[place];
        digits[k] = uint8(digit.of(key));
        to.keys[Place(placing.shift[digits[k]] + Place(place))] = key;
    }
    if constexpr (HAS_PAYLOAD) {
        Payload* sorted_payload = (Payload*)staging;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (offset + k * 32 < end) sorted_payload[places[k]] = payload[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            int place = k * blockDim.x + threadIdx.x;
            if (place < end) to.payload[Place(placing.shift[digits[k]] + Place(place))] = sorted_payload[place];
        }
    }
}

// All keys to the places that their digit gives them. Where all have the same digit they are copied as they are.
DEVICE void move_keys(const Items& from, const Items& to, int64 count, Passes passes, int pass, const Work& work) {
    Placing& placing = shared_placing();
    __shared__ uint64 staging[TILE * WIDEST / 8];
    Digit digit = passes.digit(pass);
    start_placing(placing, count, digit, work.totals(pass));
    if (placing.all_alike) {
        for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) {
            to.keys[p] = from.keys[p];
            if constexpr (HAS_PAYLOAD) to.payload[p] = payload_at(from, p);
        }
        return;
    }
    for (;;) {
        if (threadIdx.x == 0) placing.tile = int64(atomicAdd(work.next(pass), Place(1)));
        __syncthreads();
        if (placing.tile * EACH * blockDim.x >= count) return;
        move_tile(from, to, count, digit, placing, staging, work.notes(pass));
        __syncthreads();  // staging is free again
    }
}
