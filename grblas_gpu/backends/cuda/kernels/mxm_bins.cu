// mxm.gustavson, before anything is multiplied: how many products each row of the result has, and by that which kernel
// makes it. Generated: Offset and Column (of the left factor), RightOffset, MaskOffset.

using Value = int64;
DEVICE Value add(Value x, Value y) { return x + y; }

#include "row_sums.cuh"

// Rows of up to 8, 16, ... 512 products; rows with an accumulator for every column, the longest first; rows with a table.
constexpr int SMALL_BINS = 7, DENSE_BIN = SMALL_BINS, HASHED_BIN = DENSE_BIN + 3, BINS = HASHED_BIN + 1;
constexpr int NO_BIN = -1;
constexpr int64 BLOCK_PRODUCTS = 1 << 22;  // a row with more is not for one block alone

struct LoadCounts {
    const Column* indices;
    const RightOffset* b_indptr;
    template <int COUNT> DEVICE void operator()(Place base, int skipped, int count, Value (&items)[COUNT]) const {
        Column columns[COUNT];
        UNROLLED for (int k = 0; k < COUNT; ++k) {
            int at = 32 * k + lane();
            columns[k] = at >= skipped && at < count ? indices[base + at] : Column(-1);
        }
        UNROLLED for (int k = 0; k < COUNT; ++k)
            items[k] = columns[k] >= 0 ? Value(b_indptr[columns[k] + 1] - b_indptr[columns[k]]) : Value(0);
    }
};

extern "C" __global__ void count_products_kernel(
    const Offset* a_indptr, const Column* a_indices, const RightOffset* b_indptr, int64 nrows, int64 entries,
    int64* products, int64* carry_values, int64* carry_rows
) {
    auto row_is = [&](int64 row, bool filled) {
        if (!filled) products[row] = 0;
    };
    LoadCounts load = {a_indices, b_indptr};
    add_up_rows<8, true>(a_indptr, nrows, entries, products, {carry_values, carry_rows}, load, row_is);
}

extern "C" __global__ void add_carries_kernel(
    const Offset* indptr, int64 nrows, int64 entries, Value* result, Value* carry_values, int64* carry_rows
) {
    add_row_carries(indptr, nrows, entries, result, {carry_values, carry_rows});
}

// `small`: the most products of a small row; `dense`: whether there is an accumulator for every column. Offsets of a mask
// are given if entries are allowed inside of it only.
DEVICE int bin_of(int64 products, int64 i, const MaskOffset* mask_indptr, int64 small, bool dense) {
    if (products == 0) return NO_BIN;
    if (mask_indptr != nullptr && mask_indptr[i] == mask_indptr[i + 1]) return NO_BIN;
    if (products <= small) return products <= 8 ? 0 : 32 - __clz(unsigned(products - 1)) - 3;
    if (!dense || products > BLOCK_PRODUCTS) return HASHED_BIN;
    return products > (1 << 17) ? DENSE_BIN : products > (1 << 14) ? DENSE_BIN + 1 : DENSE_BIN + 2;
}

extern "C" __global__ void count_bins_kernel(
    const int64* products, const MaskOffset* mask_indptr, int64 nrows, int64 small, int64 dense, int64* counters
) {
    int64 own = 0;  // rows in the bin of this lane's number
    for (int64 base = warp_in_grid() * 32; base < nrows; base += warps_in_grid() * 32) {
        int64 i = base + lane();
        int bin = i < nrows ? bin_of(products[i], i, mask_indptr, small, dense) : NO_BIN;
        UNROLLED for (int number = 0; number < BINS; ++number) {
            int found = __popc(__ballot_sync(FULL_WARP, bin == number));
            if (lane() == number) own += found;
        }
    }
    if (own) atomicAdd((uint64*)(counters + lane()), uint64(own));
}

// list = the rows of the first bin, those of the second, ...; firsts[bin] = where the next row of a bin goes.
extern "C" __global__ void list_bins_kernel(
    const int64* products, const MaskOffset* mask_indptr, int64 nrows, int64 small, int64 dense, int64* firsts, int64* list
) {
    __shared__ int64 places[32][BINS];
    int warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    for (int64 base = int64(blockIdx.x) * blockDim.x; base < nrows; base += int64(gridDim.x) * blockDim.x) {
        int64 i = base + threadIdx.x;
        int bin = i < nrows ? bin_of(products[i], i, mask_indptr, small, dense) : NO_BIN;
        unsigned alike = 0;  // lanes with rows of the same bin
        UNROLLED for (int number = 0; number < BINS; ++number) {
            unsigned found = __ballot_sync(FULL_WARP, bin == number);
            if (bin == number) alike = found;
            if (lane() == number) places[warp][number] = __popc(found);
        }
        __syncthreads();
        if (threadIdx.x < BINS) {
            int64 sum = 0;
            for (int other = 0; other < warps; ++other) sum += places[other][threadIdx.x];
            int64 place = sum ? int64(atomicAdd((uint64*)(firsts + threadIdx.x), uint64(sum))) : 0;
            for (int other = 0; other < warps; ++other) {
                int64 count = places[other][threadIdx.x];
                places[other][threadIdx.x] = place;
                place += count;
            }
        }
        __syncthreads();
        if (bin != NO_BIN) list[places[warp][bin] + __popc(alike & ((1u << lane()) - 1))] = i;
        __syncthreads();  // the places are free again
    }
}
