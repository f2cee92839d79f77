// z = op(x, y) where both vectors have an entry, or either (UNION), position by position.
//   Generated: X, Y, Value (as stored, and as the result is), Left, Right (as the operator has them), op
//   X_FULL, Y_FULL  every position has an entry;  X_ISO, Y_ISO  one value stands for all
//   DEFAULTS        a missing operand has a value (otherwise the other one is the result)
//   OUT_FULL        the result has no flags;  OUT_ISO  it has one value

#include "publish.cuh"

extern "C" __global__ void ewise_kernel(
    const bool* x_present, const X* x, const bool* y_present, const Y* y, int64 size, Left left_default,
    Right right_default, bool* out_present, Value* out, int64* counters, volatile int64* host
) {
    int64 entries = 0;
    if constexpr (OUT_ISO)
        if (thread_in_grid() == 0) out[0] = cast<Value>(op(cast<Left>(x[0]), cast<Right>(y[0]), 0, 0, 0, 0));
    for (int64 i = thread_in_grid(); i < size; i += threads_in_grid()) {
        bool has_x = X_FULL || x_present[i], has_y = Y_FULL || y_present[i];
        bool found = UNION ? has_x || has_y : has_x && has_y;
        if (!OUT_FULL) out_present[i] = found;
        entries += found;
        if (OUT_ISO || !found) continue;
        if (has_x && has_y || DEFAULTS) {
            Left left = has_x ? cast<Left>(x[X_ISO ? 0 : i]) : left_default;
            Right right = has_y ? cast<Right>(y[Y_ISO ? 0 : i]) : right_default;
            out[i] = cast<Value>(op(left, right, i, 0, i, 0));
        } else {
            out[i] = has_x ? cast<Value>(x[X_ISO ? 0 : i]) : cast<Value>(y[Y_ISO ? 0 : i]);
        }
    }
    if (!OUT_FULL) publish_one(entries, counters, host);
}
