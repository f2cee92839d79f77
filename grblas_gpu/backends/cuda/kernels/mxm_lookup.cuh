// Entries of a row by their columns: a hash table in shared memory, at most a quarter full, that a team of threads builds.
// Generated: LeftColumn, and what mxm_product.cuh needs.

#include "mxm_product.cuh"
#include "mxm_rows.cuh"
#include "thread_groups.cuh"

constexpr bool HAS_PLACES = LEFT == EACH;  // values are wanted, not only whether there is an entry

struct Lookup {
    LeftColumn* keys;
    uint16* places;  // of keys, counted from the first one
    int bits;        // it has 1 << bits slots

    DEVICE int slot(LeftColumn key) const {
        unsigned mixed = unsigned(key);
        if constexpr (sizeof(LeftColumn) == 8) mixed ^= unsigned(uint64(key) >> 32);
        return int(mixed * 2654435769u >> (32 - bits));
    }
    // The place of a column, 0 where places are not kept, or -1.
    DEVICE int find(LeftColumn key) const {
        for (int at = slot(key);; at = (at + 1) & ((1 << bits) - 1)) {
            LeftColumn found = keys[at];
            if (found == key) return HAS_PLACES ? int(places[at]) : 0;
            if (found == LeftColumn(-1)) return -1;
        }
    }
    template <class Team> DEVICE void build(const LeftColumn* columns, int count) {
        bits = 5;
        while (1 << bits < 4 * count) ++bits;
        for (int at = Team::rank(); at < 1 << bits; at += Team::size()) keys[at] = LeftColumn(-1);
        Team::sync();
        using Word = either<sizeof(LeftColumn) == 8, uint64, unsigned>;
        for (int place = Team::rank(); place < count; place += Team::size()) {
            LeftColumn key = columns[place];
            int at = slot(key);
            while (atomicCAS((Word*)(keys + at), Word(LeftColumn(-1)), Word(key)) != Word(LeftColumn(-1)))
                at = (at + 1) & ((1 << bits) - 1);
            if constexpr (HAS_PLACES) places[at] = uint16(place);
        }
        Team::sync();
    }
};
