// c[positions] = value in place, for a few positions that come with the launch; some of them may be equal. Generated: Value,
// HAS_PRESENT.

#include "grid.cuh"
#include "flags.cuh"
#include "publish.cuh"

constexpr int MOST_FEW = 16;
struct Few {
    int64 positions[MOST_FEW];
};

extern "C" __global__ void assign_few_kernel(
    bool* present, Value* values, Value value, const int64* count_before, int64 known_before, int64* counters,
    volatile int64* host, int64 count, Few few
) {
    int64 found = HAS_PRESENT && thread_in_grid() == 0 ? counted(count_before, known_before) : 0;
    if (thread_in_grid() < count) {
        int64 i = few.positions[thread_in_grid()];
        if (HAS_PRESENT) found += first_to_set(present + i);
        values[i] = value;
    }
    if (HAS_PRESENT) publish(found, 0, counters, host);
}
