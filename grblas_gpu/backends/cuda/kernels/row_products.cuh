// Matrix times full vector, balanced over entries: every row is added up whole, so this is for sums that do not end early. A single
// call (pull_balanced.cu) and a loop (loop_pull_balanced.cuh) run this text, and their sums are the same to the last bit.
// Generated: what mxv.cuh needs; products do not depend on their places; and
//   SHORT_ROWS  rows are so short on average that it pays to look for short ones: see sum_of_lane

#include "mxv.cuh"
#include "parts.cuh"
#include "row_starts.cuh"

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

constexpr bool STAGED = sizeof(Value) <= 8;  // there is room for so much
// Rows of two entries, as in the sparsest graphs, with the beginning of their cache line, are mostly read at once.
constexpr int STAGED_ROWS = 2, STAGED_IN_FLIGHT = 5;
static_assert(!STAGED || 32 * STAGED_IN_FLIGHT * sizeof(Value) <= 8 * WARP_WORDS, "or it is not the warp's own");

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
// (add_carries: in another kernel, or after a grid barrier).

// Chunks of a path through so many entries and rows.
DEVICE int64 path_chunk(int64 nrows, int64 entries) { return chunk_length(entries + nrows); }

// load(base, skipped, count, items) as for groups of rows, load_lane as for lanes; row_is(row, filled) is called for every row:
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
        } else if constexpr (STAGED) {
            UNROLLED for (int r = 1; r < ROWS; ++r)
                if (all[r]) to = from_lane(own_end[r], 31 - __clz(all[r]));
            add_staged_rows(own, own_end, from, to, sum, load);
            taken = ROWS;
        } else {
            sum[0] = sum_of_lane(own[0], own_end[0], load_lane);
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

// --- products --------------------------------------------------------------------------------------------------------

constexpr bool MATRIX_FIRST_OUT = true;  // columns and values are read once, elements again and again: these had better stay in caches

// The elements of a full vector, where they are.
struct Elements {
    const VectorValue* values;
    DEVICE VectorValue from_memory(Column at) const { return values[at]; }
    DEVICE void all_are_asked_for() const {}
    DEVICE VectorValue element(Column, VectorValue read) const { return read; }
};

// A vector in the order of columns (eager/column_order.py) begins with the elements that most entries are multiplied by: every block
// has as many of these in shared memory as the launch gave it room for. There a warp reads 32 of them in a few cycles, in a cache
// one line each.
struct HubElements {
    const VectorValue* values;
    Column held;
    DEVICE static VectorValue* hubs() { return (VectorValue*)dynamic_shared(); }
    DEVICE static int64 room() { return dynamic_bytes() / sizeof(VectorValue); }
    // Called by all threads of a block.
    DEVICE HubElements(const VectorValue* ordered, int64 size) : values(ordered) {
        held = Column(size < room() ? size : room());
        for (int64 at = thread(); at < held; at += blockDim.x) hubs()[at] = ordered[at];
        __syncthreads();
    }
    DEVICE VectorValue from_memory(Column at) const { return at < held ? VectorValue(0) : values[at]; }
    // A compiler that is short of registers would wait for each element before it asks for the next one.
    DEVICE void all_are_asked_for() const { __syncwarp(); }
    DEVICE VectorValue element(Column at, VectorValue read) const {
        VectorValue hub = hubs()[at < held ? at : 0];
        return at < held ? hub : read;
    }
};

template <class U> DEVICE Value product_of(const Matrix& m, const U& u, MatrixValue stored, VectorValue element) {
    MatrixOperand a = MatrixOperand(1);
    VectorOperand b = VectorOperand(1);
    if constexpr (MATRIX != UNUSED) a = cast<MatrixOperand>(MATRIX == ISO ? m.values[0] : stored);
    if constexpr (VECTOR != UNUSED) b = cast<VectorOperand>(VECTOR == ISO ? u.values[0] : element);
    if constexpr (FLIP) return cast<Value>(multiply(b, a, 0, 0, 0, 0));
    else return cast<Value>(multiply(a, b, 0, 0, 0, 0));
}

// The products of some entries that follow each other, for one lane, as load_lane gives them. Through the first-level cache: what else is
// in its lines is read by neighbours.
template <class U> DEVICE void load_products(const Matrix& m, const U& u, Place from, int count, Value* items) {
    Column columns[OF_A_LANE];
    MatrixValue stored[OF_A_LANE];
    VectorValue elements[OF_A_LANE];
    const Column* own_columns = global(m.indices) + from;
    const MatrixValue* own_values = global(m.values) + (MATRIX == EACH ? from : 0);
    UNROLLED for (int k = 0; k < OF_A_LANE; ++k) {
        if constexpr (VECTOR == EACH) columns[k] = k < count ? own_columns[k] : Column(0);
        if constexpr (MATRIX == EACH) stored[k] = k < count ? own_values[k] : MatrixValue(0);
    }
    __syncwarp();  // or a compiler that is short of registers would wait for one before it asks for the next
    if constexpr (VECTOR == EACH) {  // without asking: there are fewer predicates than entries
        UNROLLED for (int k = 0; k < OF_A_LANE; ++k) elements[k] = u.values[columns[k]];
    }
    UNROLLED for (int k = 0; k < OF_A_LANE; ++k) items[k] = product_of(m, u, stored[k], elements[k]);
}

// The products of entries that neighbours read together, as load gives them.
template <class U> struct LoadProducts {
    const Matrix& m;
    const U& u;
    template <int IN_FLIGHT> DEVICE void operator()(Place base, int skipped, int count, Value (&items)[IN_FLIGHT]) const {
        Column columns[IN_FLIGHT];
        MatrixValue stored[IN_FLIGHT];
        VectorValue elements[IN_FLIGHT];
        const Column* own_columns = m.indices + base + lane();
        const MatrixValue* own_values = m.values + (MATRIX == EACH ? base + lane() : 0);
        count -= lane();
        UNROLLED for (int k = 0; k < IN_FLIGHT; ++k) {
            bool there = 32 * k < count && (k > 0 || lane() >= skipped);
            columns[k] = there ? read_once<MATRIX_FIRST_OUT>(own_columns + 32 * k) : Column(0);
            if constexpr (MATRIX == EACH) stored[k] = there ? read_once<MATRIX_FIRST_OUT>(own_values + 32 * k) : MatrixValue(0);
        }
        if constexpr (VECTOR == EACH) {
            UNROLLED for (int k = 0; k < IN_FLIGHT; ++k) elements[k] = u.from_memory(columns[k]);
            u.all_are_asked_for();
            UNROLLED for (int k = 0; k < IN_FLIGHT; ++k) elements[k] = u.element(columns[k], elements[k]);
        }
        UNROLLED for (int k = 0; k < IN_FLIGHT; ++k) items[k] = product_of(m, u, stored[k], elements[k]);
    }
};

// For matrices whose rows have at most LANE_ROW entries: no search for rows, and no carries.
template <class RowIs> DEVICE void multiply_short_rows(const Matrix& m, const Elements& u, int64 nrows, Value* result, RowIs row_is) {
    auto load = [&](Place from, int count, Value* items) { load_products(m, u, from, count, items); };
    int64 step = threads_in_grid(), row = thread_in_grid();
    auto offset = [&](int64 at) { return Place(m.indptr[at < nrows ? at : nrows]); };
    Place start = offset(row), stop = offset(row + 1);
    for (; row - lane() < nrows; row += step) {
        Place next_start = offset(row + step), next_stop = offset(row + step + 1);  // in flight
        Part sum = sum_of_lane(start, stop, load);
        if (row < nrows) row_is(row, sum.found);
        if (row < nrows && sum.found) result[row] = sum.value;
        start = next_start;
        stop = next_stop;
    }
}

// A lane waits for IN_FLIGHT entries together: the sums do not depend on it. Parts of rows that began before a chunk are in `carry`
// (add_row_carries).
template <int IN_FLIGHT, class U, class RowIs>
DEVICE void multiply_rows(
    const Matrix& m, const U& u, int64 nrows, int64 entries, Value* result, const Carry& carry, RowIs row_is
) {
    LoadProducts<U> load = {m, u};
    auto load_lane = [&](Place from, int count, Value* items) { load_products(m, u, from, count, items); };
    // Short rows have no column order.
    add_up_rows<IN_FLIGHT, SHORT_ROWS && same_type<U, Elements>>(m.indptr, nrows, entries, result, carry, load, load_lane, row_is);
}

// Whether rows may span several chunks: then their carries have to be added.
DEVICE bool has_carries(int64 nrows, int64 entries) { return entries + nrows > path_chunk(nrows, entries); }
DEVICE void add_row_carries(const Offset* indptr, int64 nrows, int64 entries, Value* result, const Carry& carry) {
    add_carries<1>(indptr, entries + nrows, path_chunk(nrows, entries), result, carry);
}
