// A message about a range of positions, as backends/stores/messages.py has it: header, places, ranks, values. Generated: Sent (the type of
// values on their way), VALUED.

#include "publish.cuh"

constexpr int64 TILE = 1024;  // positions, 32 words of bits: a block takes one at a time
constexpr int WORDS = 32;
constexpr int LIST = 0, BITS = 1, ALL = 2;
constexpr int EACH = 0, ONE = 1, NONE = 2;

DEVICE int64 padded(int64 bytes) { return (bytes + 7) / 8 * 8; }
DEVICE int64 tiles_of(int64 length) { return (length + TILE - 1) / TILE; }
DEVICE int index_bytes(int64 length) { return length <= 65536 ? 2 : length <= 4294967296ll ? 4 : 8; }

// What a header says, and where things begin in the message.
struct Contents {
    int64 count, length;
    int how, kind, index;
    int64 places, ranks, values, end;
};
DEVICE Contents contents_of(int64 code, int64 length) {
    Contents found;
    found.count = code >> 4;
    found.length = length;
    found.how = int(code >> 2 & 3);
    found.kind = int(code & 3);
    found.index = index_bytes(length);
    found.places = 8;
    int64 bytes = found.how == LIST ? found.count * found.index : found.how == BITS ? (length + 7) / 8 : 0;
    found.ranks = 8 + padded(bytes);
    found.values = found.ranks + (found.how == BITS && found.kind == EACH ? 8 * tiles_of(length) : 0);
    int64 stored = found.kind == EACH ? found.count : found.kind == ONE && found.count > 0 ? 1 : 0;
    found.end = found.values + stored * int64(sizeof(Sent));
    return found;
}

// How so many entries are sent; `one`: a value stands for all of them.
DEVICE int64 code_of(int64 count, int64 length, bool one) {
    int how = count == length ? ALL : count * index_bytes(length) <= (length + 7) / 8 ? LIST : BITS;
    int kind = !VALUED ? NONE : count == 1 || (count > 0 && one) ? ONE : EACH;
    return count << 4 | how << 2 | kind;
}

DEVICE int64 index_at(const char* list, int bytes, int64 k) {
    return bytes == 2 ? int64(((const uint16*)list)[k]) : bytes == 4 ? int64(((const uint32*)list)[k]) : ((const int64*)list)[k];
}

// How many bits lie before each of the 32 words of a tile; one word for each lane.
DEVICE int bits_before(unsigned word) { return inclusive_sum(__popc(word)) - __popc(word); }
DEVICE int bits_below(unsigned word) { return __popc(word & ((1u << lane()) - 1)); }
