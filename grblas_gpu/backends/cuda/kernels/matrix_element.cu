// One element of a matrix. Generated: Offset, Column, Value, and ISO: one value stands for all.

#include "grid.cuh"
#include "publish.cuh"

// Publishes the lower half of the bits of the value, then the upper half, with a bit that says whether there is a value.
extern "C" __global__ void read_element_kernel(
    const Offset* indptr, const Column* indices, const Value* values, int64 row, int64 column, int64* counters,
    volatile int64* host
) {
    uint64 bits = 0;
    bool found = false;
    if (thread_in_grid() == 0) {
        int64 end = indptr[row + 1], at = lower_bound(indices, int64(indptr[row]), end, column);
        found = at < end && int64(indices[at]) == column;
        if (found) bits = bits_of(values[ISO ? 0 : at]);
    }
    publish(int64(bits >> 32 << 1 | found), int64(bits & 0xffffffffull), counters, host);
}
