// pull.edge of a full vector by tiles: block_products.cuh. Generated: what mxv.cuh needs.

#include "warp_memory.cuh"
#include "block_products.cuh"
#include "tally.cuh"

constexpr int IN_TURN = 8;

#define TILES_GIVEN                                                                                                     \
    const Group<TilePlace>*columns, const Group<MatrixValue>*values, const unsigned *targets, const unsigned *column_starts, \
        const unsigned *windows, const int64 *first_rows, const TilePlace *places, int64 column_blocks, int64 row_blocks, int64 width, \
        Value *products
#define GIVEN_TILES {columns, values, targets, column_starts, windows, first_rows, places, column_blocks, row_blocks, width, products}

extern "C" __global__ void __launch_bounds__(512, 2) multiply_tiles_kernel(
    TILES_GIVEN, const MatrixValue* one_value, const VectorValue* vector_values, int64 ncols
) {
    Matrix m = {nullptr, nullptr, one_value};
    multiply_tiles(GIVEN_TILES, m, Elements{vector_values}, ncols);
}

extern "C" __global__ void __launch_bounds__(512, 2) add_up_windows_kernel(
    TILES_GIVEN, const Offset* indptr, int64 nrows, int64 entries, bool* out_present, Value* out_values,
    const Offset* next, int64* counters, volatile int64* host
) {
    Tally total = {next, 0, 0};
    add_up_windows<IN_TURN>(GIVEN_TILES, indptr, nrows, entries, out_values, [&](int64 row, bool filled) {
        out_present[row] = filled;
        if (filled) tally(total, row);
    });
    publish(total, counters, host);
}
