// The entries of every row of a matrix combined, balanced over entries and rows: values (reduce_rows.cu), numbers of products
// (mxm_bins.cu), or products (row_products.cuh); and runs of values (reduce_runs.cu). Generated: Offset, Value and add.

#include "parts.cuh"
#include "row_starts.cuh"

#ifndef WARP_MEMORY  // a loop has that of its queues (lists.cuh)
#define WARP_MEMORY
constexpr int WARP_WORDS = 160;
DEVICE int64* warp_memory() {
    __shared__ int64 memory[8][WARP_WORDS];
    return memory[threadIdx.x >> 5];
}
#endif

// --- sums of groups of rows ------------------------------------------------------------------------------------------

// Sums of rows that follow each other, a lane for each, by a warp that goes through their entries as they lie in memory:
// neighbours read neighbours, however long rows are.

// Numbers of entries, and of entries and rows together: 32 bits have room for both if offsets have 32, with sign, and registers are
// short.
using Place = either<sizeof(Offset) == 8, int64, unsigned>;

// A position among `count` entries from `base` on; before them: -1, behind them: their number.
DEVICE int seen_from(Place base, int count, Place position) {
    either<sizeof(Offset) == 8, int64, int> away = position - base;
    return away < 0 ? -1 : away < count ? int(away) : count;
}

// The entries from `from` to `to`, of which the row of this lane has those from `start` to `stop`, are added to the lane's
// sum. A warp reads whole cache lines: from a `base` before `from` on. load(base, skipped, count, items): items[k] is the value of
// entry base + 32 * k + lane(), of the first `count`; items that are skipped are undefined and unused. A lane issues IN_FLIGHT loads
// together. The loop over them has no early exit: otherwise a compiler that is short of registers would delay each load until its
// addition.
constexpr int TOGETHER = 4;  // times 32 entries, which are added up in one go if they are of one row
template <int IN_FLIGHT, class Load>
DEVICE void add_rows(Place start, Place stop, Place from, Place to, Part& sum, const Load& load) {
    static_assert(IN_FLIGHT % TOGETHER == 0, "or sums would depend on it");
    for (Place base = from - from % 32; base < to; base += 32 * IN_FLIGHT) {
        int count = to - base < Place(32 * IN_FLIGHT) ? int(to - base) : 32 * IN_FLIGHT;
        Value items[IN_FLIGHT];
        load(base, base < from ? int(from - base) : 0, count, items);
        int first = seen_from(base, count, start), end = seen_from(base, count, stop);
        UNROLLED for (int group = 0; group < IN_FLIGHT; group += TOGETHER) {
            // Most entries are in long rows: then all of these are of one.
            bool all = first <= 32 * group && end >= 32 * (group + TOGETHER);
            if (unsigned owner = __ballot_sync(FULL_WARP, all)) {
                Value total = items[group];
                UNROLLED for (int k = 1; k < TOGETHER; ++k) total = add(total, items[group + k]);
                UNROLLED for (int distance = 16; distance > 0; distance >>= 1) total = add(total, from_higher(total, distance));
                total = from_lane(total, 0);
                if (lane() == __ffs(owner) - 1) sum = joined(sum, {true, total});
                continue;
            }
            UNROLLED for (int k = group; k < group + TOGETHER; ++k) {
                constexpr int WIDTH = 32;
                int lo = WIDTH * k, hi = lo + WIDTH;
                bool begins = first >= lo && first < hi && first < end;
                unsigned begun = warp_union(begins ? 1u << (first - lo) : 0u) & (FULL_WARP >> (31 - lane()));
                int before = begun ? lane() - (31 - __clz(begun)) : lane();  // entries of the same row
                UNROLLED for (int distance = 1; distance < WIDTH; distance <<= 1) {
                    Value lower = from_lower(items[k], distance);
                    if (distance <= before) items[k] = add(lower, items[k]);
                }
                lo = first > lo ? first : lo;
                hi = end < hi ? end : hi;
                Value last = from_lane(items[k], (hi - 1) & 31);
                if (lo < hi) sum = joined(sum, {true, last});
            }
        }
    }
}

// --- sums of short rows by lanes -------------------------------------------------------------------------------------

// Sums of short rows, one lane per row: it reads the entries of its row, some of them together. Neighbouring lanes read the same
// cache lines, and no lane has to find out where rows begin.

constexpr int OF_A_LANE = sizeof(Value) < 8 ? 8 : 6;  // entries that a lane waits for together: there are registers for so many
constexpr int LANE_ROW = 2 * OF_A_LANE;                // entries of a row that is short. As in eager/mxv_balanced.py
constexpr int64 SHORT_MEAN = 8;  // with fewer entries on average, most rows are likely to be short. As in eager/mxv_balanced.py

// load_lane(from, count, items): items[k] is the value of entry from + k, of the first `count`; all lanes of the warp come together, and
// some of them have entries.
template <class LoadLane> DEVICE Part sum_of_lane(Place from, Place to, LoadLane load_lane) {
    Part sum = {false, Value(0)};
    while (__any_sync(FULL_WARP, from < to)) {
        int count = to <= from ? 0 : to - from < Place(OF_A_LANE) ? int(to - from) : OF_A_LANE;
        Value items[OF_A_LANE];
        load_lane(from, count, items);
        Value total = items[0];
        UNROLLED for (int k = 1; k < OF_A_LANE; ++k)
            if (k < count) total = add(total, items[k]);
        sum = joined(sum, {count > 0, total});
        from += OF_A_LANE;
    }
    return sum;
}

// --- sums of short rows through shared memory ------------------------------------------------------------------------

// Sums of short rows, STAGED_ROWS of them for each lane: the warp reads the entries of all these rows in memory order into shared memory,
// and every lane sums its own rows from there. As many reads are in flight as if the rows were long. Generated: the definitions for
// A kernel and a loop (lists.cuh) each have a warp_memory() of WARP_WORDS for every warp.

// Rows of two entries, as in the sparsest graphs, with the beginning of their cache line, are mostly read at once.
constexpr int STAGED_ROWS = 2, STAGED_IN_FLIGHT = sizeof(Value) <= 8 ? 5 : 2;
static_assert(32 * STAGED_IN_FLIGHT * sizeof(Value) <= 8 * WARP_WORDS, "or it is not the warp's own");

// The entries from `from` to `to`: row `r` of this lane has those from start[r] to stop[r]. load as for groups of rows. Every row is
// added up from its first entry to its last.
template <int ROWS, class Load>
DEVICE void add_staged_rows(
    const Place (&start)[ROWS], const Place (&stop)[ROWS], Place from, Place to, Part (&sum)[ROWS], const Load& load
) {
    constexpr int WINDOW_ENTRIES = 32 * STAGED_IN_FLIGHT, AT_ONCE = 4;
    Value* window = (Value*)warp_memory();
    for (Place base = from - from % 32; base < to; base += WINDOW_ENTRIES) {
        int count = to - base < Place(WINDOW_ENTRIES) ? int(to - base) : WINDOW_ENTRIES;
        Value items[STAGED_IN_FLIGHT];
        load(base, base < from ? int(from - base) : 0, count, items);
        __syncwarp();  // all lanes have read the previous window
        UNROLLED for (int k = 0; k < STAGED_IN_FLIGHT; ++k) window[32 * k + lane()] = items[k];
        __syncwarp();
        UNROLLED for (int r = 0; r < ROWS; ++r) {
            int first = seen_from(base, count, start[r]), end = seen_from(base, count, stop[r]);
            UNROLLED_BY(1) for (int at = first < 0 ? 0 : first; at < end; at += AT_ONCE) {
                Value some[AT_ONCE];
                UNROLLED for (int k = 0; k < AT_ONCE; ++k) some[k] = window[at + k < end ? at + k : at];
                UNROLLED for (int k = 0; k < AT_ONCE; ++k) sum[r] = joined(sum[r], {at + k < end, some[k]});
            }
        }
    }
}

// --- sums of all rows by chunks --------------------------------------------------------------------------------------

// The rows of a matrix added up, balanced over entries and rows: a warp takes a chunk of the path that goes through the
// entries of the first row, its end, the entries of the second row, its end and so on, so that neither long rows nor long
// runs of empty ones keep a warp busy alone. Entry e of row r is at e + r of that path. How many chunks there are depends on
// its length only, and the order in which a row is added up on that and on where its entries lie: however many warps there
// are. What a chunk holds of a row that began before it is its `carry`, which is added to the row when all chunks are done
// (add_row_carries: in another kernel, or after a grid barrier).

struct Carry {
    Value* values;
    int64* rows;  // the row, or -1
};

// Chunks of a path through so many entries and rows.
DEVICE int64 path_chunk(int64 nrows, int64 entries) { return chunk_length(entries + nrows); }

// load(base, skipped, count, items) as for groups of rows; row_is(row, filled) is called for every row:
// whether it has entries. BY_LANES: consecutive short rows are distributed over the lanes.
template <int IN_FLIGHT, bool BY_LANES, class Offsets, class Load, class RowIs>
DEVICE void add_up_chunk(
    Offsets indptr, int64 nrows, int64 entries, int64 chunk, int64 length, Value* result, const Carry& carry,
    const Load& load, RowIs row_is
) {
    // As few words as possible: registers are scarce, and spilling a value that is still being loaded gains nothing.
    Place begin = Place(chunk) * Place(length), left = Place(entries + nrows) - begin;
    Place end = begin + (Place(length) < left ? Place(length) : left), rows = Place(nrows);
    // The first row that begins in this chunk, or later.
    Place first = begin == 0 ? 0 : Place(warp_first_above(0, nrows + 1, [&](int64 at) { return int64(indptr[at]) + at < int64(begin); }));
    bool begun = Place(indptr[first]) + first != begin;  // the row before it, before this chunk
    if (begun && Place(indptr[first]) + first - 1 == begin) begun = false;  // of that nothing is left but its end
    if (lane() == 0) carry.rows[chunk] = begun ? int64(first) - 1 : -1;
    constexpr int ROWS = BY_LANES ? STAGED_ROWS : 1;  // rows per lane, 32 apart
    Place row = first - begun + lane();
    auto offset = [&](Place at) { return Place(at <= rows ? indptr[at] : entries); };
    Place start[ROWS], behind = offset(row - lane() + 32 * ROWS);  // where the rows begin, and where the row after the last one begins
    UNROLLED for (int r = 0; r < ROWS; ++r) start[r] = offset(row + 32 * r);
    for (bool more = true; more;) {
        Place next_start[ROWS], next_behind = offset(row - lane() + 64 * ROWS), own[ROWS], own_end[ROWS];
        UNROLLED for (int r = 0; r < ROWS; ++r) next_start[r] = offset(row + 32 * (r + ROWS));  // in flight
        unsigned all[ROWS];
        bool is_short = BY_LANES && entries < SHORT_MEAN * nrows;
        UNROLLED for (int r = 0; r < ROWS; ++r) {
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
        } else {
            UNROLLED for (int r = 1; r < ROWS; ++r)
                if (all[r]) to = from_lane(own_end[r], 31 - __clz(all[r]));
            add_staged_rows(own, own_end, from, to, sum, load);
            taken = ROWS;
        }
        UNROLLED for (int r = 0; r < ROWS; ++r) {
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
        UNROLLED for (int r = 0; r < ROWS; ++r) start[r] = !shifts ? next_start[r] : r + 1 < ROWS ? start[(r + 1) % ROWS] : next_start[0];
    }
}

// The warps of the grid share the chunks.
template <int IN_FLIGHT, bool BY_LANES, class Offsets, class Load, class RowIs>
DEVICE void add_up_rows(
    Offsets indptr, int64 nrows, int64 entries, Value* result, const Carry& carry, const Load& load, RowIs row_is
) {
    int64 length = path_chunk(nrows, entries);
    // Warps of different blocks have consecutive chunks: the remainder of the last round is spread over all processors.
    int64 first = int64(thread() >> 5) * BLOCK_COUNT + blockIdx.x;
    for (int64 chunk = first; chunk * length < entries + nrows; chunk += warps_in_grid())
        add_up_chunk<IN_FLIGHT, BY_LANES>(indptr, nrows, entries, chunk, length, result, carry, load, row_is);
}

// Whether rows may span several chunks: then their carries have to be added.
DEVICE bool has_carries(int64 nrows, int64 entries) { return entries + nrows > path_chunk(nrows, entries); }
// By the grid, when all chunks are done: a warp adds the carries of a row, without atomics.
template <class Offsets>
DEVICE void add_row_carries(Offsets indptr, int64 nrows, int64 entries, Value* result, const Carry& carry) {
    int64 length = path_chunk(nrows, entries), chunks = (entries + nrows + length - 1) / length;
    for (int64 base = warp_in_grid() * 32; base < chunks; base += warps_in_grid() * 32) {
        int64 chunk = base + lane(), row = chunk < chunks ? carry.rows[chunk] : -1;
        unsigned first = __ballot_sync(FULL_WARP, row >= 0 && (chunk == 0 || carry.rows[chunk - 1] != row));
        while (first) {
            int owner = __ffs(first) - 1;
            first &= first - 1;
            int64 own = from_lane(row, owner), last = (int64(indptr[own + 1]) - 1 + own) / length;  // chunk with entries of it
            Part part = {false, Value(0)};
            UNROLLED_BY(4) for (int64 other = base + owner + lane(); other <= last; other += 32)
                part = joined(part, {true, carry.values[other]});
            part = warp_joined(part);
            if (lane() == 0) result[own] = add(result[own], part.value);
        }
    }
}

// Values as they lie in memory.
template <class Stored> struct LoadValues {
    const Stored* values;
    template <int COUNT> DEVICE void operator()(Place base, int skipped, int count, Value (&items)[COUNT]) const {
        UNROLLED for (int k = 0; k < COUNT; ++k) {
            int at = 32 * k + lane();
            items[k] = at >= skipped && at < count ? cast<Value>(values[base + at]) : Value(0);
        }
    }
};
