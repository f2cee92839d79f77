// Vertices by falling degree (eager/degree_order.py). Generated: Offset, Column and, for the new numbers, Number.

#include "grid.cuh"

// Minus the lengths of rows, and how many rows have entries.
extern "C" __global__ void lengths_kernel(const Offset* indptr, int64 nrows, Offset* lengths, int64* filled) {
    int64 found = 0;
    for (int64 i = thread_in_grid(); i < nrows; i += threads_in_grid()) {
        lengths[i] = indptr[i] - indptr[i + 1];
        found += lengths[i] != 0;
    }
    add_to_counter(filled, found);
}

// The first vertices of the order get numbers; the matrix that selects them has an entry in each row.
extern "C" __global__ void number_kernel(const int64* vertices, int64 count, Number* numbers, Column* selected, int64* offsets) {
    for (int64 k = thread_in_grid(); k < count; k += threads_in_grid()) {
        numbers[vertices[k]] = Number(k);
        selected[k] = Column(vertices[k]);
        offsets[k] = k;
    }
    if (thread_in_grid() == 0) offsets[count] = count;
}

extern "C" __global__ void renumber_kernel(const Column* indices, int64 nvals, const Number* numbers, Number* out) {
    for (int64 entry = thread_in_grid(); entry < nvals; entry += threads_in_grid()) out[entry] = numbers[indices[entry]];
}
