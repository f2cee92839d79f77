// The columns of one row of a result, as a table that a group of threads fills: a hash table, or one slot for every
// column where that is not larger. Generated: Column, and WARP_SLOTS, BLOCK_SLOTS, the sizes that fit a warp's part of
// shared memory and all of it.

#include "mxm_rows.cuh"
#include "thread_groups.cuh"

constexpr Column EMPTY = Column(-1);
constexpr int64 SMALLEST = 32;
constexpr int WARPS = 8;               // of a block, at most: each has a table of its own
constexpr int64 WARP_PRODUCTS = 8192;  // a row with more products gets a block, however few entries it has
constexpr int64 ROWS_AT_A_TIME = 8;    // that a warp takes

struct Shape {
    int64 slots;
    bool dense;  // the slot of a column is its number
};
// At most half of a hash table is filled.
DEVICE Shape shape_for(int64 entries, int64 ncols) {
    int64 slots = SMALLEST;
    while (slots < 2 * entries) slots <<= 1;
    if (slots < ncols) return {slots, false};
    return {ncols, true};
}

enum GroupKind { BY_WARP, BY_BLOCK, BY_BLOCK_IN_SCRATCH };
DEVICE GroupKind group_for(int64 entries, int64 products, int64 ncols) {
    int64 slots = shape_for(entries, ncols).slots;
    if (slots > BLOCK_SLOTS) return BY_BLOCK_IN_SCRATCH;
    return slots > WARP_SLOTS || products > WARP_PRODUCTS ? BY_BLOCK : BY_WARP;
}

// The counters of a division of rows among groups.
enum Counter {
    BLOCK_ROWS,
    SCRATCH_ROWS,
    MOST_SLOTS,
    GIANT_ROWS,
    GIANT_SLOTS,
    NEXT_FOR_WARP,
    NEXT_FOR_BLOCK,
    NEXT_IN_SCRATCH
};

template <class Group> DEVICE void clear(Column* keys, const Shape& shape) {
    for (int64 slot = Group::rank(); slot < shape.slots; slot += Group::size()) keys[slot] = EMPTY;
    Group::sync();
}

DEVICE Column swap_key(Column* address, Column expected, Column wanted) {
    using Word = either<sizeof(Column) == 8, uint64, unsigned>;
    return Column(atomicCAS((Word*)address, Word(expected), Word(wanted)));
}

// The slot of column j, or -1 if the mask does not allow it; `first` for the one thread that finds it free.
DEVICE int64 slot_of(Column* keys, const Shape& shape, const Mask& mask, int64 i, Column j, bool& first) {
    int64 slot = shape.dense ? int64(j) : int64(uint64(j) * 0x9e3779b97f4a7c15ull >> 20) & (shape.slots - 1);
    bool asked = false;
    first = false;
    while (true) {
        Column key = ((volatile Column*)keys)[slot];
        if (key == EMPTY) {
            if (!asked && !allowed(mask, i, j)) return -1;
            asked = true;
            key = swap_key(keys + slot, EMPTY, j);
            first = key == EMPTY;
        }
        if (first || key == j) return slot;
        slot = slot + 1 == shape.slots ? 0 : slot + 1;
    }
}

// row(group, i, keys) for every row i, by the group that suits it. Which kernel runs it says where the tables are.
struct Division {
    const int64* products;  // of each row
    const int64* entries;   // of each row, at most
    const int64* list;      // rows for blocks from the front, rows in scratch memory from the back
    int64* counters;
    int64 nrows, ncols;
};
template <class Use> DEVICE void for_each_warp_row(const Division& rows, Use use) {
    int64* next = rows.counters + NEXT_FOR_WARP;
    for (int64 base = WarpGroup::ticket(next, ROWS_AT_A_TIME); base < rows.nrows;
         base = WarpGroup::ticket(next, ROWS_AT_A_TIME))
        for (int64 i = base; i < base + ROWS_AT_A_TIME && i < rows.nrows; ++i)
            if (group_for(rows.entries[i], rows.products[i], rows.ncols) == BY_WARP) use(i);
}
template <class Use> DEVICE void for_each_block_row(const Division& rows, Use use) {
    int64* next = rows.counters + NEXT_FOR_BLOCK;
    int64 count = rows.counters[BLOCK_ROWS];
    for (int64 n = BlockGroup::ticket(next, 1); n < count; n = BlockGroup::ticket(next, 1)) use(rows.list[n]);
}
template <class Use> DEVICE void for_each_scratch_row(const Division& rows, Use use) {
    int64* next = rows.counters + NEXT_IN_SCRATCH;
    int64 count = rows.counters[SCRATCH_ROWS];
    for (int64 n = BlockGroup::ticket(next, 1); n < count; n = BlockGroup::ticket(next, 1))
        use(rows.list[rows.nrows - 1 - n]);
}
