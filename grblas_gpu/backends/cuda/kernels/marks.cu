// Lists as flags. The mask applies to the list: its values say which positions count. Generated: the mask, and Value.

#include "grid.cuh"
#include "mask.cuh"

extern "C" __global__ void mark_kernel(
    const int64* list, const int64* device_count, int64 host_count, const bool* mask_present,
    const MaskValue* mask_values, bool* flags, bool flag
) {
    Mask mask = {mask_present, mask_values};
    int64 count = counted(device_count, host_count);
    for (int64 t = thread_in_grid(); t < count; t += threads_in_grid())
        if (allowed(mask, t)) flags[list[t]] = flag;
}

// Values to their positions; other positions stay unchanged.
extern "C" __global__ void spread_kernel(
    const int64* list, const int64* device_count, int64 host_count, bool* flags, const Value* values,
    Value* dense
) {
    int64 count = counted(device_count, host_count);
    for (int64 t = thread_in_grid(); t < count; t += threads_in_grid()) {
        flags[list[t]] = true;
        dense[list[t]] = values[t];
    }
}
