// One step of a program in place, at a few positions that come with the launch, by one block. Generated as for step.cu.
// Positions may be equal where all of them get the same: no accumulator, no vector, no REPLACE.

#include "grid.cuh"
#include "publish.cuh"

extern "C" __global__ void assign_few_kernel(
    int64 count, bool* present, Out* values, const int64* count_before, int64 known_before, int64* counters,
    volatile int64* host, Operands S
) {
    int64 p = thread_in_grid(), i = 0;
    int64 entries = !OUT_FULL && p == 0 ? counted(count_before, known_before) : 0;
    bool open = false, found = false;
    Out value;
    if (p < count) {
        i = S.positions[p];
        open = opened(S, i, p);
        found = open && ACCUM && (OUT_FULL || present[i]);
        if (found) value = values[i];
        if (open) change(S, i, p, found, value);
    }
    __syncthreads();  // the mask, or the vector that is assigned, may be the output: all is read before anything is written
    if (open && found) values[i] = value;
    if (OUT_FULL) return;
    if (found) entries += first_to_set(present + i);
    else if (p < count && (open || REPLACE)) entries -= first_to_clear(present + i);
    publish_one(entries, counters, host);
}
