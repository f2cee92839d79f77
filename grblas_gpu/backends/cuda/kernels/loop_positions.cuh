// Steps of a loop that run position by position: they overwrite a vector in its other buffer, or change it in place. A thread has the same
// positions in every pass over all of them, so that consecutive passes need no barrier between them (except for `pick`, see
// fusion/schedule.py).

#include "slot.cuh"

// out = the results of `compute(i, value)` at all positions, into the other buffer; with a list, if that is clean. A block reserves places
// once for many positions: there may be entries everywhere.
template <bool VALUED, class T, class Offset, class Compute>
DEVICE void pick(const Slot<T>& out, const Offset* next, int64* counters, bool with_list, Compute compute) {
    constexpr int EACH_THREAD = 4;
    __shared__ int64 shared[32], first;
    Count<Offset> count = {next, 0, 0};
    bool* flags = out.other_flags();
    T* values = out.other_values();
    int64 step = blockDim.x, tile = EACH_THREAD * step;
    for (int64 base = int64(blockIdx.x) * tile; base < out.size; base += threads_in_grid() * EACH_THREAD) {
        unsigned bits = 0;
        int64 mine = base + threadIdx.x, total;
        T computed[EACH_THREAD];
        UNROLLED for (int n = 0; n < EACH_THREAD; ++n) {  // all reads come before the first write, which other lanes might read
            computed[n] = T();
            if (mine + n * step < out.size) bits |= unsigned(compute(mine + n * step, computed[n])) << n;
        }
        UNROLLED for (int n = 0; n < EACH_THREAD; ++n) {
            int64 i = mine + n * step;
            bool found = bits >> n & 1;
            if (i < out.size && (found || !with_list)) flags[i] = found;
            if constexpr (VALUED)
                if (found) values[i] = computed[n];
            if (found) count.add(i);
        }
        if (!with_list) continue;
        int64 place = block_offset(__popc(bits), total, shared);
        if (total == 0) continue;
        __syncthreads();
        if (threadIdx.x == 0) first = int64(atomicAdd((uint64*)(counters + LISTED_ENTRIES), uint64(total)));
        __syncthreads();
        place += first;
        for (; bits; bits &= bits - 1, ++place)
            if (place < out.capacity) out.other_list()[place] = mine + (__ffs(bits) - 1) * step;
    }
    if (with_list) count.publish_edges(counters);
    else count.publish(counters);
}

// out = a row of a matrix, into the other buffer. EACH: its entries have values of their own.
template <bool VALUED, bool EACH, class T, class Column, class MatrixValue, class Offset>
DEVICE void overwrite_by_row(
    const Slot<T>& out, const Column* indices, const MatrixValue* values, int64 length, const Offset* next, int64* counters
) {
    Count<Offset> count = {next, 0, 0};
    if (!VALUED && length > 0 && thread_in_grid() == 0) out.other_values()[0] = cast<T>(values[0]);
    for (int64 t = spare_thread(length, 0); t < length; t += threads_in_grid()) {  // positions before may still be computed
        int64 i = indices[t];
        out.other_flags()[i] = true;
        if (t < out.capacity) out.other_list()[t] = i;
        if constexpr (VALUED) out.other_values()[i] = cast<T>(values[EACH ? t : 0]);
        count.add(i);
    }
    count.publish_edges(counters);
}

// visit(i) for the entries of `driver`, from its list or its flags, or for all positions without a driver. Lists are unordered: if one
// position in MANY has an entry, visiting all of them takes less time than random accesses.
template <class D, class Visit> DEVICE void for_each_entry(const Slot<D>* driver, int64 size, Visit visit) {
#if PLAIN
    bool by_list = driver && driver->listed;
    for (int64 t = thread_in_grid(); t < (by_list ? driver->count : size); t += threads_in_grid()) {
        int64 i = by_list ? driver->list()[t] : t;
        if (by_list || !driver || driver->has(i)) visit(i);
    }
    return;
#endif
    if (driver && driver->listed && driver->count * MANY < size) {
        const int64* list = driver->list();
        for (int64 t = spare_thread(driver->count, 0); t < driver->count; t += threads_in_grid()) visit(list[t]);
    } else if (driver && !driver->full()) {
        const bool* flags = driver->flags();
        for (int64 base = thread_in_grid() * 4; base < size; base += threads_in_grid() * 4)
            for (unsigned word = four_flags(flags, base, size) & 0x01010101u; word; word &= word - 1)
                visit(base + (__ffs(word) - 1) / 8);
    } else {
        for (int64 i = thread_in_grid(); i < size; i += threads_in_grid()) visit(i);
    }
}

// A vector changes in place: `compute(i, found, value)` gets whether there is an entry and its value, and changes both.
template <bool VALUED, class T, class Offset, class Compute> struct Change {
    const Slot<T>& out;
    Count<Offset> count;
    int64* counters;
    Compute compute;
    struct Entry {
        bool found;
        T value;  // if found
    };
    // Reads the present state. Callers that read first and write later can issue other loads in between.
    DEVICE Entry look(int64 i) const {
        const bool* flags = out.flags();
        return {flags == nullptr || flags[i], VALUED ? out.values()[i] : T()};
    }
    DEVICE void make(int64 i, Entry entry) {
        bool had = entry.found;
        compute(i, entry.found, entry.value);
        if (entry.found != had) {
            out.flags()[i] = entry.found;
            count.add(i, entry.found ? 1 : -1);
        }
        if constexpr (VALUED)
            if (entry.found) out.values()[i] = entry.value;
    }
    DEVICE void visit(int64 i) { make(i, look(i)); }
    // The positions with a set bit among the four from i on; i is a multiple of four.
    DEVICE void visit_four(int64 i, unsigned bits) {
        if (out.full() || i + 4 > out.size) {
            for (; bits; bits &= bits - 1) visit(i + (__ffs(bits) - 1) / 8);
            return;
        }
        unsigned had = *(const unsigned*)(out.flags() + i), now = had;
        UNROLLED for (int n = 0; n < 4; ++n) {
            if (!(bits >> 8 * n & 1)) continue;
            bool found = had >> 8 * n & 1;
            T value = T();
            if (VALUED && found) value = out.values()[i + n];
            compute(i + n, found, value);
            if (VALUED && found) out.values()[i + n] = value;
            now = (now & ~(255u << 8 * n)) | unsigned(found) << 8 * n;
        }
        if (now == had) return;
        *(unsigned*)(out.flags() + i) = now;
        count.entries += __popc(now) - __popc(had);
        if (count.next)
            for (int n = 0; n < 4; ++n) count.edges += (int(now >> 8 * n & 1) - int(had >> 8 * n & 1)) * count.edges_of(i + n);
    }
    DEVICE void publish() { count.publish(counters); }
    template <class D> DEVICE void visit_all(const Slot<D>* driver) {
        for_each_entry(driver, out.size, [&](int64 i) { visit(i); });
    }
};
template <bool VALUED, class T, class Offset, class Compute>
DEVICE Change<VALUED, T, Offset, Compute> change(const Slot<T>& out, const Offset* next, int64* counters, Compute compute) {
    return {out, {next, 0, 0}, counters, compute};
}
// Two changes at the same entries.
template <class E, class F> struct Pair {
    E first;
    F second;
};
template <class A, class B> struct Both {
    A first;
    B second;
    template <class E, class F> static DEVICE Pair<E, F> pair(E one, F other) { return {one, other}; }
    DEVICE auto look(int64 i) const { return pair(first.look(i), second.look(i)); }
    template <class E> DEVICE void make(int64 i, const E& seen) {
        first.make(i, seen.first);
        second.make(i, seen.second);
    }
    DEVICE void visit_four(int64 i, unsigned bits) {
        first.visit_four(i, bits);
        second.visit_four(i, bits);
    }
    DEVICE void publish() {
        first.publish();
        second.publish();
    }
    template <class D> DEVICE void visit_all(const Slot<D>* driver) {
        for_each_entry(driver, driver->size, [&](int64 i) { make(i, look(i)); });
    }
};
template <class A, class B> DEVICE Both<A, B> both(A first, B second) { return {first, second}; }
// A change that does nothing.
struct NoChange {
    DEVICE int look(int64) const { return 0; }
    DEVICE void make(int64, int) {}
    DEVICE void visit_four(int64, unsigned) {}
    DEVICE void publish() {}
    template <class D> DEVICE void visit_all(const Slot<D>*) {}
};

// --- several steps in one pass ---------------------------------------------------------------------------------------

// Several steps in one pass over the positions: their results stay in variables, which later steps of the pass read, and are written once.

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
    UNROLLED for (int n = 0; n < COUNT; ++n) {
        wanting[n] = __ballot_sync(FULL_WARP, found >> n & 1);
        if (lane() == n && wanting[n]) first = int64(atomicAdd((uint64*)lists[n].counter, uint64(__popc(wanting[n]))));
    }
    UNROLLED for (int n = 0; n < COUNT; ++n) {
        int64 place = from_lane(first, n) + __popc(wanting[n] & ((1u << lane()) - 1));
        if (found >> n & 1 && place < lists[n].capacity) lists[n].entries[place] = i;
    }
}

// A vector that goes to its other buffer, with a list where the pass goes by one (as `overwrite` does for one step).
template <bool VALUED, class T, class Offset> struct Overwriting {
    bool* flags;
    T* values;
    NewList list;
    Count<Offset> count;
    int64* counters;
    bool with_list;
    DEVICE void write(int64 i, bool found, T value) {
        int64 edges = found ? count.edges_of(i) : 0;  // in flight while the entry is written
        if (found || !with_list) flags[i] = found;
        if constexpr (VALUED)
            if (found) values[i] = value;
        count.entries += found;
        count.edges += edges;
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

// One step alone: out = the results of `compute(i, value)` at the entries of `driver` (or at all positions), into the other buffer.
template <bool VALUED, class D, class T, class Offset, class Compute>
DEVICE void overwrite(const Slot<D>& driver, const Slot<T>& out, const Offset* next, int64* counters, Compute compute) {
    auto put = overwriting<VALUED>(out, next, counters, driver.listed);
    NewList lists[] = {put.list};
    pass(driver, driver.listed, lists, [&](int64 i) -> unsigned {
        T value = T();
        bool found = compute(i, value);
        put.write(i, found, value);
        return found;
    });
    put.publish();
}

// --- gathers ---------------------------------------------------------------------------------------------------------

// A gather in a loop that overwrites its vector at all positions, in place. A lookup needs its index first, so a thread has several
// independent lookups in flight. Gathers use the same thread-to-index mapping as all passes over positions: the steps before and after need
// no barrier.

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
        UNROLLED for (int n = 0; n < EACH_THREAD; ++n) {  // no branches: threads without a lookup read position 0
            i[n] = first + n * step;
            found[n] = i[n] < out.size;
            int64 at = found[n] ? i[n] : 0;
            place[n] = names ? int64(index.values()[INDEX_ISO ? 0 : at]) : 0;
            if constexpr (!INDEX_FULL) found[n] = found[n] & names & named[at];
            had[n] = !OUT_FULL && !FIRST && flags[at];
        }
        UNROLLED for (int n = 0; n < EACH_THREAD; ++n) {
            bool is = uint64(place[n]) < uint64(source.size);
            wrongly |= found[n] & !is;
            found[n] = found[n] & is & reads;
            place[n] = found[n] ? place[n] : 0;
            value[n] = V();
        }
        if (wrongly) wrong.note();
        if (reads) {
            UNROLLED for (int n = 0; n < EACH_THREAD; ++n) {
                if constexpr (!SOURCE_FULL) found[n] = found[n] & has[place[n]];
                value[n] = source.values()[SOURCE_ISO ? 0 : place[n]];
            }
        }
        UNROLLED for (int n = 0; n < EACH_THREAD; ++n) {
            if (i[n] >= out.size) continue;
            if (!OUT_FULL && (FIRST || found[n] != had[n])) flags[i[n]] = found[n];
            if (!OUT_FULL && found[n] != had[n]) count.add(i[n], found[n] ? 1 : -1);
            if constexpr (VALUED)
                if (found[n]) out.values()[i[n]] = cast<T>(value[n]);
        }
    }
    count.publish(counters);
}
