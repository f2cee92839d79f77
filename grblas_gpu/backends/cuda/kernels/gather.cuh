// A gather in a loop that overwrites its vector at all positions, in place. A lookup needs its index first, so a thread has several
// independent lookups in flight. Gathers use the same thread-to-index mapping as all passes over positions: the steps before and after need
// no barrier.

#include "slot.cuh"

// out = source[index]. The index is read before the same thread writes to its position: it may be `out`. FIRST: `out` has no entries, and
// its flags may be any.
template <bool VALUED, bool OUT_FULL, bool FIRST, bool SOURCE_FULL, bool SOURCE_ISO, bool INDEX_FULL, bool INDEX_ISO, class T, class V, class I, class Offset>
DEVICE void gather_all(
    const Slot<T>& out, const Slot<V>& source, const Slot<I>& index, const Offset* next, int64* counters, const Wrong& wrong
) {
    constexpr int EACH_THREAD = 4;
    Count<Offset> count = {next, 0, 0};
    const bool *named = index.flags(), *has = source.flags();
    bool* flags = out.flags();
    bool names = index.count > 0, reads = source.count > 0;  // an empty iso source may have no memory for its value
    int64 step = threads_in_grid();
    for (int64 first = thread_in_grid(); first < out.size; first += EACH_THREAD * step) {
        int64 i[EACH_THREAD], place[EACH_THREAD];
        bool found[EACH_THREAD], had[EACH_THREAD], wrongly = false;
        V value[EACH_THREAD];
#pragma unroll
        for (int n = 0; n < EACH_THREAD; ++n) {  // no branches: threads without a lookup read position 0
            i[n] = first + n * step;
            found[n] = i[n] < out.size;
            int64 at = found[n] ? i[n] : 0;
            place[n] = names ? int64(index.values()[INDEX_ISO ? 0 : at]) : 0;
            if constexpr (!INDEX_FULL) found[n] = found[n] & names & named[at];
            had[n] = !OUT_FULL && !FIRST && flags[at];
        }
#pragma unroll
        for (int n = 0; n < EACH_THREAD; ++n) {
            bool is = uint64(place[n]) < uint64(source.size);
            wrongly |= found[n] & !is;
            found[n] = found[n] & is & reads;
            place[n] = found[n] ? place[n] : 0;
            value[n] = V();
        }
        if (wrongly) wrong.note();
        if (reads) {
#pragma unroll
            for (int n = 0; n < EACH_THREAD; ++n) {
                if constexpr (!SOURCE_FULL) found[n] = found[n] & has[place[n]];
                value[n] = source.values()[SOURCE_ISO ? 0 : place[n]];
            }
        }
#pragma unroll
        for (int n = 0; n < EACH_THREAD; ++n) {
            if (i[n] >= out.size) continue;
            if (!OUT_FULL && (FIRST || found[n] != had[n])) flags[i[n]] = found[n];
            if (!OUT_FULL && found[n] != had[n]) count.add(i[n], found[n] ? 1 : -1);
            if constexpr (VALUED)
                if (found[n]) out.values()[i[n]] = cast<T>(value[n]);
        }
    }
    count.publish(counters);
}
