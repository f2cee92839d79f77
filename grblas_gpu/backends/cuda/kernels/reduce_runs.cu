// Each run of values combined: run r goes from starts[r] to starts[r + 1], the last one to the end. Generated: Value, add,
// and ASSOCIATIVE (otherwise a run is folded from the left, by one thread). reduce_all.cu is for one run of everything.
//
// The values are cut into chunks, one for each warp: their number depends only on the number of values, and so does the order of additions
// in a run. One run of a hundred million values and a hundred million runs of one keep all warps equally busy. The carry of a chunk, the
// part of a run that began before it, is stored, and the last block adds it.

#include "parts.cuh"

constexpr int64 CHUNKS = 4096, LEAST_CHUNK = 1024;
constexpr int ROWS = sizeof(Value) == 8 ? 4 : sizeof(Value) == 4 ? 8 : 16;  // of 32 values, that are read at a time

struct Runs {
    const int64* starts;
    int64 number, values;

    DEVICE int64 start(int64 run) const { return run >= number ? limits<int64>::high : starts[run]; }
    DEVICE int64 stop(int64 run) const { return run + 1 < number ? starts[run + 1] : values; }
    DEVICE int64 containing(int64 value) const { return warp_upper_bound(starts, number, value) - 1; }
};
DEVICE int64 chunk_length(int64 values) {
    int64 length = (values + CHUNKS - 1) / CHUNKS, step = 32 * ROWS;
    return length < LEAST_CHUNK ? LEAST_CHUNK : (length + step - 1) / step * step;
}

// One chunk by a warp. Between two starts every lane sums its values; where runs start, the row of 32 values is summed from start to start.
DEVICE void reduce_chunk(
    const Value* values, const Runs& runs, int64 chunk, int64 length, Value* result, const Carry& carry
) {
    int64 lo = chunk * length, hi = lo + length < runs.values ? lo + length : runs.values;
    int64 run = runs.containing(lo);
    bool begun = run >= 0 && runs.start(run) == lo;  // in this chunk
    if (lane() == 0) carry.rows[chunk] = begun ? -1 : run;
    int64 next = runs.start(run + 1 + lane());  // the starts to come
    Part open = {false, Value(0)};              // of the run that is not over
    auto close = [&](const Part& whole) {
        if (lane() == 0 && run >= 0) (begun ? result[run] : carry.values[chunk]) = whole.value;
        begun = true;
    };
    for (int64 base = lo; base < hi; base += 32 * ROWS) {
        Value rows[ROWS];
        UNROLLED for (int k = 0; k < ROWS; ++k) {
            int64 p = base + 32 * k + lane();
            rows[k] = p < hi ? values[p] : Value(0);
        }
        UNROLLED for (int k = 0; k < ROWS; ++k) {
            int64 row = base + 32 * k;
            bool inside = row + lane() < hi;
            if (!__any_sync(FULL_WARP, next < row + 32)) {
                open = joined(open, {inside, rows[k]});
                continue;
            }
            unsigned starts = warp_union(next < row + 32 ? 1u << int(next - row) : 0);
            unsigned before = starts & (FULL_WARP >> (31 - lane()));  // up to and including this lane
            int first = before ? 31 - __clz(before) : 0;
            Value sum = rows[k];
            for (int distance = 1; distance < 32; distance <<= 1) {
                Value lower = from_lower(sum, distance);
                if (lane() - distance >= first && inside) sum = add(lower, sum);
            }
            int head = __ffs(starts) - 1;
            Value end = from_lane(sum, head > 0 ? head - 1 : 0);
            close(joined(warp_joined(open), {head > 0, end}));
            bool last = starts >> 1 >> lane() & 1;  // the next lane starts a run
            if (before && last) result[run + __popc(before)] = sum;
            run += __popc(starts);
            open = {inside && lane() >= 31 - __clz(starts), rows[k]};
            next = runs.start(run + 1 + lane());
        }
    }
    close(warp_joined(open));
}

// One block adds the carries; other blocks wrote them.
struct NewCarry {
    volatile const Value* values;
    volatile const int64* rows;
    DEVICE static Value read(volatile const Value* from) { return *from; }
};
DEVICE void add_carries(const Runs& runs, int64 length, Value* result, const NewCarry& carry) {
    int64 chunks = (runs.values + length - 1) / length;
    auto last_chunk = [&](int64 run) { return (runs.stop(run) - 1) / length; };
    add_carries(threadIdx.x >> 5, blockDim.x >> 5, chunks, carry, result, last_chunk);
}

DEVICE void fold_runs(const Value* values, int64 stride, const Runs& runs, Value* result) {
    for (int64 run = thread_in_grid(); run < runs.number; run += threads_in_grid()) {
        int64 p = runs.start(run), stop = runs.stop(run);
        Value sum = values[p * stride];
        for (++p; p < stop; ++p) sum = add(sum, values[p * stride]);
        result[run] = sum;
    }
}

// One value stands for all.
DEVICE void repeat_runs(Value value, const Runs& runs, Value* result) {
    for (int64 run = thread_in_grid(); run < runs.number; run += threads_in_grid())
        result[run] = repeated(value, runs.stop(run) - runs.start(run));
}

extern "C" __global__ void reduce_runs_kernel(
    const Value* values, int64 stride, const int64* device_count, int64 host_count, const int64* starts,
    const int64* device_runs, int64 host_runs, Value* result, Value* carry_values, int64* carry_runs, unsigned* done
) {
    Runs runs = {starts, counted(device_runs, host_runs), counted(device_count, host_count)};
    if constexpr (!ASSOCIATIVE) {
        fold_runs(values, stride, runs, result);
    } else if (stride == 0) {
        repeat_runs(*values, runs, result);
    } else {
        Carry carry = {carry_values, carry_runs};
        int64 length = chunk_length(runs.values);
        for (int64 chunk = warp_in_grid(); chunk * length < runs.values; chunk += warps_in_grid())
            reduce_chunk(values, runs, chunk, length, result, carry);
        if (runs.values > length && last_block(done)) add_carries(runs, length, result, {carry_values, carry_runs});
    }
}
