// mxm.gustavson, rows with so many products that all blocks share them. A batch of such rows has a table each in scratch
// memory. Their products are numbered through, entry by entry of the left factor, and handed out in tiles of equal size:
// one entry that multiplies a row of a million and a million entries that multiply a row of one keep all blocks equally busy.
// Any thread may be the first to add to a sum, so all of them start at initial(). In the first pass, that counts the
// entries of the result, STRUCTURE is set and there are no sums.

#include "mxm_sums.cuh"
#include "mxm_table.cuh"
#include "tiles.cuh"

constexpr int64 PRODUCTS_PER_TILE = 1024;
constexpr int64 SLOTS_AT_A_TIME = 4096;

struct Giants {
    const int64* rows;     // their numbers
    const int64* starts;   // entries of the left factor in the rows before, and in all of them
    const int64* entries;  // of every row of the result, at most
    int64 count, ncols;

    DEVICE int64 all() const { return starts[count]; }
    DEVICE int64 containing(int64 entry) const { return upper_bound(starts, 0, count, entry) - 1; }
};
struct Tables {
    Column* keys;
    Word* sums;
    int64 slots;  // of each table
};

// Where an entry of the giants' rows is in the left factor, if the giant is known.
DEVICE int64 place_of(const LeftRows& a, const Giants& giants, int64 giant, int64 entry) {
    return a.indptr[giants.rows[giant]] + entry - giants.starts[giant];
}
DEVICE int64 products_of(const LeftRows& a, const RightRows& b, const Giants& giants, int64 entry) {
    int64 k = a.indices[place_of(a, giants, giants.containing(entry), entry)];
    return b.indptr[k + 1] - b.indptr[k];
}

DEVICE void clear_tables(const Giants& giants, const Tables& tables) {
    for (int64 slot = thread_in_grid(); slot < giants.count * tables.slots; slot += threads_in_grid()) {
        tables.keys[slot] = EMPTY;
        if constexpr (!STRUCTURE && !EXIT_AT_FIRST) tables.sums[slot] = to_word(initial());
    }
}

// Adds the products of a warp. Where all go to one sum, they are added up before; all lanes call it together.
DEVICE void add_products(Word* sums, int64 slot, Value z) {
    int64 first = from_lane(slot, 0);
    if (!__all_sync(FULL_WARP, slot >= 0 && slot == first)) {
        if (slot >= 0) add_atomically(sums + slot, z);
        return;
    }
    for (int distance = 16; distance > 0; distance >>= 1) z = add(z, from_higher(z, distance));  // lane 0 has them all
    if (lane() == 0) add_atomically(sums + first, z);
}

DEVICE void add_giants(
    const LeftRows& a, const RightRows& b, const Values& values, const Mask& mask,
    const Giants& giants, const int64* offsets, const Tables& tables
) {
    int64 all = giants.all(), total = offsets[all];
    for (int64 base = blockIdx.x * PRODUCTS_PER_TILE; base < total; base += gridDim.x * PRODUCTS_PER_TILE) {
        int64 end = base + PRODUCTS_PER_TILE < total ? base + PRODUCTS_PER_TILE : total;
        int64 lo = upper_bound(offsets, 0, all, base) - 1, hi = upper_bound(offsets, lo, all, end - 1);
        for (int64 number = base + threadIdx.x; number - threadIdx.x < end; number += blockDim.x) {
            int64 slot = -1, i = 0, k = 0, j = 0, p = 0, q = 0;
            bool first = false;
            if (number < end) {
                int64 entry = upper_bound(offsets, lo, hi, number) - 1, giant = giants.containing(entry);
                i = giants.rows[giant];
                p = place_of(a, giants, giant, entry);
                k = a.indices[p];
                q = b.indptr[k] + number - offsets[entry];
                j = b.indices[q];
                Shape shape = shape_for(giants.entries[i], giants.ncols);
                slot = slot_of(tables.keys + giant * tables.slots, shape, mask, i, Column(j), first);
                if (slot >= 0) slot += giant * tables.slots;
            }
            if constexpr (STRUCTURE) continue;
            if constexpr (EXIT_AT_FIRST) {
                if (first) tables.sums[slot] = to_word(product(values, i, k, j, p, q));
            } else {
                Value z = Value(0);
                if (slot >= 0) z = product(values, i, k, j, p, q);
                add_products(tables.sums, slot, z);
            }
        }
    }
}

#define GIANTS const int64 *rows, const int64 *starts, const int64 *entries, int64 count, int64 ncols
#define STRUCTURES const LeftOffset *a_indptr, const LeftColumn *a_indices, const RightOffset *b_indptr, const RightColumn *b_indices

extern "C" __global__ void sum_products_kernel(STRUCTURES, GIANTS, int64* tile_sums) {
    Giants giants = {rows, starts, entries, count, ncols};
    LeftRows a = {a_indptr, a_indices};
    RightRows b = {b_indptr, b_indices};
    sum_tiles(giants.all(), tile_sums, [&](int64 entry) { return products_of(a, b, giants, entry); });
}
// offsets[entry] = the number of products of the entries before; the last one that of all.
extern "C" __global__ void number_products_kernel(STRUCTURES, GIANTS, const int64* tile_sums, int64* offsets) {
    Giants giants = {rows, starts, entries, count, ncols};
    LeftRows a = {a_indptr, a_indices};
    RightRows b = {b_indptr, b_indices};
    with_offsets(
        giants.all(), tile_sums, offsets + giants.all(), [&](int64 entry) { return products_of(a, b, giants, entry); },
        [&](int64 entry, int64 before, int64) { offsets[entry] = before; }
    );
}

extern "C" __global__ void clear_tables_kernel(GIANTS, Column* keys, Word* sums, int64 slots) {
    clear_tables({rows, starts, entries, count, ncols}, {keys, sums, slots});
}

extern "C" __global__ void add_giants_kernel(
    STRUCTURES, const LeftStored* a_values, const RightStored* b_values, const MaskOffset* mask_indptr,
    const MaskColumn* mask_indices, const MaskValue* mask_values, GIANTS, const int64* offsets, Column* keys, Word* sums,
    int64 slots
) {
    add_giants(
        {a_indptr, a_indices}, {b_indptr, b_indices}, {a_values, b_values}, {{mask_indptr, mask_indices}, mask_values},
        {rows, starts, entries, count, ncols}, offsets, {keys, sums, slots}
    );
}

// counts[row] += the slots that are taken, which is 0 before.
extern "C" __global__ void count_giants_kernel(GIANTS, const Column* keys, int64 slots, int64* counts) {
    int64 parts = (slots + SLOTS_AT_A_TIME - 1) / SLOTS_AT_A_TIME;
    for (int64 n = blockIdx.x; n < count * parts; n += gridDim.x) {
        int64 giant = n / parts, lo = n % parts * SLOTS_AT_A_TIME, taken = 0;
        int64 hi = lo + SLOTS_AT_A_TIME < slots ? lo + SLOTS_AT_A_TIME : slots;
        for (int64 slot = lo + threadIdx.x; slot < hi; slot += blockDim.x)
            taken += keys[giant * slots + slot] != EMPTY;
        taken = BlockGroup::sum(taken);
        if (threadIdx.x == 0 && taken) atomicAdd((uint64*)(counts + rows[giant]), uint64(taken));
    }
}

// The entries of the result, in the order of the tables, in two passes. taken[giant] = entries in the giants before.
extern "C" __global__ void sum_slots_kernel(GIANTS, const Column* keys, int64 slots, int64* tile_sums) {
    sum_tiles(count * slots, tile_sums, [&](int64 slot) { return int64(keys[slot] != EMPTY); });
}
extern "C" __global__ void write_giants_kernel(
    GIANTS, const Column* keys, const Word* sums, int64 slots, const int64* tile_sums, const int64* taken,
    const int64* indptr, Column* out_indices, Value* out_values
) {
    with_offsets(
        count * slots, tile_sums, nullptr, [&](int64 slot) { return int64(keys[slot] != EMPTY); },
        [&](int64 slot, int64 number, int64 is_taken) {
            if (!is_taken) return;
            int64 giant = slot / slots, place = indptr[rows[giant]] + number - taken[giant];
            out_indices[place] = keys[slot];
            if constexpr (!STRUCTURE) out_values[place] = from_word(sums[slot]);
        }
    );
}
