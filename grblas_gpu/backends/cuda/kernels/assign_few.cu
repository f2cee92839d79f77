// c<mask>[positions] (accum)= t in place, for a few positions that come with the launch, to one block.
//   Generated: C, T (as stored), Left, Right (as the accumulator `op` has them), and the mask
//   HAS_PRESENT      c has flags; otherwise every position has an entry, and none goes
//   GIVEN            what is assigned: 0 nothing, which deletes; 1 a scalar; 2 a vector as long as the positions are many
//   T_FULL, T_ISO    the vector has an entry everywhere; one value stands for all
//   ACCUM            where both have an entry the result is op(c, t)
//   SUBMASK          the mask is as long as the positions are many; REPLACE: c keeps nothing of them where it is closed
// Positions may be equal where all of them are given the same: no accumulator, no vector, no REPLACE.

#include "grid.cuh"
#include "few.cuh"
#include "flags.cuh"
#include "mask.cuh"
#include "publish.cuh"

extern "C" __global__ void assign_few_kernel(
    bool* present, C* values, const bool* t_present, const T* t, T scalar, const bool* mask_present,
    const MaskValue* mask_values, const int64* count_before, int64 known_before, int64* counters, volatile int64* host,
    int64 count, Few few
) {
    Mask mask = {mask_present, mask_values};
    int64 k = thread_in_grid(), i = 0;
    int64 found = HAS_PRESENT && k == 0 ? counted(count_before, known_before) : 0;
    bool open = false, given = false;
    C result = C(0);
    if (k < count) {
        i = few.positions[k];
        open = allowed(mask, SUBMASK ? k : i);
        given = GIVEN == 1 || (GIVEN == 2 && (T_FULL || t_present[k]));
        if (open && given) {
            T value = GIVEN == 1 ? scalar : t[T_ISO ? 0 : k];
            result = cast<C>(value);
            if constexpr (ACCUM)
                if (!HAS_PRESENT || present[i]) result = cast<C>(op(cast<Left>(values[i]), cast<Right>(value), i, 0, i, 0));
        }
    }
    __syncthreads();  // the mask, or what is assigned, may be c itself: everything is read before anything is written
    if (open && given) {
        values[i] = result;
        if (HAS_PRESENT) found += first_to_set(present + i);
    } else if (HAS_PRESENT && k < count && (open ? !ACCUM : REPLACE)) {
        found -= first_to_clear(present + i);
    }
    if (HAS_PRESENT) publish_one(found, counters, host);
}
