// Finds the rows that start in a window of entries of a warp, with any number of empty rows among them. Work per row is done
// by all threads of the grid, one row each. Generated: Offset.

#include "grid.cuh"

constexpr int ITEMS = 8, WINDOW = 32 * ITEMS;
constexpr int64 MOST_CHUNKS = 8192, LEAST_CHUNK = 4 * WINDOW;
constexpr int WARPS_OF_BLOCK = 8;
constexpr int MOST_STEPS = 16;  // through 32 rows each, in a window: to search for rows takes about as long

// The entries are cut into chunks of whole windows, one per warp: their number depends only on the number of entries.
DEVICE int64 chunk_length(int64 entries) {
    int64 length = (entries + MOST_CHUNKS - 1) / MOST_CHUNKS;
    return length < LEAST_CHUNK ? LEAST_CHUNK : (length + WINDOW - 1) / WINDOW * WINDOW;
}

// The first row that starts at an entry or later; all lanes of the warp pass the same arguments.
DEVICE int64 first_row_at(const Offset* indptr, int64 nrows, int64 entry) {
    return entry == 0 ? 0 : warp_upper_bound(indptr, nrows + 1, entry - 1);
}

// A bit for every entry of the window that is the first of its row, and these rows in order.
struct Starts {
    unsigned bits[ITEMS];
    unsigned rows[WINDOW];  // counted from the first row of the window
};

// The rest of a window in which most rows are empty, so that walking through them would keep the warp busy for long: the entries from the
// start of row `first` on search for their rows, all at the same time. `count` rows of the window are listed. Returns the first row that
// does not start before `stop`.
DEVICE int64 search_starts(
    const Offset* indptr, int64 nrows, int64 window_first, int64 first, int count, int64 base, int64 stop, Starts& starts
) {
    int64 end = first_row_at(indptr, nrows, stop);
    const Offset* offsets = indptr + first;
    constexpr int AT_ONCE = 4;
    unsigned size = unsigned(end - first), ahead = unsigned(first - window_first);
    if (size == 0) return end;
    UNROLLED_BY(1) for (int half = 0; half < ITEMS; half += AT_ONCE) {  // all at once would need more registers than walking through rows
        unsigned found[AT_ONCE] = {};  // the last of these rows that starts no later than the entry, so far
        for (unsigned step = 1u << (31 - __clz(size)); step > 0; step >>= 1) {
            UNROLLED for (int k = 0; k < AT_ONCE; ++k) {
                unsigned probe = found[k] + step;
                if (probe < size && int64(offsets[probe]) <= base + 32 * (half + k) + lane()) found[k] = probe;
            }
        }
        UNROLLED for (int k = 0; k < AT_ONCE; ++k) {
            int64 entry = base + 32 * (half + k) + lane();
            bool begins = int64(offsets[found[k]]) == entry;  // which then has it: the next one starts later
            unsigned some = __ballot_sync(FULL_WARP, begins);
            if (begins) starts.rows[count + __popc(some & ((1u << lane()) - 1))] = ahead + found[k];
            if (lane() == 0 && some) atomicOr(&starts.bits[half + k], some);
            count += __popc(some);
        }
    }
    return end;
}

// Lists the rows from `first` on that start in the window at `base`, before `hi`, and moves on to the first one that does not.
DEVICE void list_starts(const Offset* indptr, int64 nrows, int64& first, int64 base, int64 hi, Starts& starts) {
    int64 stop = base + WINDOW < hi ? base + WINDOW : hi;
    if (lane() < ITEMS) starts.bits[lane()] = 0;
    __syncwarp();
    int64 window_first = first;
    int count = 0;
    for (int step = 0;; ++step) {
        if (step == MOST_STEPS) {
            first = search_starts(indptr, nrows, window_first, first, count, base, stop, starts);
            break;
        }
        int64 row = first + lane();
        bool there = row < nrows;
        int64 start = there ? int64(indptr[row]) : 0, next = there ? int64(indptr[row + 1]) : 0;  // both in flight
        there = there && start < stop;
        bool filled = there && next > start;
        unsigned all = __ballot_sync(FULL_WARP, there), some = __ballot_sync(FULL_WARP, filled);
        if (filled) {
            int at = int(start - base);
            atomicOr(&starts.bits[at >> 5], 1u << (at & 31));
            starts.rows[count + __popc(some & ((1u << lane()) - 1))] = unsigned(row - window_first);
        }
        count += __popc(some);
        first += __popc(all);
        if (all != FULL_WARP) break;
    }
    __syncwarp();
}

// use(first, hi, rows) for every window of entries: rows[k] is the row of entry first + 32 k, if that comes before hi. Issue
// all loads before the first store to keep memory busy. The warps of the grid share the chunks.
template <class Use> DEVICE void for_each_window(const Offset* indptr, int64 nrows, int64 entries, Use use) {
    __shared__ Starts all_starts[WARPS_OF_BLOCK];
    Starts& starts = all_starts[threadIdx.x >> 5];
    int64 length = chunk_length(entries);
    for (int64 chunk = warp_in_grid(); chunk * length < entries; chunk += warps_in_grid()) {
        int64 lo = chunk * length, hi = lo + length < entries ? lo + length : entries;
        int64 first = first_row_at(indptr, nrows, lo), open_row = first - 1;
        for (int64 base = lo; base < hi; base += WINDOW) {
            int64 window_first = first, rows[ITEMS];
            list_starts(indptr, nrows, first, base, hi, starts);
            int rank = 0;
            UNROLLED for (int k = 0; k < ITEMS; ++k) {
                unsigned bits = starts.bits[k];
                int own = rank + __popc(bits & (FULL_WARP >> (31 - lane())));
                rank += __popc(bits);
                rows[k] = own ? window_first + starts.rows[own - 1] : open_row;
            }
            use(base + lane(), hi, rows);
            if (rank) open_row = window_first + starts.rows[rank - 1];
            __syncwarp();
        }
    }
}

// use(entry, row) for every entry.
template <class Use> DEVICE void for_each_entry(const Offset* indptr, int64 nrows, int64 entries, Use use) {
    for_each_window(indptr, nrows, entries, [&](int64 first, int64 hi, const int64(&rows)[ITEMS]) {
        UNROLLED for (int k = 0; k < ITEMS; ++k)
            if (first + 32 * k < hi) use(first + 32 * k, rows[k]);
    });
}
