// A scatter in a loop: entries go to the positions of an index, into the other buffer of a vector, which is clean. Included once for each,
// inside a namespace with the definitions of sums.cuh and
//   FIRST_COMES  the first entry for a position is taken: no sums
//   ONLY_ONE     a second entry for the same position is an error

#include "sums.cuh"

// `read(p, i, value)` returns whether there is an entry for position i; p runs through the list of the driver, if it has one, or through
// all positions. Positions reached for the first time go to the list of the result.
template <class D, class S, class Offset, class Read>
DEVICE void scatter(
    const D& driver, bool by_list, const S& out, const Offset* next, int64* counters, const Wrong& twice, Read read
) {
    Count<Offset> count = {next, 0, 0};
    Sums sums = {(uint8*)out.other_flags(), 1, (Value*)out.other_values()};
    int64 items = by_list ? driver.count : driver.size, unlisted = 0;
    bool lists = true;  // until the list is full: all warps would wait for its counter
    for (int64 base = thread_in_grid() - lane(); base < items; base += threads_in_grid()) {
        int64 t = base + lane(), i = 0;
        bool first = false;
        Value value = Value();
        if (t < items && read(by_list ? driver.list()[t] : t, i, value)) {
            if constexpr (!FIRST_COMES) add_atomically(sums.values + i, value);
            first = first_touch(sums, i);
            if (ONLY_ONE && !first) twice.note();
            if (FIRST_COMES && first) sums.values[i] = value;
            if (first) count.add(i);
        }
        if (lists) {
            int64 place = place_in_list(counters + LISTED_ENTRIES, first);
            if (first && place < out.capacity) out.other_list()[place] = i;
            lists = !__any_sync(FULL_WARP, first && place >= out.capacity);
        } else {
            unlisted += first;
        }
    }
    add_to_counter(counters + LISTED_ENTRIES, unlisted);
    count.publish_edges(counters);
}
