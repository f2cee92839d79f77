// Several steps in one pass over the positions: their results stay in variables, which later steps of the pass read, and are written once.

#include "loop_positions.cuh"

constexpr int64 SHORT_ROW = 32;  // entries: one thread sums such a row of a product where the sum is needed

// A list that grows while a pass runs, with an atomic counter.
struct NewList {
    int64* entries;
    int64 capacity;
    int64* counter;
};
// Bit n of `found`: position i goes to list n. All lanes of the warp call it together; one lane per list reserves its places, so that the
// lists do not wait for each other.
template <int COUNT> DEVICE void append(const NewList (&lists)[COUNT], int64 i, unsigned found) {
    unsigned wanting[COUNT];
    int64 first = 0;
#pragma unroll
    for (int n = 0; n < COUNT; ++n) {
        wanting[n] = __ballot_sync(FULL_WARP, found >> n & 1);
        if (lane() == n && wanting[n]) first = int64(atomicAdd((uint64*)lists[n].counter, uint64(__popc(wanting[n]))));
    }
#pragma unroll
    for (int n = 0; n < COUNT; ++n) {
        int64 place = from_lane(first, n) + __popc(wanting[n] & ((1u << lane()) - 1));
        if (found >> n & 1 && place < lists[n].capacity) lists[n].entries[place] = i;
    }
}

// A vector that goes to its other buffer, with a list where the pass goes by one (as `overwrite` in loop_positions.cuh does for one step).
template <bool VALUED, class T, class Offset> struct Overwriting {
    bool* flags;
    T* values;
    NewList list;
    Count<Offset> count;
    int64* counters;
    bool with_list;
    DEVICE void write(int64 i, bool found, T value) {
        if (found || !with_list) flags[i] = found;
        if constexpr (VALUED)
            if (found) values[i] = value;
        if (found) count.add(i);
    }
    DEVICE void publish() {
        if (with_list) count.publish_edges(counters);
        else count.publish(counters);
    }
};
template <bool VALUED, class T, class Offset>
DEVICE Overwriting<VALUED, T, Offset> overwriting(const Slot<T>& out, const Offset* next, int64* counters, bool with_list) {
    NewList list = {out.other_list(), out.capacity, counters + LISTED_ENTRIES};
    return {out.other_flags(), out.other_values(), list, {next, 0, 0}, counters, with_list};
}

// A vector that changes in place. `had`: there was an entry; `wrote`: the value may have changed.
template <bool VALUED, class T, class Offset> struct Changing {
    bool* flags;
    T* values;
    Count<Offset> count;
    int64* counters;
    DEVICE void write(int64 i, bool had, bool found, bool wrote, T value) {
        if (found != had) {
            flags[i] = found;
            count.add(i, found ? 1 : -1);
        }
        if constexpr (VALUED)
            if (found && wrote) values[i] = value;
    }
    DEVICE void publish() { count.publish(counters); }
};
template <bool VALUED, class T, class Offset>
DEVICE Changing<VALUED, T, Offset> changing(const Slot<T>& out, const Offset* next, int64* counters) {
    return {out.flags(), out.values(), {next, 0, 0}, counters};
}

// visit(i) for the entries of `driver` by its list, or for all positions: whole warps at a time. Its result says to which lists position i
// goes, if there are lists.
template <class D, int COUNT, class Visit>
DEVICE void pass(const Slot<D>& driver, bool by_list, const NewList (&lists)[COUNT], Visit visit) {
    int64 items = by_list ? driver.count : driver.size, base = thread_in_grid() - lane();
    if (by_list) base = 32 * ((thread() >> 5) * BLOCK_COUNT + blockIdx.x);  // warps of all blocks share a short list
    for (; base < items; base += threads_in_grid()) {
        int64 t = base + lane(), i = 0;
        unsigned found = 0;
        if (t < items) {
            i = by_list ? driver.list()[t] : t;
            found = visit(i);
        }
        if (by_list) append(lists, i, found);
    }
}
