// A vector in a loop: flags and values by position and, while it has few entries, an unordered list of them. Steps that overwrite it write
// to another buffer, which is clean unless it is `dirty`; the old one is cleaned by its list. There are two buffers, or three if the old
// one is cleaned while the next one is written. Clean: no flag is set, and if sums are added up in it (FILLED) every value is `initial`.

#include "grid_barrier.cuh"

// The counts of an operation's result; all threads of the team add theirs. With a list, its length is the number of entries.
constexpr int ENTRIES = 0, LISTED_ENTRIES = 1, EDGES_NEXT = 2, ROWS_GIVEN = 3, PARTS = 4, LIST_MADE = 5, OPEN_ROWS = 6, SORTED = 7;

// The word in which a round stores why the loop has to stop after it; for an error, also the step.
DEVICE void stop_because(int64* word, int64 why) { atomicMax((uint64*)word, uint64(why)); }
struct Wrong {
    int64* word;
    int64 what, step;
    DEVICE void note() const { stop_because(word, what + REASONS * step); }
};

constexpr int64 MANY = 16;  // if one position in so many has an entry, going through all of them is faster than going by a list

template <class T> struct Slot : SlotWords {  // the words are declared in fusion/layout.py
    using Type = T;

    DEVICE int64 next_buffer() const { return now + 1 == buffers ? 0 : now + 1; }
    DEVICE int64 old_buffer() const { return now == 0 ? buffers - 1 : now - 1; }
    DEVICE bool full() const { return flags_at[0] == nullptr; }
    DEVICE bool* flags() const { return global(flags_at[now]); }
    DEVICE bool* other_flags() const { return global(flags_at[next_buffer()]); }
    DEVICE T* values_in(int64 buffer) const { return global((T*)values_at[buffer]); }
    DEVICE T* values() const { return values_in(now); }
    DEVICE T* other_values() const { return values_in(next_buffer()); }
    DEVICE int64* list() const { return global(list_at[now]); }
    DEVICE int64* other_list() const { return global(list_at[next_buffer()]); }
    DEVICE bool has(int64 i) const { return full() || flags()[i]; }
    // At a position of an index, which may be out of bounds.
    DEVICE bool in_range(int64 i, const Wrong& wrong) const {
        bool is = uint64(i) < uint64(size);
        if (!is) wrong.note();
        return is;
    }
    DEVICE bool has_at(int64 i, const Wrong& wrong) const { return in_range(i, wrong) && has(i); }
    DEVICE T at(int64 i, const Wrong& wrong) const { return in_range(i, wrong) ? values()[i] : T(); }
    DEVICE bool other_is_dirty() const { return dirty >> next_buffer() & 1; }
    DEVICE void other_is_clean() { dirty &= ~(int64(1) << next_buffer()); }

    // The other buffer becomes the vector; thread 0 only. A step that wrote to a dirty buffer without a list has set all its flags; values
    // of positions without an entry are old ones, so it stays dirty.
    template <bool FILLED> CALLABLE void overwritten(int64 entries, int64 new_edges, bool with_list) {
        int64 old_entries = count;
        bool by_list = listed && count * MANY < size;  // a long list is unordered, and takes longer than cleaning all positions
        if (!by_list) dirty |= int64(1) << now;
        now = next_buffer();
        if (with_list || !FILLED) dirty &= ~(int64(1) << now);
        old_count = by_list ? count : 0;
        count = entries;
        listed = with_list && count <= capacity;
        edges_before = edges;
        entries_before = old_entries;
        edges_seen += edges;
        edges = new_edges;
    }
    // The same where the old buffer is clean at the end of the round after, and the new one has a list.
    CALLABLE void advanced(int64 entries, int64 new_edges) {
        now = next_buffer();
        old_count = 0;
        edges_before = edges;
        entries_before = count;
        edges_seen += edges;
        count = entries;
        edges = new_edges;
        pulled = false;
    }
    // Entries came or went in place; those that went have left their values.
    CALLABLE void changed(int64 new_entries, int64 new_edges) {
        count += new_entries;
        edges += new_edges;
        listed = false;
        if (buffers > 1) dirty |= int64(1) << now;
    }
};

// Cleans the old buffer by its list after the buffers were exchanged. It is not read before the next barrier.
template <bool FILLED, class T> CALLABLE void clean_by_list(const Slot<T>& slot, T initial, int place = 0) {
    int64 mine = spare_thread(slot.old_count, place);
    if (mine >= slot.old_count) return;
    int64 old = slot.old_buffer();
    const int64* list = global(slot.list_at[old]);
    bool* flags = global(slot.flags_at[old]);
    for (int64 t = mine; t < slot.old_count; t += threads_in_grid()) {
        int64 i = list[t];
        flags[i] = false;
        if constexpr (FILLED) slot.values_in(old)[i] = initial;
    }
}
CALLABLE void clear_flags(bool* flags, int64 size) {
    unsigned* words = (unsigned*)flags;
    for (int64 at = thread_in_grid(); at < size / 4; at += threads_in_grid()) words[at] = 0;
    if (thread_in_grid() < size % 4) flags[size - 1 - thread_in_grid()] = false;
}
template <bool FILLED, class T> CALLABLE void clean_all(const Slot<T>& slot, int64 buffer, T initial) {
    clear_flags(slot.flags_at[buffer], slot.size);
    if constexpr (FILLED)
        for (int64 i = thread_in_grid(); i < slot.size; i += threads_in_grid()) slot.values_in(buffer)[i] = initial;
}

// Four flags at a time. Arrays of flags begin at a multiple of four, and the bytes behind them are readable.
DEVICE unsigned four_flags(const bool* flags, int64 i, int64 size) {
    unsigned word = *(const unsigned*)(flags + i);
    return i + 4 <= size ? word : word & ((1u << (size - i) * 8) - 1);
}

DEVICE void put_four_flags(bool* flags, int64 i, unsigned word, int64 size) {
    if (i + 4 <= size) *(unsigned*)(flags + i) = word;
    else for (int n = 0; i + n < size; ++n) flags[i + n] = word >> 8 * n & 1;
}

// put(place, i) for the positions that flags(i) has: the lowest bits of four bytes, for those from i on. Blocks reserve places once for
// many positions, so that most of them stay in order. A thread takes 16 positions.
template <class Flags, class Put> DEVICE void list_positions(int64 size, int64* counter, Flags flags, Put put) {
    __shared__ int64 shared[32], first;
    for (int64 base = int64(blockIdx.x) * blockDim.x * 16; base < size; base += threads_in_grid() * 16) {
        int64 i = base + threadIdx.x * 16, total;
        unsigned words[4];
        int mine = 0;
        for (int part = 0; part < 4; ++part) {
            words[part] = i + 4 * part < size ? flags(i + 4 * part) & 0x01010101u : 0;
            mine += __popc(words[part]);
        }
        int64 place = block_offset(mine, total, shared);
        if (total == 0) continue;
        __syncthreads();
        if (threadIdx.x == 0) first = int64(atomicAdd((uint64*)counter, uint64(total)));
        __syncthreads();
        place += first;
        for (int part = 0; part < 4; ++part)
            for (unsigned word = words[part]; word; word &= word - 1) put(place++, i + 4 * part + (__ffs(word) - 1) / 8);
    }
}
// Makes the list of a vector's entries, which must have capacity for them.
template <class T> CALLABLE void make_list(const Slot<T>& slot, int64* counters) {
    const bool* flags = slot.flags();
    auto entries = [&](int64 i) { return four_flags(flags, i, slot.size); };
    list_positions(slot.size, counters + LIST_MADE, entries, [&](int64 place, int64 i) { slot.list()[place] = i; });
}

// First pass: arrays without entries. FILL: positions without an entry hold `initial`, unless that is left for whoever needs it (`later`).
template <bool ISO, bool FILL, class T>
CALLABLE void prepare(const Slot<T>& slot, int64 start, const T* source_values, T initial, bool later = false) {
    if (start == AS_IT_IS) return;
    if (start != ONE_VALUE) clear_flags(slot.flags_at[0], slot.size);
    bool fills = start == ONE_VALUE ? !ISO : FILL && !later;
    T value = start == ONE_VALUE ? source_values[0] : initial;
    if (fills)
        for (int64 i = thread_in_grid(); i < slot.size; i += threads_in_grid()) slot.values_in(0)[i] = value;
}

// Second pass: the entries of the list, and how many edges they have.
template <bool ISO, class T, class Offset>
CALLABLE void enter(
    const Slot<T>& slot, int64 start, const int64* source, const T* source_values, int64 distinct_values,
    const Offset* next, int64* counter
) {
    int64 edges = 0;
    if (start == ONE_ENTRY) {
        if (thread_in_grid() == 0) {
            int64 i = int64(source);
            slot.flags_at[0][i] = true;
            slot.values_in(0)[ISO ? 0 : i] = value_of<T>(uint64(source_values));
            if (slot.listed) slot.list_at[0][0] = i;
            if (next) *counter = int64(next[i + 1]) - int64(next[i]);
        }
        return;
    }
    bool from_list = start == AS_LIST;
    int64 items = from_list ? slot.count : next && start != EMPTY ? slot.size : 0;
    for (int64 t = thread_in_grid(); t < items; t += threads_in_grid()) {
        int64 i = from_list ? source[t] : t;
        if (from_list) {
            slot.flags_at[0][i] = true;
            if constexpr (!ISO) slot.values_in(0)[i] = source_values[distinct_values ? t : 0];
            if (slot.listed) slot.list_at[0][t] = i;
        } else if (!slot.has(i)) {
            continue;
        }
        if (next) edges += int64(next[i + 1]) - int64(next[i]);
    }
    if (ISO && from_list && thread_in_grid() == 0) slot.values_in(0)[0] = source_values[0];
    if (next) add_to_counter(counter, edges);
}

// At the end the vector is in its primary buffer, where values without an entry are arbitrary; the other buffers are clean again.
template <bool FILLED, class T> CALLABLE void leave_clean(const Slot<T>& slot, T initial) {
    for (int64 buffer = 0; buffer < slot.buffers; ++buffer) {
        if (buffer == slot.now || !(slot.dirty >> buffer & 1)) continue;
        if (buffer == 0) clear_flags(slot.flags_at[0], slot.size);
        else clean_all<FILLED>(slot, buffer, initial);
    }
    clean_by_list<FILLED>(slot, initial);
}
template <bool VALUED, bool FILLED, class T> CALLABLE void move_to_primary_buffer(const Slot<T>& slot, T initial) {
    if (slot.now == 0) return;
    bool by_list = slot.listed && !(slot.dirty >> slot.now & 1);
    int64 items = by_list ? slot.count : slot.size;
    for (int64 t = thread_in_grid(); t < items; t += threads_in_grid()) {
        int64 i = by_list ? slot.list()[t] : t;
        slot.flags_at[0][i] = slot.flags()[i];
        slot.flags()[i] = false;
        if constexpr (VALUED) {
            slot.values_in(0)[i] = slot.values()[i];
            if constexpr (FILLED) slot.values()[i] = initial;
        }
    }
    if (!VALUED && thread_in_grid() == 0) slot.values_in(0)[0] = slot.values()[0];
}

// Entries and, if the offsets of the next product's matrix are given, edges of the positions that a thread writes.
template <class Offset> struct Count {
    const Offset* next;
    int entries;
    int64 edges;
    DEVICE void add(int64 i, int sign = 1) {
        entries += sign;
        edges += sign * edges_of(i);
    }
    DEVICE int64 edges_of(int64 i) const { return next ? int64(next[i + 1]) - int64(next[i]) : 0; }
    DEVICE void publish_edges(int64* counters) {
        if (next) add_to_counter(counters + EDGES_NEXT, edges);
    }
    DEVICE void publish(int64* counters) {
        add_to_counter(counters + ENTRIES, entries);
        publish_edges(counters);
    }
};
