// Keys in the registers of a group of lanes, EACH_LANE each, that the group sorts. All lanes of a warp call these functions
// together; its groups do the same for different rows.

#include "grid.cuh"

template <class T> DEVICE T from_partner(T value, int distance) { return __shfl_xor_sync(FULL_WARP, value, distance); }

template <int LANES, int EACH_LANE, class Key> struct SortedLanes {
    static DEVICE int rank() { return lane() & (LANES - 1); }
    static DEVICE int leader() { return lane() & ~(LANES - 1); }

    template <class T> static DEVICE T inclusive(T number) {
#pragma unroll
        for (int distance = 1; distance < LANES; distance <<= 1) {
            T lower = from_lower(number, distance);
            if (rank() >= distance) number += lower;
        }
        return number;
    }

    static DEVICE void exchange(Key& x, Key& y, bool ascending) {
        Key low = x < y ? x : y, high = x < y ? y : x;
        x = ascending ? low : high;
        y = ascending ? high : low;
    }
    // Strides below EACH_LANE of a bitonic merge; all of a lane's keys go in one direction.
    static DEVICE void merge_own(Key (&keys)[EACH_LANE], bool ascending) {
#pragma unroll
        for (int stride = EACH_LANE / 2; stride > 0; stride >>= 1)
#pragma unroll
            for (int r = 0; r < EACH_LANE; ++r)
                if (!(r & stride)) exchange(keys[r], keys[r | stride], ascending);
    }
    // Bitonic sort of the group's keys; afterwards lane by lane, EACH_LANE at a time, they ascend.
    static DEVICE void sort(Key (&keys)[EACH_LANE]) {
#pragma unroll
        for (int size = 2; size < EACH_LANE; size <<= 1)
#pragma unroll
            for (int stride = size / 2; stride > 0; stride >>= 1)
#pragma unroll
                for (int r = 0; r < EACH_LANE; ++r)
                    if (!(r & stride)) exchange(keys[r], keys[r | stride], !(r & size));
        merge_own(keys, !(rank() & 1));
#pragma unroll 1
        for (int lanes = 2; lanes <= LANES; lanes <<= 1) {
            bool ascending = lanes == LANES || !(rank() & lanes);
#pragma unroll 1
            for (int distance = lanes / 2; distance > 0; distance >>= 1) {
                bool keeps_low = ascending == !(rank() & distance);
#pragma unroll
                for (int r = 0; r < EACH_LANE; ++r) {
                    Key other = from_partner(keys[r], distance);
                    keys[r] = (other < keys[r]) == keeps_low ? other : keys[r];
                }
            }
            merge_own(keys, ascending);
        }
    }
};
