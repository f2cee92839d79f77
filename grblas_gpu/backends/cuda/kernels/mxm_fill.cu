// mxm.gustavson, second pass: the entries of each row of the result, whose number is known by now.

#include "mxm_sums.cuh"
#include "mxm_table.cuh"

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

// Rows in scratch memory that are hashed come out unsorted: sorting them is left to the caller.
template <class Group, bool SORTED>
DEVICE void fill_row(
    const LeftRows& a, const RightRows& b, const Values& values, const Mask& mask,
    const Division& rows, int64 i, const Table& table, const Result& result
) {
    if (rows.entries[i] == 0) return;
    Shape shape = shape_for(rows.entries[i], rows.ncols);
    clear<Group>(table.keys, shape);
    for_each_product<Group>(a, b, i, [&](bool inside, int64 k, int64 p, int64 q) {
        bool first = false;
        int64 j = 0, slot = -1;
        if (inside) {
            j = b.indices[q];
            slot = slot_of(table.keys, shape, mask, i, Column(j), first);
        }
        if constexpr (!STRUCTURE) {
            Value z = Value(0);
            if (first || (slot >= 0 && !EXIT_AT_FIRST)) z = product(values, i, k, j, p, q);
            if (first) table.sums[slot] = to_word(z);
            if constexpr (!EXIT_AT_FIRST) {
                Group::sync();  // nobody adds to a sum that is not there yet
                if (slot >= 0 && !first) add_atomically(table.sums + slot, z);
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
            if constexpr (!STRUCTURE) result.values[place] = from_word(table.sums[slot]);
        }
        out += total;
    }
    Group::sync();  // the table is free again
}

#define GIVEN                                                                                                        \
    const LeftOffset *a_indptr, const LeftColumn *a_indices, const LeftStored *a_values, const RightOffset *b_indptr,           \
        const RightColumn *b_indices, const RightStored *b_values, const MaskOffset *mask_indptr,                         \
        const MaskColumn *mask_indices, const MaskValue *mask_values, const int64 *products, const int64 *entries,   \
        const int64 *list, int64 *counters, int64 nrows, int64 ncols, const int64 *indptr, Column *out_indices,      \
        Value *out_values
#define UNPACKED                                                         \
    LeftRows a = {a_indptr, a_indices};                          \
    RightRows b = {b_indptr, b_indices};                         \
    Values values = {a_values, b_values};                                \
    Mask mask = {{mask_indptr, mask_indices}, mask_values};              \
    Division rows = {products, entries, list, counters, nrows, ncols};   \
    Result result = {indptr, out_indices, out_values};

extern "C" __global__ void fill_by_warp_kernel(GIVEN) {
    __shared__ Column keys[WARPS * WARP_SLOTS];
    __shared__ Word sums[STRUCTURE ? 1 : WARPS * WARP_SLOTS];
    UNPACKED
    write_constant(values, out_values);
    int64 offset = (threadIdx.x >> 5) * WARP_SLOTS;
    Table own = {keys + offset, sums + (STRUCTURE ? 0 : offset)};
    for_each_warp_row(rows, [&](int64 i) { fill_row<WarpGroup, true>(a, b, values, mask, rows, i, own, result); });
}

extern "C" __global__ void fill_by_block_kernel(GIVEN) {
    __shared__ Column keys[BLOCK_SLOTS];
    __shared__ Word sums[STRUCTURE ? 1 : BLOCK_SLOTS];
    UNPACKED
    Table table = {keys, sums};
    for_each_block_row(rows, [&](int64 i) { fill_row<BlockGroup, true>(a, b, values, mask, rows, i, table, result); });
}

extern "C" __global__ void fill_in_scratch_kernel(GIVEN, Column* key_scratch, Word* sum_scratch, int64 slots) {
    UNPACKED
    Table table = {key_scratch + blockIdx.x * slots, STRUCTURE ? sum_scratch : sum_scratch + blockIdx.x * slots};
    for_each_scratch_row(rows, [&](int64 i) { fill_row<BlockGroup, false>(a, b, values, mask, rows, i, table, result); });
}
