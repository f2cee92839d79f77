// The rows of a matrix added up, balanced over entries: a warp takes a chunk of them, and of that 32 rows at a time
// (row_groups.cuh). How many chunks there are depends on the number of entries only, and the order in which a row is added
// up on that and on where its entries lie. What a chunk holds of a row that began before it is its `rest`, which a second
// kernel adds to the row. Generated: Offset, Value, add.

#include "rests.cuh"
#include "row_groups.cuh"
#include "row_starts.cuh"

// load(base, count, items) as in row_groups.cuh; row_is(row, filled) is told of every row whether it has entries.
template <int ON_THE_WAY, class Load, class RowIs>
DEVICE void add_up_chunk(
    const Offset* indptr, int64 nrows, int64 entries, int64 chunk, int64 length, Value* result, const Rest& rest,
    Load load, RowIs row_is
) {
    int64 lo = chunk * length, hi = lo + length < entries ? lo + length : entries;
    int64 end_of_rows = hi == entries ? entries + 1 : hi;  // rows behind all entries belong to the last chunk
    int64 first = first_row_at(indptr, nrows, lo);
    int64 open_row = int64(indptr[first]) == lo ? -1 : first - 1;
    if (lane() == 0) rest.rows[chunk] = open_row;
    int64 row = (open_row < 0 ? first : open_row) + lane();
    auto offset = [&](int64 at) { return at <= nrows ? int64(indptr[at]) : entries + 1; };
    int64 start = offset(row), stop = offset(row + 1);
    for (unsigned all = FULL_WARP; all == FULL_WARP;) {
        int64 next_start = offset(row + 32), next_stop = offset(row + 33);  // on their way
        bool mine = row < nrows && start < end_of_rows;
        all = __ballot_sync(FULL_WARP, mine);
        if (!all) break;
        int64 own = mine ? (start < lo ? lo : start) : 0, end = mine ? (stop < hi ? stop : hi) : 0;
        Part sum = {false, Value(0)};
        add_rows<ON_THE_WAY>(own, end, from_lane(own, 0), from_lane(end, 31 - __clz(all)), sum, load);
        if (mine && row == open_row) rest.values[chunk] = sum.value;
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
template <int ON_THE_WAY, class Load, class RowIs>
DEVICE void add_up_rows(
    const Offset* indptr, int64 nrows, int64 entries, Value* result, const Rest& rest, Load load, RowIs row_is
) {
    int64 length = chunk_length(entries);
    for (int64 chunk = warp_in_grid(); chunk * length < entries; chunk += warps_in_grid())
        add_up_chunk<ON_THE_WAY>(indptr, nrows, entries, chunk, length, result, rest, load, row_is);
}
