// One row of a result in a table that a group of threads fills: a hash table, or one slot for every column where that is not
// larger. Generated: what mxm_rows.cuh needs.

#include "mxm_rows.cuh"
#include "thread_groups.cuh"

constexpr Column EMPTY = Column(-1);
constexpr int64 SMALLEST = 32;

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

DEVICE Column swap_key(Column* address, Column expected, Column wanted) {
    using Bits = either<sizeof(Column) == 8, uint64, unsigned>;
    return Column(atomicCAS((Bits*)address, Bits(expected), Bits(wanted)));
}

// The slot of column j, or -1 if the mask does not allow it; `first` for the one thread that finds it free.
DEVICE int64 slot_of(Column* keys, const Shape& shape, const Mask& mask, int64 i, Column j, bool& first) {
    int64 slot = shape.dense ? int64(j) : int64(uint64(j) * 0x9e3779b97f4a7c15ull >> 20) & (shape.slots - 1);
    bool is_allowed = false;
    first = false;
    while (true) {
        Column key = ((volatile Column*)keys)[slot];
        if (key == EMPTY) {
            if (!is_allowed && !allowed(mask, i, j)) return -1;
            is_allowed = true;
            key = swap_key(keys + slot, EMPTY, j);
            first = key == EMPTY;
        }
        if (first || key == j) return slot;
        slot = slot + 1 == shape.slots ? 0 : slot + 1;
    }
}

// Lists of rows: those for warps from the front and those for blocks from the back of a list; then those that all blocks
// share and those with a table in scratch memory, in a second list of the same length. mxm_hashed.cu makes them.
enum Counter {
    WARP_ROWS,
    BLOCK_ROWS,
    SHARED_ROWS,
    SCRATCH_ROWS,
    SCRATCH_SLOTS,  // of the largest table
    SHARED_SLOTS,
    NEXT_FOR_WARP,
    NEXT_FOR_BLOCK,
    NEXT_IN_SCRATCH
};
// use(row) for `count` rows of a list, from `rows` on or (with a step of -1) backwards. A group takes the next ones when it is done.
template <class Group, class Use> DEVICE void for_each_row(const int64* rows, int step, int64 count, int64* next, Use use) {
    constexpr int64 AT_A_TIME = same_type<Group, WarpGroup> ? 8 : 1;
    for (int64 base = Group::ticket(next, AT_A_TIME); base < count; base = Group::ticket(next, AT_A_TIME))
        for (int64 n = base; n < base + AT_A_TIME && n < count; ++n) use(rows[n * step]);
}
#define ROW_LISTS const int64 *lists, int64 length, int64 *counters, const int64 *entries, int64 ncols

struct Table {
    Column* keys;
    Word* sums;
};
struct Result {
    const int64* indptr;
    Column* indices;
    Value* values;
};

// Bitonic sort of a hash table by column; free slots, the largest of all unsigned numbers, end up behind the others.
template <class Group> DEVICE void sort(const Table& table, int64 slots) {
    using Key = either<sizeof(Column) == 8, uint64, unsigned>;
    for (int64 size = 2; size <= slots; size <<= 1)
        for (int64 stride = size >> 1; stride > 0; stride >>= 1) {
            for (int64 pair = Group::rank(); pair < slots >> 1; pair += Group::size()) {
                int64 low = 2 * pair - (pair & (stride - 1)), high = low + stride;
                Column x = table.keys[low], y = table.keys[high];
                if (Key(x) > Key(y) == ((low & size) == 0)) {
                    table.keys[low] = y;
                    table.keys[high] = x;
                    if constexpr (!STRUCTURE) {
                        Word sum = table.sums[low];
                        table.sums[low] = table.sums[high];
                        table.sums[high] = sum;
                    }
                }
            }
            Group::sync();
        }
}

// use(inside, k, p, q) for every pair of an entry p = (i, k) of the left factor and an entry q = (k, .) of the right one.
// The group's threads share the products evenly, however long the single rows are. All of them call `use` together; those
// that have nothing left to do are not `inside`.
template <class Group, class Use> DEVICE void for_each_product(const Operands& given, int64 i, Use use) {
    int64 stop = given.a.indptr[i + 1];
    for (int64 first = given.a.indptr[i]; first < stop; first += 32) {
        RightRow row(given, first + lane(), first + lane() < stop);
        int64 end = inclusive_sum(row.count);  // of this lane's products among those of the warp
        int64 total = from_lane(end, 31), shift = row.begin - (end - row.count);
        for (int64 base = 0; base < total; base += Group::size()) {
            int64 number = base + Group::rank();
            int owner = owner_of(end, number);
            use(number < total, from_lane(row.k, owner), first + owner, from_lane(shift, owner) + number);
        }
    }
}

// First pass: how many entries row i has; `at_most` so many.
template <class Group>
DEVICE void count_row(const Operands& given, int64 i, int64 at_most, int64 ncols, Column* keys, int64* counts) {
    int64 found = 0;
    Shape shape = shape_for(at_most, ncols);
    for (int64 slot = Group::rank(); slot < shape.slots; slot += Group::size()) keys[slot] = EMPTY;
    Group::sync();
    for_each_product<Group>(given, i, [&](bool inside, int64, int64, int64 q) {
        bool first = false;
        if (inside) slot_of(keys, shape, given.mask, i, Column(given.b.indices[q]), first);
        found += first;
    });
    found = Group::sum(found);
    if (Group::rank() == 0) counts[i] = found;
    Group::sync();  // the table is free again
}

// Second pass: the entries of row i, whose number is known by now. Rows that are hashed come out unsorted unless SORTED.
template <class Group, bool SORTED>
DEVICE void fill_row(
    const Operands& given, int64 i, int64 entries, int64 ncols, const Table& table, const Result& result
) {
    if (entries == 0) return;
    Shape shape = shape_for(entries, ncols);
    for (int64 slot = Group::rank(); slot < shape.slots; slot += Group::size()) table.keys[slot] = EMPTY;
    Group::sync();
    for_each_product<Group>(given, i, [&](bool inside, int64 k, int64 p, int64 q) {
        bool first = false;
        int64 j = 0, slot = -1;
        if (inside) {
            j = given.b.indices[q];
            slot = slot_of(table.keys, shape, given.mask, i, Column(j), first);
        }
        if constexpr (!STRUCTURE) {
            Value z = Value(0);
            if (first || (slot >= 0 && !EXIT_AT_FIRST)) z = product(given.values, i, k, j, p, q);
            if (first) table.sums[slot] = to_bits<Word>(z);
            if constexpr (!EXIT_AT_FIRST) {
                Group::sync();  // the first product is there before others are added to it
                if (slot >= 0 && !first) add_to_word(table.sums + slot, z);
            }
        }
    });
    Group::sync();
    if constexpr (SORTED)
        if (!shape.dense) sort<Group>(table, shape.slots);
    int64 out = result.indptr[i];
    for (int64 base = 0; base < shape.slots; base += Group::size()) {
        int64 slot = base + Group::rank(), total;
        bool taken = slot < shape.slots && table.keys[slot] != EMPTY;
        int64 place = out + Group::place(taken, total);
        if (taken) {
            result.indices[place] = table.keys[slot];
            if constexpr (!STRUCTURE) result.values[place] = from_bits<Value>(table.sums[slot]);
        }
        out += total;
    }
    Group::sync();  // the table is free again
}
