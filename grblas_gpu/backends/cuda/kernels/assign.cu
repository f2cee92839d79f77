// c<mask> = value in place. The mask is a list of positions (LISTED; its values belong to the list) or flags by position.
// UNIQUE: no position is in the list twice, so no two threads write to one.

#include "grid.cuh"
#include "flags.cuh"
#include "mask.cuh"
#include "publish.cuh"

constexpr int BATCH = 8;

extern "C" __global__ void assign_kernel(
    const int64* list, const int64* device_count, int64 host_count, const bool* mask_present,
    const MaskValue* mask_values, bool* present, Value* values, Value value, const int64* count_before,
    int64 known_before, int64* counters, volatile int64* host
) {
    Mask mask = {mask_present, mask_values};
    int64 items = counted(device_count, host_count);
    int64 found = HAS_PRESENT && thread_in_grid() == 0 ? counted(count_before, known_before) : 0;
    if constexpr (!LISTED) {  // every lane has BATCH positions in flight
        for (int64 base = warp_in_grid() * 32 * BATCH; base < items; base += warps_in_grid() * 32 * BATCH) {
            bool inside[BATCH], before[BATCH];
#pragma unroll
            for (int n = 0; n < BATCH; ++n) {
                int64 i = base + 32 * n + lane();
                inside[n] = i < items && allowed(mask, i);
            }
#pragma unroll
            for (int n = 0; n < BATCH; ++n)
                before[n] = HAS_PRESENT && inside[n] && present[base + 32 * n + lane()];
#pragma unroll
            for (int n = 0; n < BATCH; ++n) {
                int64 i = base + 32 * n + lane();
                if (!inside[n]) continue;
                values[i] = value;
                if (!HAS_PRESENT || before[n]) continue;
                present[i] = true;
                ++found;
            }
        }
        items = 0;
    }
    for (int64 t = thread_in_grid(); t < items; t += threads_in_grid()) {
        if (!allowed(mask, t)) continue;
        int64 i = LISTED ? list[t] : t;
        if (HAS_PRESENT && UNIQUE) {
            found += !present[i];
            present[i] = true;
        } else if (HAS_PRESENT) {
            found += first_to_set(present + i);
        }
        values[i] = value;
    }
    if (HAS_PRESENT) publish_one(found, counters, host);
}
