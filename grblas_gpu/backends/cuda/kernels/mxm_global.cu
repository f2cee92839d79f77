// mxm.gustavson, rows whose tables do not fit shared memory, or that have too many products for one block. Their tables lie
// in scratch memory. Generated: what mxm_table.cuh needs.
//
// A block takes a row with a table of its own. Rows with very many products are shared by all blocks, a batch of rows at a
// time: their products are numbered through, entry by entry of the left factor, and handed out in tiles of equal size, so
// that one entry that multiplies a row of a million and a million entries that multiply a row of one keep all blocks equally
// busy. Any thread may be the first to add to a sum, so all of them start at initial(). The first pass, which counts the
// entries of the result, has no sums.

#include "mxm_table.cuh"
#include "tiles.cuh"

constexpr int64 PRODUCTS_PER_TILE = 1024;
constexpr int64 SLOTS_AT_A_TIME = 4096;

#define TABLES Column *keys, Word *sums, int64 slots  // of each table; the first pass has no sums

// --- a block for a row ---

#define SCRATCH_LIST lists + 2 * length - 1, -1, counters[SCRATCH_ROWS], counters + NEXT_IN_SCRATCH

extern "C" __global__ void count_in_scratch_kernel(OPERANDS, ROW_LISTS, int64* counts, TABLES) {
    MAKE_OPERANDS
    Column* own = keys + blockIdx.x * slots;
    for_each_row<BlockGroup>(SCRATCH_LIST, [&](int64 i) {
        count_row<BlockGroup>(given, i, entries[i], ncols, own, counts);
    });
}

extern "C" __global__ void fill_in_scratch_kernel(
    OPERANDS, ROW_LISTS, const int64* indptr, Column* out_indices, Value* out_values, TABLES
) {
    MAKE_OPERANDS
    write_constant(given.values, out_values);
    Table own = {keys + blockIdx.x * slots, STRUCTURE ? sums : sums + blockIdx.x * slots};
    Result result = {indptr, out_indices, out_values};
    for_each_row<BlockGroup>(SCRATCH_LIST, [&](int64 i) {
        fill_row<BlockGroup, false>(given, i, entries[i], ncols, own, result);
    });
}

// --- all blocks for a batch of rows ---

struct Batch {
    const int64* rows;     // their numbers
    const int64* starts;   // entries of the left factor in the rows before, and in all of them
    const int64* entries;  // of every row of the result, at most
    int64 count, ncols;

    DEVICE int64 all() const { return starts[count]; }
    DEVICE int64 containing(int64 entry) const { return upper_bound(starts, 0, count, entry) - 1; }
    // Where an entry of row number n is in the left factor.
    DEVICE int64 place_of(const LeftRows& a, int64 n, int64 entry) const { return a.indptr[rows[n]] + entry - starts[n]; }
};
struct Tables {
    Column* keys;
    Word* sums;
    int64 slots;  // of each table
};

// Adds the products of a warp. Where all go to one sum, they are added up before; all lanes call it together.
DEVICE void add_products(Word* sums, int64 slot, Value z) {
    int64 first = from_lane(slot, 0);
    if (!__all_sync(FULL_WARP, slot >= 0 && slot == first)) {
        if (slot >= 0) add_to_word(sums + slot, z);
        return;
    }
    for (int distance = 16; distance > 0; distance >>= 1) z = add(z, from_higher(z, distance));  // lane 0 has them all
    if (lane() == 0) add_to_word(sums + first, z);
}

template <bool WITH_SUMS>
DEVICE void add_batch(const Operands& given, const Batch& batch, const int64* offsets, const Tables& tables) {
    int64 all = batch.all(), total = offsets[all];
    for (int64 base = blockIdx.x * PRODUCTS_PER_TILE; base < total; base += gridDim.x * PRODUCTS_PER_TILE) {
        int64 end = base + PRODUCTS_PER_TILE < total ? base + PRODUCTS_PER_TILE : total;
        int64 lo = upper_bound(offsets, 0, all, base) - 1, hi = upper_bound(offsets, lo, all, end - 1);
        for (int64 number = base + threadIdx.x; number - threadIdx.x < end; number += blockDim.x) {
            int64 slot = -1, i = 0, k = 0, j = 0, p = 0, q = 0;
            bool first = false;
            if (number < end) {
                int64 entry = upper_bound(offsets, lo, hi, number) - 1, n = batch.containing(entry);
                i = batch.rows[n];
                p = batch.place_of(given.a, n, entry);
                k = given.a.indices[p];
                q = given.b.indptr[k] + number - offsets[entry];
                j = given.b.indices[q];
                Shape shape = shape_for(batch.entries[i], batch.ncols);
                slot = slot_of(tables.keys + n * tables.slots, shape, given.mask, i, Column(j), first);
                if (slot >= 0) slot += n * tables.slots;
            }
            if constexpr (WITH_SUMS && ADDS) {
                Value z = Value(0);
                if (slot >= 0) z = product(given.values, i, k, j, p, q);
                add_products(tables.sums, slot, z);
            } else if constexpr (WITH_SUMS && !STRUCTURE) {
                if (first) tables.sums[slot] = to_bits<Word>(product(given.values, i, k, j, p, q));
            }
        }
    }
}

#define BATCH const int64 *rows, const int64 *starts, const int64 *entries, int64 count, int64 ncols
#define MAKE_BATCH                                    \
    MAKE_OPERANDS                                     \
    Batch batch = {rows, starts, entries, count, ncols};

// offsets[entry] = the number of products of the entries before; the last one that of all. In two passes.
extern "C" __global__ void sum_products_kernel(OPERANDS, BATCH, int64* tile_sums) {
    MAKE_BATCH
    sum_tiles(batch.all(), tile_sums, [&](int64 entry) {
        return RightRow(given, batch.place_of(given.a, batch.containing(entry), entry), true).count;
    });
}
extern "C" __global__ void number_products_kernel(OPERANDS, BATCH, const int64* tile_sums, int64* offsets) {
    MAKE_BATCH
    with_offsets(
        batch.all(), tile_sums, offsets + batch.all(),
        [&](int64 entry) {
            return RightRow(given, batch.place_of(given.a, batch.containing(entry), entry), true).count;
        },
        [&](int64 entry, int64 before, int64) { offsets[entry] = before; }
    );
}

extern "C" __global__ void clear_tables_kernel(TABLES, int64 count) {
    for (int64 slot = thread_in_grid(); slot < count * slots; slot += threads_in_grid()) {
        keys[slot] = EMPTY;
        if constexpr (ADDS)
            if (sums != nullptr) sums[slot] = to_bits<Word>(initial());
    }
}

extern "C" __global__ void find_columns_kernel(OPERANDS, BATCH, const int64* offsets, TABLES) {
    MAKE_BATCH
    add_batch<false>(given, batch, offsets, {keys, sums, slots});
}
extern "C" __global__ void add_products_kernel(OPERANDS, BATCH, const int64* offsets, TABLES) {
    MAKE_BATCH
    add_batch<true>(given, batch, offsets, {keys, sums, slots});
}

// counts[row] += the slots that are taken, which is 0 before.
extern "C" __global__ void count_slots_kernel(const int64* rows, int64 count, const Column* keys, int64 slots, int64* counts) {
    int64 parts = (slots + SLOTS_AT_A_TIME - 1) / SLOTS_AT_A_TIME;
    for (int64 part = blockIdx.x; part < count * parts; part += gridDim.x) {
        int64 n = part / parts, lo = part % parts * SLOTS_AT_A_TIME, taken = 0;
        int64 hi = lo + SLOTS_AT_A_TIME < slots ? lo + SLOTS_AT_A_TIME : slots;
        for (int64 slot = lo + threadIdx.x; slot < hi; slot += blockDim.x) taken += keys[n * slots + slot] != EMPTY;
        taken = BlockGroup::sum(taken);
        if (threadIdx.x == 0 && taken) atomicAdd((uint64*)(counts + rows[n]), uint64(taken));
    }
}

// The entries of the result, in the order of the tables, in two passes. taken[n] = entries in the rows before.
extern "C" __global__ void sum_slots_kernel(const Column* keys, int64 slots, int64 count, int64* tile_sums) {
    sum_tiles(count * slots, tile_sums, [&](int64 slot) { return int64(keys[slot] != EMPTY); });
}
extern "C" __global__ void write_slots_kernel(
    OPERANDS, const int64* rows, int64 count, TABLES, const int64* tile_sums, const int64* taken, const int64* indptr,
    Column* out_indices, Value* out_values
) {
    MAKE_OPERANDS
    write_constant(given.values, out_values);
    with_offsets(
        count * slots, tile_sums, nullptr, [&](int64 slot) { return int64(keys[slot] != EMPTY); },
        [&](int64 slot, int64 number, int64 is_taken) {
            if (!is_taken) return;
            int64 n = slot / slots, place = indptr[rows[n]] + number - taken[n];
            out_indices[place] = keys[slot];
            if constexpr (!STRUCTURE) out_values[place] = from_bits<Value>(sums[slot]);
        }
    );
}
