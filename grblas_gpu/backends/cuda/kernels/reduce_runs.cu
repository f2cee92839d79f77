// Each run of values combined: run r goes from starts[r] to starts[r + 1], the last one to the end. Generated: Value, add,
// and ASSOCIATIVE (otherwise a run is folded from the left, by one thread). reduce_all.cu is for one run of everything.
//
// Runs are added up as rows of a matrix are: one run of a hundred million values and a hundred million runs of one keep all warps equally
// busy, and the order of additions depends only on the numbers of values and runs.

using Offset = int64;

#include "row_sums.cuh"

// The offsets of rows.
struct Runs {
    const int64* starts;
    int64 number, values;
    DEVICE int64 operator[](int64 run) const { return run < number ? starts[run] : values; }
};

DEVICE void fold_runs(const Value* values, int64 stride, const Runs& runs, Value* result) {
    for (int64 run = thread_in_grid(); run < runs.number; run += threads_in_grid()) {
        int64 p = runs[run], stop = runs[run + 1];
        Value sum = values[p * stride];
        for (++p; p < stop; ++p) sum = add(sum, values[p * stride]);
        result[run] = sum;
    }
}

// One value stands for all.
DEVICE void repeat_runs(Value value, const Runs& runs, Value* result) {
    for (int64 run = thread_in_grid(); run < runs.number; run += threads_in_grid())
        result[run] = repeated(value, runs[run + 1] - runs[run]);
}

#define GIVEN                                                                                                       \
    const Value *values, int64 stride, const int64 *device_count, int64 host_count, const int64 *starts,             \
        const int64 *device_runs, int64 host_runs, Value *result, Value *carry_values, int64 *carry_runs
#define UNPACKED                                                                                 \
    Runs runs = {starts, counted(device_runs, host_runs), counted(device_count, host_count)};    \
    Carry carry = {carry_values, carry_runs};

extern "C" __global__ void reduce_runs_kernel(GIVEN) {
    UNPACKED
    if constexpr (!ASSOCIATIVE) fold_runs(values, stride, runs, result);
    else if (stride == 0) repeat_runs(*values, runs, result);
    else add_up_rows<8, true>(runs, runs.number, runs.values, result, carry, LoadValues<Value>{values}, [](int64, bool) {});
}

extern "C" __global__ void add_carries_kernel(GIVEN) {
    UNPACKED
    add_row_carries(runs, runs.number, runs.values, result, carry);
}
