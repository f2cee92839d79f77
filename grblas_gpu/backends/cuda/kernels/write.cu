// c<mask> (accum)= t, position by position, into new arrays.
//   Generated: C, T (as stored), Left, Right (as the accumulator `op` has them), and the mask
//   C_FULL, T_FULL  every position has an entry;  C_ISO, T_ISO  one value stands for all
//   ACCUM           where both have an entry the result is op(c, t)
//   REPLACE         nothing stays where the mask does not allow writing

#include "mask.cuh"
#include "publish.cuh"

extern "C" __global__ void write_kernel(
    const bool* c_present, const C* c, const bool* t_present, const T* t, const bool* mask_present,
    const MaskValue* mask_values, int64 size, bool* out_present, C* out, int64* counters, volatile int64* host
) {
    Mask mask = {mask_present, mask_values};
    int64 entries = 0;
    for (int64 i = thread_in_grid(); i < size; i += threads_in_grid()) {
        bool has_c = C_FULL || c_present[i], has_t = T_FULL || t_present[i];
        bool open = allowed(mask, i);
        bool found = open ? has_t || (ACCUM && has_c) : !REPLACE && has_c;
        out_present[i] = found;
        entries += found;
        if (!found) continue;
        if (!open) {
            out[i] = c[C_ISO ? 0 : i];
        } else if constexpr (ACCUM) {
            if (has_c && has_t)
                out[i] = cast<C>(op(cast<Left>(c[C_ISO ? 0 : i]), cast<Right>(t[T_ISO ? 0 : i]), i, 0, i, 0));
            else out[i] = has_t ? cast<C>(t[T_ISO ? 0 : i]) : c[C_ISO ? 0 : i];
        } else {
            out[i] = cast<C>(t[T_ISO ? 0 : i]);
        }
    }
    publish_one(entries, counters, host);
}
