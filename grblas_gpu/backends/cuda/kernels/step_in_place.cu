// One step of a program in place: at the positions of a list (LISTED), or at all of them. Generated as for step.cu, and
//   UNIQUE  no position is in the list twice; otherwise the step removes no entries

#include "grid.cuh"
#include "publish.cuh"

constexpr int BATCH = LISTED ? 1 : 8;  // positions that a lane has in flight

extern "C" __global__ void step_in_place_kernel(
    const int64* list, const int64* device_count, int64 host_count, bool* present, Out* values,
    const int64* count_before, int64 known_before, int64* counters, volatile int64* host, Operands S
) {
    int64 items = counted(device_count, host_count);
    int64 entries = !OUT_FULL && thread_in_grid() == 0 ? counted(count_before, known_before) : 0;
    for (int64 base = warp_in_grid() * 32 * BATCH; base < items; base += warps_in_grid() * 32 * BATCH) {
        int64 p = base + lane(), at[BATCH];
        bool open[BATCH], before[BATCH];
        UNROLLED for (int n = 0; n < BATCH; ++n) {
            bool inside = p + 32 * n < items;
            at[n] = inside && LISTED ? list[p + 32 * n] : p + 32 * n;
            open[n] = inside && opened(S, at[n], p + 32 * n);
        }
        UNROLLED for (int n = 0; n < BATCH; ++n) before[n] = open[n] && (OUT_FULL || present[at[n]]);
        UNROLLED for (int n = 0; n < BATCH; ++n) {
            if (!open[n]) continue;
            bool found = before[n];
            change(S, at[n], p + 32 * n, found, values[at[n]]);
            if (OUT_FULL || (UNIQUE && found == before[n])) continue;
            if (UNIQUE) present[at[n]] = found;
            entries += UNIQUE ? found - before[n] : first_to_set(present + at[n]);
        }
    }
    if (!OUT_FULL) publish_one(entries, counters, host);
}
