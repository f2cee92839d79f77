// pull.edge of a full vector: row_products.cuh. Generated: what mxv.cuh needs.

#include "row_products.cuh"
#include "tally.cuh"

constexpr int BLOCKS = sizeof(Value) == 8 ? 3 : 4;  // in a processor, with registers for eight entries of a lane

extern "C" __global__ void __launch_bounds__(256, BLOCKS) pull_balanced_kernel(
    OPERANDS, int64 nrows, int64 entries, bool* out_present, Value* out_values, const Offset* next,
    Value* carry_values, int64* carry_rows, int64* counters, volatile int64* host
) {
    Tally total = {next, 0, 0};
    auto row_is = [&](int64 row, bool filled) {
        out_present[row] = filled;
        if (filled) tally(total, row);
    };
    multiply_rows<8>(
        {indptr, indices, matrix_values}, {present, vector_values}, nrows, entries, out_values, {carry_values, carry_rows}, row_is);
    publish(total, counters, host);
}

extern "C" __global__ void add_carries_kernel(
    const Offset* indptr, int64 nrows, int64 entries, Value* result, Value* carry_values, int64* carry_rows
) {
    add_row_carries(indptr, nrows, entries, result, {carry_values, carry_rows});
}
