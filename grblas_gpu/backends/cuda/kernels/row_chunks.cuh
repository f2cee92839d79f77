// The rows of a matrix summed, balanced over entries and rows: a warp takes a chunk of the path through the entries of the first row, its
// end, the entries of the second row, its end and so on, so that neither long rows nor long runs of empty ones overload a warp. Entry e of
// row r is at e + r of that path. The number of chunks depends only on its length, and the order of additions in a row on that and on the
// places of its entries, not on the number of warps. The part of a row that began before a chunk is the `carry` of the chunk, which is
// added to the row when all chunks are done (add_carries: in another kernel, or after a grid barrier). Generated: Offset, Value, add.

#include "carries.cuh"
#include "row_lanes.cuh"
#include "row_stage.cuh"
#include "row_starts.cuh"

// Chunks of a path through so many entries and rows.
DEVICE int64 path_chunk(int64 nrows, int64 entries) { return chunk_length(entries + nrows); }

// load(base, skipped, count, items) as in row_groups.cuh, load_lane as in row_lanes.cuh; row_is(row, filled) is called for every row with
// whether it has entries. BY_LANES: consecutive short rows are distributed over the lanes.
template <int IN_FLIGHT, bool BY_LANES, class Load, class LoadLane, class RowIs>
DEVICE void add_up_chunk(
    const Offset* indptr, int64 nrows, int64 entries, int64 chunk, int64 length, Value* result, const Carry& carry,
    const Load& load, LoadLane load_lane, RowIs row_is
) {
    // As few words as possible: registers are scarce, and spilling a value that is still being loaded gains nothing.
    Place begin = Place(chunk) * Place(length), left = Place(entries + nrows) - begin;
    Place end = begin + (Place(length) < left ? Place(length) : left), rows = Place(nrows);
    // The first row that begins in this chunk, or later.
    Place first = begin == 0 ? 0 : Place(warp_upper_bound(indptr, nrows + 1, int64(begin) - 1, 1));
    bool begun = Place(indptr[first]) + first != begin;  // the row before it, before this chunk
    if (begun && Place(indptr[first]) + first - 1 == begin) begun = false;  // of that nothing is left but its end
    if (lane() == 0) carry.rows[chunk] = begun ? int64(first) - 1 : -1;
    constexpr int ROWS = BY_LANES && STAGED ? STAGED_ROWS : 1;  // rows per lane, 32 apart
    Place row = first - begun + lane();
    auto offset = [&](Place at) { return Place(at <= rows ? indptr[at] : entries); };
    Place start[ROWS], behind = offset(row - lane() + 32 * ROWS);  // where the rows begin, and where the row after the last one begins
#pragma unroll
    for (int r = 0; r < ROWS; ++r) start[r] = offset(row + 32 * r);
    for (bool more = true; more;) {
        Place next_start[ROWS], next_behind = offset(row - lane() + 64 * ROWS), own[ROWS], own_end[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) next_start[r] = offset(row + 32 * (r + ROWS));  // in flight
        unsigned all[ROWS];
        bool is_short = BY_LANES && entries < SHORT_MEAN * nrows;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            Place at = row + 32 * r, stop = from_higher(start[r], 1), others = r + 1 < ROWS ? from_lane(start[(r + 1) % ROWS], 0) : behind;
            if (lane() == 31) stop = others;
            bool mine = at < rows && start[r] + at < end;
            all[r] = __ballot_sync(FULL_WARP, mine);  // these are the first lanes: rows begin one after another
            own[r] = at < first ? begin - at : start[r];  // what began before is open
            own_end[r] = stop + at < end ? stop : end - at;
            if (!mine) own[r] = own_end[r] = 0;
            is_short = is_short && own_end[r] - own[r] <= Place(LANE_ROW);
        }
        if (!all[0]) break;
        Part sum[ROWS] = {};
        Place from = from_lane(own[0], 0), to = from_lane(own_end[0], 31 - __clz(all[0]));
        int taken = 1;
        if (!BY_LANES || !__all_sync(FULL_WARP, is_short)) {
            add_rows<IN_FLIGHT>(own[0], own_end[0], from, to, sum[0], load);
        } else if constexpr (STAGED) {
#pragma unroll
            for (int r = 1; r < ROWS; ++r)
                if (all[r]) to = from_lane(own_end[r], 31 - __clz(all[r]));
            add_staged_rows(own, own_end, from, to, sum, load);
            taken = ROWS;
        } else {
            sum[0] = sum_of_lane(own[0], own_end[0], load_lane);
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            if (r >= taken || !(all[r] >> lane() & 1)) continue;
            Place at = row + 32 * r;
            if (at < first) carry.values[chunk] = sum[r].value;
            else {
                row_is(at, sum[r].found);
                if (sum[r].found) result[at] = sum[r].value;
            }
        }
        more = (taken == 1 ? all[0] : all[ROWS - 1]) == FULL_WARP;
        row += 32 * taken;
        bool shifts = ROWS > 1 && taken == 1;
        behind = shifts ? from_lane(next_start[1 % ROWS], 0) : next_behind;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) start[r] = !shifts ? next_start[r] : r + 1 < ROWS ? start[(r + 1) % ROWS] : next_start[0];
    }
}

// The warps of the grid share the chunks.
template <int IN_FLIGHT, bool BY_LANES, class Load, class LoadLane, class RowIs>
DEVICE void add_up_rows(
    const Offset* indptr, int64 nrows, int64 entries, Value* result, const Carry& carry, const Load& load,
    LoadLane load_lane, RowIs row_is
) {
    int64 length = path_chunk(nrows, entries);
    // Warps of different blocks have consecutive chunks: the remainder of the last round is spread over all processors.
    int64 first = int64(thread() >> 5) * BLOCK_COUNT + blockIdx.x;
    for (int64 chunk = first; chunk * length < entries + nrows; chunk += warps_in_grid())
        add_up_chunk<IN_FLIGHT, BY_LANES>(indptr, nrows, entries, chunk, length, result, carry, load, load_lane, row_is);
}
