// op(x, i, j, thunk) on every entry of a matrix. Generated: Offset, Column, Stored, Left, Thunk, Out, op, and ISO (one value
// stands for all).

#include "row_starts.cuh"

extern "C" __global__ void apply_index_kernel(
    const Offset* indptr, const Column* indices, const Stored* values, int64 nrows, int64 entries, Thunk thunk, Out* out
) {
    for_each_entry(indptr, nrows, entries, [&](int64 entry, int64 i) {
        out[entry] = cast<Out>(op(cast<Left>(values[ISO ? 0 : entry]), i, int64(indices[entry]), thunk));
    });
}
