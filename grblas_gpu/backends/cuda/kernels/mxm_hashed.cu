// mxm.gustavson, rows with many products in a result with very many columns: tables in shared memory, of a warp for short
// rows and of a block for longer ones. Generated: what mxm_table.cuh needs, and COUNT_SLOTS, FILL_SLOTS, the sizes of a
// block's table in the first pass, which has no sums, and in the second; a warp has its part of that.

#include "mxm_table.cuh"

constexpr int WARPS = 8;               // of a block, at most: each has a table of its own
constexpr int64 WARP_PRODUCTS = 8192;  // a row with more products gets a block, however few entries it has

// Divides rows by their products and by the table that `entries` need, of which a block has `block_slots` in shared memory.
// All blocks share a row with more than `shared_products`.
extern "C" __global__ void divide_rows_kernel(
    const int64* rows, const int64* products, int64 shared_products, int64 block_slots, int64* lists, int64 length,
    int64* counters, const int64* entries, int64 ncols
) {
    for (int64 base = warp_in_grid() * 32; base < length; base += warps_in_grid() * 32) {
        bool exists = base + lane() < length;
        int64 i = exists ? rows[base + lane()] : 0, slots = exists ? shape_for(entries[i], ncols).slots : 0;
        bool is_shared = exists && entries[i] > 0 && products[i] > shared_products;
        bool in_scratch = !is_shared && slots > block_slots;
        bool by_block = !is_shared && !in_scratch && (slots > block_slots / WARPS || (exists && products[i] > WARP_PRODUCTS));
        bool kinds[] = {exists && !by_block && !is_shared && !in_scratch, by_block, is_shared, in_scratch};
        UNROLLED for (int kind = WARP_ROWS; kind <= SCRATCH_ROWS; ++kind) {
            int64 place = place_in_list(counters + kind, kinds[kind]), begin = kind >= SHARED_ROWS ? length : 0;
            if (kinds[kind]) lists[begin + (kind & 1 ? length - 1 - place : place)] = i;
        }
        if (is_shared) atomicMax(counters + SHARED_SLOTS, slots);
        if (in_scratch) atomicMax(counters + SCRATCH_SLOTS, slots);
    }
}

// Parameters of for_each_row.
#define WARP_LIST lists, 1, counters[WARP_ROWS], counters + NEXT_FOR_WARP
#define BLOCK_LIST lists + length - 1, -1, counters[BLOCK_ROWS], counters + NEXT_FOR_BLOCK

extern "C" __global__ void count_by_warp_kernel(OPERANDS, ROW_LISTS, int64* counts) {
    __shared__ Column keys[COUNT_SLOTS];
    MAKE_OPERANDS
    Column* own = keys + (threadIdx.x >> 5) * (COUNT_SLOTS / WARPS);
    for_each_row<WarpGroup>(WARP_LIST, [&](int64 i) { count_row<WarpGroup>(given, i, entries[i], ncols, own, counts); });
}

extern "C" __global__ void count_by_block_kernel(OPERANDS, ROW_LISTS, int64* counts) {
    __shared__ Column keys[COUNT_SLOTS];
    MAKE_OPERANDS
    for_each_row<BlockGroup>(BLOCK_LIST, [&](int64 i) {
        count_row<BlockGroup>(given, i, entries[i], ncols, keys, counts);
    });
}

extern "C" __global__ void fill_by_warp_kernel(
    OPERANDS, ROW_LISTS, const int64* indptr, Column* out_indices, Value* out_values
) {
    __shared__ Column keys[FILL_SLOTS];
    __shared__ Word sums[STRUCTURE ? 1 : FILL_SLOTS];
    MAKE_OPERANDS
    write_constant(given.values, out_values);
    int64 offset = (threadIdx.x >> 5) * (FILL_SLOTS / WARPS);
    Table own = {keys + offset, sums + (STRUCTURE ? 0 : offset)};
    Result result = {indptr, out_indices, out_values};
    for_each_row<WarpGroup>(WARP_LIST, [&](int64 i) {
        fill_row<WarpGroup, true>(given, i, entries[i], ncols, own, result);
    });
}

extern "C" __global__ void fill_by_block_kernel(
    OPERANDS, ROW_LISTS, const int64* indptr, Column* out_indices, Value* out_values
) {
    __shared__ Column keys[FILL_SLOTS];
    __shared__ Word sums[STRUCTURE ? 1 : FILL_SLOTS];
    MAKE_OPERANDS
    write_constant(given.values, out_values);
    Result result = {indptr, out_indices, out_values};
    for_each_row<BlockGroup>(BLOCK_LIST, [&](int64 i) {
        fill_row<BlockGroup, true>(given, i, entries[i], ncols, {keys, sums}, result);
    });
}
