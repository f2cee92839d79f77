// The rows of a matrix added up, balanced over entries and rows: a warp takes a chunk of the path that goes through the
// entries of the first row, its end, the entries of the second row, its end and so on, so that neither long rows nor long
// runs of empty ones keep a warp busy alone. Entry e of row r is at e + r of that path. How many chunks there are depends on
// its length only, and the order in which a row is added up on that and on where its entries lie: however many warps there
// are. What a chunk holds of a row that began before it is its `carry`, which is added to the row when all chunks are done
// (add_carries: in another kernel, or after a grid barrier). Generated: Offset, Value, add.

#include "carries.cuh"
#include "row_lanes.cuh"
#include "row_starts.cuh"

// Chunks of a path through so many entries and rows.
DEVICE int64 path_chunk(int64 nrows, int64 entries) { return chunk_length(entries + nrows); }

// load(base, skipped, count, items) as in row_groups.cuh, load_lane as in row_lanes.cuh; row_is(row, filled) is called for every row:
// whether it has entries. BY_LANES: where rows that follow each other are short, a lane takes one.
template <int IN_FLIGHT, bool BY_LANES, class Load, class LoadLane, class RowIs>
DEVICE void add_up_chunk(
    const Offset* indptr, int64 nrows, int64 entries, int64 chunk, int64 length, Value* result, const Carry& carry,
    Load load, LoadLane load_lane, RowIs row_is
) {
    int64 path = entries + nrows;
    Place begin = Place(chunk * length), end = Place(chunk * length + length < path ? chunk * length + length : path);
    // The first row that begins in this chunk, or later.
    int64 first = begin == 0 ? 0 : warp_upper_bound(indptr, nrows + 1, int64(begin) - 1, 1);
    bool begun = Place(indptr[first]) + Place(first) != begin;  // the row before it, before this chunk
    if (begun && Place(indptr[first]) + Place(first) - 1 == begin) begun = false;  // of that nothing is left but its end
    if (lane() == 0) carry.rows[chunk] = begun ? first - 1 : -1;
    Place row = Place(first) - begun + lane(), rows = Place(nrows);
    auto offset = [&](Place at) { return Place(at <= rows ? indptr[at] : entries); };
    Place start = offset(row), stop = offset(row + 1);
    for (unsigned all = FULL_WARP; all == FULL_WARP;) {
        Place next_start = offset(row + 32), next_stop = offset(row + 33);  // in flight
        bool mine = row < rows && start + row < end;
        all = __ballot_sync(FULL_WARP, mine);  // these are the first lanes: rows begin one after another
        if (!all) break;
        bool open = start + row < begin;  // what began before
        Place own = open ? begin - row : start, own_end = stop + row < end ? stop : end - row;
        if (!mine) own = own_end = 0;
        Part sum = {false, Value(0)};
        bool by_lanes = BY_LANES && entries < SHORT_MEAN * nrows && !__any_sync(FULL_WARP, own_end - own > Place(LANE_ROW));
        if (by_lanes) sum = sum_of_lane(own, own_end, load_lane);
        else add_rows<IN_FLIGHT>(own, own_end, from_lane(own, 0), from_lane(own_end, 31 - __clz(all)), sum, load);
        if (mine && open) carry.values[chunk] = sum.value;
        else if (mine) {
            row_is(row, sum.found);
            if (sum.found) result[row] = sum.value;
        }
        row += 32;
        start = next_start;
        stop = next_stop;
    }
}

// The warps of the grid share the chunks.
template <int IN_FLIGHT, bool BY_LANES, class Load, class LoadLane, class RowIs>
DEVICE void add_up_rows(
    const Offset* indptr, int64 nrows, int64 entries, Value* result, const Carry& carry, Load load, LoadLane load_lane,
    RowIs row_is
) {
    int64 length = path_chunk(nrows, entries);
    // Warps of different blocks have chunks that follow each other: what is left for the last turn is on all processors.
    int64 first = int64(thread() >> 5) * BLOCK_COUNT + blockIdx.x;
    for (int64 chunk = first; chunk * length < entries + nrows; chunk += warps_in_grid())
        add_up_chunk<IN_FLIGHT, BY_LANES>(indptr, nrows, entries, chunk, length, result, carry, load, load_lane, row_is);
}
