// The entries of every row of a matrix combined, balanced over entries: a row of a million and a million rows of one keep
// all warps equally busy. Generated: Offset, Value, add, and what parts.cuh needs.
//
// The entries are cut into chunks, one per warp: their number depends only on the number of entries, and so does the order of additions in
// a row. A warp goes through its chunk in windows, in which every lane has ITEMS consecutive entries; open sums of lanes are joined over
// the warp. The part of a row that began before a chunk is its `carry`, which a second kernel adds to the row.

#include "parts.cuh"
#include "row_starts.cuh"

// One chunk by a warp. load(base, hi, items): the values of this lane's entries, from base + lane() * ITEMS on, before hi.
template <class Load>
DEVICE void reduce_chunk(
    const Offset* indptr, int64 nrows, int64 entries, int64 chunk, int64 length, Starts& starts, Value* result,
    const Carry& carry, Load load
) {
    int64 lo = chunk * length, hi = lo + length < entries ? lo + length : entries;
    int64 first = first_row_at(indptr, nrows, lo);
    int64 open_row = int64(indptr[first]) == lo ? -1 : first - 1;  // that the next value belongs to
    if (lane() == 0) carry.rows[chunk] = open_row;
    bool begun = false;  // whether that row began in this chunk
    Part open = {false, Value(0)};
    for (int64 base = lo; base < hi; base += WINDOW) {
        int64 own = base + lane() * ITEMS;
        int number = own >= hi ? 0 : hi - own < ITEMS ? int(hi - own) : ITEMS;
        Value items[ITEMS];
        load(base, hi, items);
        int64 window_first = first;
        list_starts(indptr, nrows, first, base, hi, starts);
        unsigned bits = starts.bits[lane() >> 2] >> (8 * (lane() & 3)) & 0xff;
        int before = inclusive_sum(__popc(bits));  // rows that start before this lane's entries
        int all = from_lane(before, 31);
        before -= __popc(bits);
        int rank = before;
        Part head = {false, Value(0)}, run = {false, Value(0)};
        UNROLLED for (int k = 0; k < ITEMS; ++k) {
            if (k >= number) continue;
            if (bits >> k & 1) {
                if (rank == before) head = run;
                else result[window_first + starts.rows[rank - 1]] = run.value;
                ++rank;
                run.found = false;
            }
            run = joined(run, {true, items[k]});
        }
        unsigned starting = __ballot_sync(FULL_WARP, bits != 0);
        int from = starting & (FULL_WARP >> (31 - lane())) ? 31 - __clz(starting & (FULL_WARP >> (31 - lane()))) : 0;
        for (int distance = 1; distance < 32; distance <<= 1) {
            Value lower = from_lower(run.value, distance);
            if (lane() - distance >= from && number > 0) run.value = add(lower, run.value);
        }
        Value lower = from_lower(run.value, 1);
        bool is_first = !(starting & ((1u << lane()) - 1));  // no row starts in the lanes before
        Part carried = is_first ? open : Part{false, Value(0)};
        carried = joined(carried, {lane() > 0, lower});
        carried = joined(carried, head);
        if (bits && carried.found) {
            if (!is_first) result[window_first + starts.rows[before - 1]] = carried.value;
            else if (begun) result[open_row] = carried.value;
            else carry.values[chunk] = carried.value;
        }
        int last = hi - base < WINDOW ? int(hi - base - 1) / ITEMS : 31;  // the last lane that has entries
        Part tail = {true, from_lane(run.value, last)};
        open = starting ? tail : joined(open, tail);
        if (all) {
            open_row = window_first + starts.rows[all - 1];
            begun = true;
        }
        __syncwarp();
    }
    if (lane() == 0) {
        if (begun) result[open_row] = open.value;
        else carry.values[chunk] = open.value;
    }
}

// The warps of the grid share the chunks, and its threads the rows: row_is(row, filled) gets whether a row has entries. Empty rows belong
// to no chunk, even in long runs.
template <class Load, class RowIs>
DEVICE void reduce_rows(
    const Offset* indptr, int64 nrows, int64 entries, Value* result, const Carry& carry, Load load, RowIs row_is
) {
    __shared__ Starts starts[WARPS_OF_BLOCK];
    int64 length = chunk_length(entries);
    for (int64 chunk = warp_in_grid(); chunk * length < entries; chunk += warps_in_grid())
        reduce_chunk(indptr, nrows, entries, chunk, length, starts[threadIdx.x >> 5], result, carry, load);
    UNROLLED_BY(4) for (int64 row = thread_in_grid(); row < nrows; row += threads_in_grid()) row_is(row, indptr[row + 1] > indptr[row]);
}
