// Messages that have arrived (messages.cuh) as one vector. FOLD: all are about the same positions, and are combined in their order;
// otherwise they are about positions that follow each other. A block takes a tile of positions at a time, which no other block writes.
// Generated: Sent, Value (of the result), VALUED, FOLD, NUMBERED (values are positions in the sender's block and become global), Left,
// Right and op (that combines).

#include "messages.cuh"

struct Message {
    const char* data;
    int64 first, length;  // positions of the result
    int64 first_tile;
    int64 first_entry;    // in a list of all entries
    const int64* ends;    // of the pieces of the sender's block, of which those below ends[k] are shifts[k] too small
    const int64* shifts;
    int64 pieces;
};

DEVICE Value arrived(const Message& message, const char* values, int64 k) {
    Sent value = ((const Sent*)values)[k];
    if constexpr (NUMBERED) {
        int64 piece = upper_bound(message.ends, int64(0), message.pieces - 1, int64(value));
        return Value(int64(value) + message.shifts[piece]);
    } else {
        return cast<Value>(value);
    }
}

// A tile of the result.
struct Sums {
    bool found[TILE];
    Value values[VALUED ? TILE : 1];
    DEVICE void add(int64 k, const Message& message, const char* values_there, int64 at) {
        if constexpr (VALUED) {
            Value value = arrived(message, values_there, at);
            if (FOLD && found[k]) value = cast<Value>(op(cast<Left>(values[k]), cast<Right>(value), 0, 0, 0, 0));
            values[k] = value;
        }
        found[k] = true;
    }
};

// How many indices of a list are below `wanted`.
DEVICE int64 entries_below(const char* list, int bytes, int64 count, int64 wanted) {
    int64 lo = 0, hi = count;
    while (lo < hi) {
        int64 middle = (lo + hi) >> 1;
        if (index_at(list, bytes, middle) < wanted) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// What a message has in a tile of its positions. All threads of the block call it.
DEVICE void add_tile(Sums& sums, const Message& message, int64 tile) {
    __shared__ unsigned words[WORDS];
    Contents sent = contents_of(*(const int64*)message.data, message.length);
    const char *places = message.data + sent.places, *values = message.data + sent.values;
    int64 lo = tile * TILE, hi = lo + TILE < message.length ? lo + TILE : message.length;
    bool each = sent.kind == EACH;
    if (sent.how == ALL) {
        for (int64 i = lo + threadIdx.x; i < hi; i += blockDim.x) sums.add(i - lo, message, values, each ? i : 0);
    } else if (sent.how == LIST) {
        int64 end = entries_below(places, sent.index, sent.count, hi);
        for (int64 k = entries_below(places, sent.index, sent.count, lo) + threadIdx.x; k < end; k += blockDim.x)
            sums.add(index_at(places, sent.index, k) - lo, message, values, each ? k : 0);
    } else {
        int64 limit = (message.length + 63) / 64 * 2;
        if (threadIdx.x < WORDS) {
            int64 word = lo / 32 + threadIdx.x;
            words[threadIdx.x] = word < limit ? ((const uint32*)places)[word] : 0;
        }
        __syncthreads();
        int64 before = each ? ((const int64*)(message.data + sent.ranks))[tile] : 0;
        int ahead = bits_before(words[lane()]);
        for (int w = int(threadIdx.x >> 5); w < WORDS; w += int(blockDim.x >> 5)) {
            int first = from_lane(ahead, w);
            unsigned bits = words[w];
            if (bits >> lane() & 1) sums.add(w * 32 + lane(), message, values, each ? before + first + bits_below(bits) : 0);
        }
    }
    __syncthreads();
}

extern "C" __global__ void merge_parts_kernel(
    const Message* messages, int64 count, int64 tiles, bool* present, Value* values, int64* counters, volatile int64* host
) {
    __shared__ Sums sums;
    int64 entries = 0;
    for (int64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        for (int64 k = threadIdx.x; k < TILE; k += blockDim.x) sums.found[k] = false;
        __syncthreads();
        int64 m = 0;
        if constexpr (FOLD) {
            for (int64 each = 0; each < count; ++each) add_tile(sums, messages[each], tile);
        } else {
            while (tile >= messages[m].first_tile + tiles_of(messages[m].length)) ++m;
            add_tile(sums, messages[m], tile - messages[m].first_tile);
        }
        int64 lo = FOLD ? tile * TILE : (tile - messages[m].first_tile) * TILE;
        int64 length = messages[m].length, first = FOLD ? 0 : messages[m].first;
        for (int64 k = threadIdx.x; k < TILE && lo + k < length; k += blockDim.x) {
            bool found = sums.found[k];
            present[first + lo + k] = found;
            if constexpr (VALUED) values[first + lo + k] = found ? sums.values[k] : Value(0);
            entries += found;
        }
        __syncthreads();
    }
    publish(entries, 0, counters, host);
}

// Messages that are lists as one list: their parts follow each other, and so do their entries.
extern "C" __global__ void list_parts_kernel(const Message* messages, int64 entries, int64* indices, Value* values) {
    for (int64 item = thread_in_grid(); item < entries; item += threads_in_grid()) {
        int64 m = 0;
        Contents sent = contents_of(*(const int64*)messages[0].data, messages[0].length);
        while (item >= messages[m].first_entry + sent.count) {
            ++m;
            sent = contents_of(*(const int64*)messages[m].data, messages[m].length);
        }
        int64 k = item - messages[m].first_entry;
        int64 place = sent.how == ALL ? k : index_at(messages[m].data + sent.places, sent.index, k);
        indices[item] = messages[m].first + place;
        if constexpr (VALUED) values[item] = arrived(messages[m], messages[m].data + sent.values, sent.kind == EACH ? k : 0);
    }
}
