// pull.edge of a full vector: row_products.cuh. Generated: what mxv.cuh needs.

#include "row_products.cuh"
#include "tally.cuh"

// Blocks per processor, and entries per lane that fit into their registers.
constexpr int SHORT_BLOCKS = 4, LONG_BLOCKS = sizeof(Value) == 8 ? 3 : 4, BLOCKS = SHORT_ROWS ? SHORT_BLOCKS : LONG_BLOCKS;
constexpr int IN_TURN = sizeof(Value) == 8 && SHORT_ROWS ? 4 : 8;

struct Result {
    int64 nrows, entries;
    bool* present;
    Value* values;
    const Offset* next;
    Carry carry;
    int64 all_short;  // no row has more than LANE_ROW entries
    int64* counters;
    volatile int64* host;
};
#define RESULT                                                                                                   \
    int64 nrows, int64 entries, bool *out_present, Value *out_values, const Offset *next, Value *carry_values,    \
        int64 *carry_rows, int64 all_short, int64 *counters, volatile int64 *host
#define GIVEN_RESULT {nrows, entries, out_present, out_values, next, {carry_values, carry_rows}, all_short, counters, host}

template <int IN_FLIGHT, class U> DEVICE void pull_balanced(const Matrix& m, const U& u, const Result& out) {
    Tally total = {out.next, 0, 0};
    auto row_is = [&](int64 row, bool filled) {
        out.present[row] = filled;
        if (filled) tally(total, row);
    };
    bool done = false;
    if constexpr (SHORT_ROWS && same_type<U, Elements>) {
        done = out.all_short;
        if (done) multiply_short_rows(m, u, out.nrows, out.values, row_is);
    }
    if (!done) multiply_rows<IN_FLIGHT>(m, u, out.nrows, out.entries, out.values, out.carry, row_is);
    publish(total, out.counters, out.host);
}

extern "C" __global__ void __launch_bounds__(256, BLOCKS) pull_balanced_kernel(OPERANDS, RESULT) {
    pull_balanced<IN_TURN>({indptr, indices, matrix_values}, Elements{vector_values}, GIVEN_RESULT);
}

// Columns are ordered by their number of entries, and so is the vector. One block per processor: there is one copy of the hubs.
extern "C" __global__ void __launch_bounds__(1024, 1) pull_hubs_kernel(OPERANDS, RESULT, int64 ncols) {
    pull_balanced<sizeof(Value) == 8 ? 4 : 8>({indptr, indices, matrix_values}, HubElements(vector_values, ncols), GIVEN_RESULT);
}

extern "C" __global__ void add_carries_kernel(
    const Offset* indptr, int64 nrows, int64 entries, Value* result, Value* carry_values, int64* carry_rows
) {
    add_row_carries(indptr, nrows, entries, result, {carry_values, carry_rows});
}
