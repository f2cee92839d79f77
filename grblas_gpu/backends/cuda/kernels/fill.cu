// Entries of t go where c has none, in place. LISTED: t is a list; otherwise flags and values by position.
//   Generated: C, T (as stored), T_FULL, T_ISO

#include "publish.cuh"

extern "C" __global__ void fill_kernel(
    const int64* list, const int64* device_count, int64 host_count, const bool* t_present, const T* t, bool* present,
    C* c, const int64* count_before, int64 known_before, int64* counters, volatile int64* host
) {
    int64 items = counted(device_count, host_count);
    int64 entries = thread_in_grid() == 0 ? counted(count_before, known_before) : 0;
    for (int64 p = thread_in_grid(); p < items; p += threads_in_grid()) {
        if (!LISTED && !T_FULL && !t_present[p]) continue;
        int64 i = LISTED ? list[p] : p;  // positions of a list are unique: no other thread writes here
        if (present[i]) continue;
        present[i] = true;
        c[i] = cast<C>(t[T_ISO ? 0 : p]);
        ++entries;
    }
    publish_one(entries, counters, host);
}
