// Columns of a row and their places in it: a hash table in shared memory that a team of threads builds. The row is the
// left factor's or the mask's; a table is at most one in SPARSE full.

#include "grid.cuh"

template <class Column, bool HAS_PLACES, int SPARSE> struct Lookup {
    Column* keys;
    uint16* places;  // of keys, counted from the first one
    int bits;        // it has 1 << bits slots

    DEVICE int slot(Column key) const {
        unsigned mixed = unsigned(key);
        if constexpr (sizeof(Column) == 8) mixed ^= unsigned(uint64(key) >> 32);
        return int(mixed * 2654435769u >> (32 - bits));
    }
    // The place of a column, 0 where places are not kept, or -1.
    DEVICE int find(Column key) const {
        for (int at = slot(key);; at = (at + 1) & ((1 << bits) - 1)) {
            Column found = keys[at];
            if (found == key) return HAS_PLACES ? int(places[at]) : 0;
            if (found == Column(-1)) return -1;
        }
    }
    // is_in(place) says which of the columns count.
    template <class Team, class IsIn> DEVICE void build(const Column* columns, int count, IsIn is_in) {
        bits = 5;
        while (1 << bits < SPARSE * count) ++bits;
        for (int at = Team::rank(); at < 1 << bits; at += Team::size()) keys[at] = Column(-1);
        Team::sync();
        using Word = either<sizeof(Column) == 8, uint64, unsigned>;
        for (int place = Team::rank(); place < count; place += Team::size()) {
            if (!is_in(place)) continue;
            Column key = columns[place];
            int at = slot(key);
            while (atomicCAS((Word*)(keys + at), Word(Column(-1)), Word(key)) != Word(Column(-1)))
                at = (at + 1) & ((1 << bits) - 1);
            if constexpr (HAS_PLACES) places[at] = uint16(place);
        }
        Team::sync();
    }
};
