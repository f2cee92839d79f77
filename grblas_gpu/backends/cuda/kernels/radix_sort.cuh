// Stable sort by the digits of a key, the lowest ones first, as many bits as are needed and at most eight at a time.
// Generated: Key and Payload (unsigned types), HAS_PAYLOAD, and Place, an unsigned type that counts the keys.
//
// The keys are cut into spans of whole tiles, whatever the grid. A pass counts the digits of every span, adds the counts
// up over the spans before, and moves the keys: a block brings a tile into order in shared memory, so that it writes
// runs of neighbours. Every phase is a function that all threads of the grid call; a grid of one block needs no more
// than __syncthreads() between them. Blocks have at most 256 threads.

#include "grid.cuh"

constexpr int MOST_DIGITS = 256;
constexpr int MOST_WARPS = 8;
constexpr int64 MOST_SPANS = 8192;
constexpr int WIDEST = HAS_PAYLOAD && sizeof(Payload) > sizeof(Key) ? sizeof(Payload) : sizeof(Key);
constexpr int ITEMS = WIDEST > 4 ? 8 : 16;  // that a thread takes at a time
constexpr int64 SORT_TILE = ITEMS * MOST_WARPS * 32;
constexpr int OFFSETS_AT_A_TIME = 8;

struct Digit {
    int shift, bits;
    DEVICE int64 number() const { return int64(1) << bits; }
    DEVICE unsigned of(Key key) const { return unsigned(key >> shift) & ((1u << bits) - 1); }
};
// The digits of one pass after another.
DEVICE Digit digit_of_pass(int pass, int bits, int width) {
    int shift = pass * width;
    return {shift, bits - shift < width ? bits - shift : width};
}

struct Spans {
    int64 count, number, length;
    DEVICE int64 lo(int64 span) const { return span * length; }
    DEVICE int64 hi(int64 span) const { return (span + 1) * length < count ? (span + 1) * length : count; }
};
DEVICE Spans spans_of(int64 count) {
    int64 tiles = (count + SORT_TILE - 1) / SORT_TILE;
    int64 length = (tiles + MOST_SPANS - 1) / MOST_SPANS * SORT_TILE;
    return {count, count > 0 ? (count + length - 1) / length : 0, length};
}

// counts[digit, span] = how many keys of the span have the digit.
DEVICE void count_digits(const Key* keys, int64 count, Digit digit, Place* counts) {
    __shared__ unsigned totals[MOST_WARPS][MOST_DIGITS];
    Spans spans = spans_of(count);
    unsigned* own = totals[threadIdx.x >> 5];
    int warps = blockDim.x >> 5;
    for (int64 span = blockIdx.x; span < spans.number; span += gridDim.x) {
        for (int d = lane(); d < MOST_DIGITS; d += 32) own[d] = 0;
        __syncwarp();
        int64 hi = spans.hi(span);
#pragma unroll 4
        for (int64 base = spans.lo(span) + (threadIdx.x & ~31); base < hi; base += blockDim.x) {
            bool inside = base + lane() < hi;
            unsigned d = inside ? digit.of(keys[base + lane()]) : 0;
            unsigned here = __ballot_sync(FULL_WARP, inside), first = from_lane(d, 0);
            if (__all_sync(FULL_WARP, !inside || d == first)) {  // neighbours are often alike
                if (lane() == 0) atomicAdd(own + d, unsigned(__popc(here)));
            } else if (inside) {
                atomicAdd(own + d, 1u);
            }
        }
        __syncthreads();
        for (int64 d = threadIdx.x; d < digit.number(); d += blockDim.x) {
            unsigned total = 0;
            for (int warp = 0; warp < warps; ++warp) total += totals[warp][d];
            counts[d * spans.number + span] = total;
        }
        __syncthreads();
    }
}

// counts[digit, span] = how many keys of the spans before have the digit; totals[digit] = how many there are in all.
DEVICE void add_up_digits(int64 count, Digit digit, Place* counts, Place* totals) {
    __shared__ int64 shared[32];
    int64 number = spans_of(count).number;
    for (int64 d = blockIdx.x; d < digit.number(); d += gridDim.x) {
        Place* row = counts + d * number;
        int64 before = 0, total;
        for (int64 base = 0; base < number; base += blockDim.x * OFFSETS_AT_A_TIME) {
            int64 first = base + threadIdx.x * OFFSETS_AT_A_TIME, sum = 0;
            Place own[OFFSETS_AT_A_TIME];
#pragma unroll
            for (int k = 0; k < OFFSETS_AT_A_TIME; ++k) {
                own[k] = first + k < number ? row[first + k] : 0;
                sum += own[k];
            }
            int64 place = before + block_offset(sum, total, shared);
#pragma unroll
            for (int k = 0; k < OFFSETS_AT_A_TIME; ++k) {
                if (first + k < number) row[first + k] = Place(place);
                place += own[k];
            }
            before += total;
        }
        if (threadIdx.x == 0) totals[d] = Place(before);
    }
}

// The lanes that have the same digit as this one; those without a key are not counted. `marks` has a word for every digit,
// which is 0 before and after.
DEVICE unsigned lanes_alike(unsigned* marks, unsigned d, bool inside) {
    if (inside) atomicOr(marks + d, 1u << lane());
    __syncwarp();
    unsigned alike = inside ? marks[d] : 0;
    __syncwarp();
    if (inside) marks[d] = 0;
    __syncwarp();
    return alike;
}

struct Items {
    Key* keys;
    Payload* payload;  // read from nowhere: the payload is the position
};
DEVICE Payload payload_at(const Items& from, int64 p) { return from.payload ? from.payload[p] : Payload(p); }

// How the keys of a block are placed; in shared memory.
struct Placing {
    unsigned ranks[MOST_WARPS][MOST_DIGITS];  // keys of the warp with the digit, then of the warps before it
    unsigned marks[MOST_WARPS][MOST_DIGITS];  // lanes that have the digit, while they are counted
    unsigned starts[MOST_DIGITS];             // the first place of the digit in the tile
    Place lower[MOST_DIGITS];                 // keys with a lower digit
    Place next[MOST_DIGITS];                  // where the next key with the digit goes
    Place shift[MOST_DIGITS];                 // from a place in the tile to where the key goes
    int64 shared[32];
    bool all_alike;
};

DEVICE void start_placing(Placing& placing, int64 count, Digit digit, const Place* totals) {
    if (threadIdx.x == 0) placing.all_alike = false;
    __syncthreads();
    int64 before = 0, total;
    for (int64 base = 0; base < digit.number(); base += blockDim.x) {
        int64 d = base + threadIdx.x, number = d < digit.number() ? totals[d] : 0;
        int64 place = before + block_offset(number, total, placing.shared);
        if (d < digit.number()) placing.lower[d] = Place(place);
        if (number == count) placing.all_alike = true;
        before += total;
    }
    __syncthreads();
}

// One tile: keys to shared memory in the order of their digits, from there to their places; the payload after them.
// Registers are scarce here, so what is within the tile is numbered by 32 bits.
DEVICE void move_tile(const Items& from, const Items& to, int64 lo, int64 hi, Digit digit, Placing& placing, void* room) {
    int warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    int offset = warp * ITEMS * 32 + lane();
    int end = hi - lo < ITEMS * int64(blockDim.x) ? int(hi - lo) : ITEMS * int(blockDim.x);
    const Key* given_keys = from.keys + lo;
    unsigned* own = placing.ranks[warp];
    unsigned* marks = placing.marks[warp];
    for (int d = lane(); d < MOST_DIGITS; d += 32) own[d] = marks[d] = 0;
    __syncwarp();
    Key keys[ITEMS];
    uint16 places[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) keys[k] = offset + k * 32 < end ? given_keys[offset + k * 32] : Key(0);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        bool inside = offset + k * 32 < end;
        unsigned d = digit.of(keys[k]), alike = lanes_alike(marks, d, inside), before = 0;
        int leader = alike ? __ffs(alike) - 1 : 0;
        if (inside && lane() == leader) before = atomicAdd(own + d, unsigned(__popc(alike)));
        places[k] = uint16(from_lane(before, leader) + __popc(alike & ((1u << lane()) - 1)));
    }
    __syncthreads();
    int64 before = 0, total;
    for (int64 base = 0; base < digit.number(); base += blockDim.x) {
        int64 d = base + threadIdx.x;
        unsigned number = 0;
        if (d < digit.number())
            for (int other = 0; other < warps; ++other) {
                unsigned there = placing.ranks[other][d];
                placing.ranks[other][d] = number;
                number += there;
            }
        int64 start = before + block_offset(number, total, placing.shared);
        if (d < digit.number()) {
            placing.starts[d] = unsigned(start);
            placing.shift[d] = placing.next[d] - Place(start);
            placing.next[d] += number;
        }
        before += total;
    }
    __syncthreads();
    Key* sorted_keys = (Key*)room;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (offset + k * 32 >= end) continue;
        unsigned d = digit.of(keys[k]);
        places[k] += uint16(placing.starts[d] + own[d]);
        sorted_keys[places[k]] = keys[k];
    }
    __syncthreads();
    uint8 digits[ITEMS];  // of the keys that this thread writes
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int place = k * blockDim.x + threadIdx.x;
        if (place >= end) continue;
        Key key = sorted_keys[place];
        digits[k] = uint8(digit.of(key));
        to.keys[Place(placing.shift[digits[k]] + Place(place))] = key;
    }
    if constexpr (HAS_PAYLOAD) {
        Payload* sorted_payload = (Payload*)room;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; ++k)
            if (offset + k * 32 < end) sorted_payload[places[k]] = payload_at(from, lo + offset + k * 32);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            int place = k * blockDim.x + threadIdx.x;
            if (place < end) to.payload[Place(placing.shift[digits[k]] + Place(place))] = sorted_payload[place];
        }
    }
    __syncthreads();  // the room is free again
}

// All keys to the places that their digit gives them. Where all have the same digit they are copied as they are.
DEVICE void move_keys(
    const Items& from, const Items& to, int64 count, Digit digit, const Place* counts, const Place* totals
) {
    __shared__ Placing placing;
    __shared__ uint64 room[SORT_TILE * WIDEST / 8];
    Spans spans = spans_of(count);
    start_placing(placing, count, digit, totals);
    if (placing.all_alike) {
        for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) {
            to.keys[p] = from.keys[p];
            if constexpr (HAS_PAYLOAD) to.payload[p] = payload_at(from, p);
        }
        return;
    }
    for (int64 span = blockIdx.x; span < spans.number; span += gridDim.x) {
        for (int64 d = threadIdx.x; d < digit.number(); d += blockDim.x)
            placing.next[d] = placing.lower[d] + counts[d * spans.number + span];
        int64 tile = ITEMS * int64(blockDim.x);
        for (int64 lo = spans.lo(span); lo < spans.hi(span); lo += tile)
            move_tile(from, to, lo, spans.hi(span), digit, placing, room);
    }
}
