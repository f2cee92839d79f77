// Columns of a row and their places in it: a hash table in shared memory that a group of threads builds. The row is the
// left factor's or the mask's; a table is at most one in SPARSE full. Most columns that are looked up are not there: with a
// FILTER, of so many bits for every slot, one look tells of nearly all of them, and lanes do not wait for each other.

#include "grid.cuh"

template <class Column, bool HAS_PLACES, int SPARSE, int FILTER = 0> struct Lookup {
    Column* keys;
    uint16* places;    // of keys, counted from the first one
    unsigned* filter;  // FILTER / 32 words for every slot
    int bits;          // it has 1 << bits slots

    static DEVICE unsigned mixed(Column key) {
        unsigned number = unsigned(key);
        if constexpr (sizeof(Column) == 8) number ^= unsigned(uint64(key) >> 32);
        return number * 2654435769u;
    }
    DEVICE int slot(Column key) const { return int(mixed(key) >> (32 - bits)); }
    // FILTER is a power of two: so many of the bits that the slot has left over.
    DEVICE unsigned filter_place(Column key) const {
        unsigned wide = 0;
        while (1 << wide < FILTER) ++wide;
        return mixed(key) >> (32 - bits - wide);
    }
    // The place of a column, 0 where places are not kept, or -1.
    DEVICE int find(Column key) const {
        if constexpr (FILTER > 0) {
            unsigned place = filter_place(key);
            if (!(filter[place >> 5] >> (place & 31) & 1)) return -1;
        }
        for (int at = slot(key);; at = (at + 1) & ((1 << bits) - 1)) {
            Column found = keys[at];
            if (found == key) return HAS_PLACES ? int(places[at]) : 0;
            if (found == Column(-1)) return -1;
        }
    }
    // is_in(place) says which of the columns count.
    template <class Group, class IsIn> DEVICE void build(const Column* columns, int count, IsIn is_in) {
        bits = 5;
        while (1 << bits < SPARSE * count) ++bits;
        for (int at = Group::rank(); at < 1 << bits; at += Group::size()) {
            keys[at] = Column(-1);
            if constexpr (FILTER > 0) {
                if (FILTER >= 32)
                    for (int n = 0; n < FILTER / 32; ++n) filter[at * (FILTER / 32) + n] = 0;
                else if (at % (32 / (FILTER < 32 ? FILTER : 32)) == 0) filter[at * FILTER / 32] = 0;
            }
        }
        Group::sync();
        using Word = either<sizeof(Column) == 8, uint64, unsigned>;
        for (int place = Group::rank(); place < count; place += Group::size()) {
            if (!is_in(place)) continue;
            Column key = columns[place];
            int at = slot(key);
            while (atomicCAS((Word*)(keys + at), Word(Column(-1)), Word(key)) != Word(Column(-1)))
                at = (at + 1) & ((1 << bits) - 1);
            if constexpr (HAS_PLACES) places[at] = uint16(place);
            if constexpr (FILTER > 0) {
                unsigned bit = filter_place(key);
                atomicOr(filter + (bit >> 5), 1u << (bit & 31));
            }
        }
        Group::sync();
    }
};
