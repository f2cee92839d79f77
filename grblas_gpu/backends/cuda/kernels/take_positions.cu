// The entries of a vector at given positions, which may repeat. Generated: Stored, Given (the type of the positions), and
//   ISO     one value stands for all, and is copied once
//   CHECK   positions come from the user: the kernel reports how many are out of bounds, and does not read there
//
// A thread loads AT_A_TIME positions, then their entries, before it writes any of them. If the positions are few and the vector is full,
// the kernel publishes that all are in bounds before it reads entries: the host waits only for that.

#include "grid.cuh"
#include "publish.cuh"

constexpr int AT_A_TIME = 4;

extern "C" __global__ void __launch_bounds__(256, 8) take_positions_kernel(
    const bool* present, const Stored* values, int64 size, const Given* positions, int64 count, bool* out_present,
    Stored* out, int64* counters, volatile int64* host
) {
    bool full = !present;  // the vector has an entry everywhere; otherwise flags say where
    int64 found = 0, outside = 0, first = thread_in_grid(), step = threads_in_grid();
    bool early = full && CHECK && count <= AT_A_TIME * step;
    if (ISO && first == 0) out[0] = values[0];
    do {  // all threads: idle ones wait for the others
        int64 at[AT_A_TIME];
        UNROLLED for (int k = 0; k < AT_A_TIME; ++k) {
            Given given = first + k * step < count ? positions[first + k * step] : Given(0);
            at[k] = CHECK ? given_position(given, size) : int64(given);
        }
        unsigned inside = 0;
        UNROLLED for (int k = 0; k < AT_A_TIME; ++k) {
            bool is_inside = !CHECK || uint64(at[k]) < uint64(size);
            outside += !is_inside;
            if (is_inside && first + k * step < count) inside |= 1u << k;
            else at[k] = 0;
        }
        if (early) publish_one<SLOT_EDGES>(outside, counters, host);
        Stored value[AT_A_TIME];
        unsigned there = 0;
        UNROLLED for (int k = 0; k < AT_A_TIME; ++k) {
            if (full || present[at[k]]) there |= 1u << k;
            if (!ISO) value[k] = values[at[k]];  // positions without an entry copy arbitrary memory
        }
        there &= inside;
        UNROLLED for (int k = 0; k < AT_A_TIME; ++k) {
            int64 p = first + k * step;
            if (!full && p < count) out_present[p] = there >> k & 1;
            if (!ISO && (there >> k & 1)) out[p] = value[k];
        }
        found += __popc(there);
        first += AT_A_TIME * step;
    } while (first < count);
    if (full && CHECK && !early) publish_one<SLOT_EDGES>(outside, counters, host);
    else if (!full && CHECK) publish(found, outside, counters, host);
    else if (!full) publish_one(found, counters, host);
}
