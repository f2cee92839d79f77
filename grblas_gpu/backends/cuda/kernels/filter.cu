// op(x, i, 0, thunk) at every entry of a vector: its result (apply), or the entries where it is true (SELECT).
//   Generated: X (as stored), Left, Thunk (as the operator has them), Out, op, X_FULL, X_ISO

#include "publish.cuh"

extern "C" __global__ void filter_kernel(
    const bool* present, const X* x, int64 size, Thunk thunk, bool* out_present, Out* out, int64* counters,
    volatile int64* host
) {
    int64 entries = 0;
    for (int64 i = thread_in_grid(); i < size; i += threads_in_grid()) {
        bool found = X_FULL || present[i];
        if (found) {
            X value = x[X_ISO ? 0 : i];
            auto result = op(cast<Left>(value), i, 0, thunk);
            if constexpr (SELECT) {
                found = cast<bool>(result);
                if (found) out[i] = value;
            } else {
                out[i] = cast<Out>(result);
            }
        }
        out_present[i] = found;
        entries += found;
    }
    publish_one(entries, counters, host);
}
