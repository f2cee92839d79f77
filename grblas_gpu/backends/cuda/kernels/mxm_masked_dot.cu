// mxm.masked_dot: at each entry (i, j) of the mask, row i of the left factor against column j of the right one, which is
// given as its transpose. Row i becomes a table in shared memory, in which the entries of columns are looked up, however
// many columns there are: short ones together, long ones by the whole warp. Where a column is far longer than the row, the
// row is looked up in the column instead. What there is to do is cut into items of up to CHUNK entries of one row of the
// mask, so that long rows are shared. The order of additions depends on the factors and the mask only.
// If values do not matter, and the factors are one matrix, the longer one of two rows can be the table: entries of the mask
// where that is row j are left to a second launch, which takes the mask by its columns.
// Generated besides: COUNTS (all products are equal, and adding them up is counting), and CORNERS: where both factors and
// the mask are the edges of a graph that lead to vertices of lower number, a product is a triangle. Then it is not the dots
// that are wanted, but how many triangles every edge or every vertex is in.

#include "mxm_lookup.cuh"
#include "mxm_rows.cuh"
#include "thread_groups.cuh"

constexpr int64 CHUNK = 256;          // entries of the mask in an item
constexpr int WARP_ROW = sizeof(LeftColumn) == 8 ? 64 : 128;  // entries of a row in the table of a warp
constexpr int BLOCK_ROW = 8 * WARP_ROW;  // and of a block: longer rows are taken in pieces
constexpr int64 WIDE_COLUMN = 64;     // one that a warp looks up alone
constexpr int64 FAR_LONGER = 16;      // times as long as the row, so that to search in the column is better
constexpr int64 ALONE = 8;            // entries of a row that a thread looks up alone
constexpr int WARPS = 8;              // of a block, at most
enum Counter { WARP_ITEMS, BLOCK_ITEMS, NEXT_FOR_WARP, NEXT_FOR_BLOCK };

enum { NO_CORNERS, OF_EDGES, OF_VERTICES };
// An edge has no more triangles than there are vertices: half the memory for what is added to once for every triangle.
using Tally = either<CORNERS == OF_EDGES, unsigned, uint64>;
constexpr bool HAS_PLACES = LEFT == EACH || CORNERS != NO_CORNERS;  // where an entry is, not only whether there is one
constexpr int SPARSE = 4, FILTER = 16;     // slots for every entry, bits for every slot
using RowLookup = Lookup<LeftColumn, HAS_PLACES, SPARSE, FILTER>;

enum Side { EVERY_PAIR, ROW_IS_LONGER, COLUMN_IS_LONGER };  // which entries of the mask: the latter of its transpose
struct Output {
    Side side;
    MaskRows places;  // of results: the mask's, not its transpose's
    bool* present;
    Value* values;    // of entries of the mask; or the tallies of edges or vertices
    unsigned* tally;  // in shared memory: triangles by their entry of the row
};
struct Row {
    int64 i, start;  // its number, and where this piece of it starts in the left factor
    int length;
    bool first, whole;  // the first piece, the only one
    int64 full;         // the length of all pieces
};

// What lanes have found of one entry, in lane 0.
DEVICE Sum warp_merged(Sum sum) {
    for (int distance = 16; distance > 0; distance >>= 1) {
        Sum higher = {from_higher(sum.found, distance), sum.value};
        if constexpr (!STRUCTURE) higher.value = from_higher(sum.value, distance);
        if (lane() + distance < 32) sum = merged(sum, higher);
    }
    return sum;
}

DEVICE void add_triangles(Value* counts, int64 at, int64 number) {
    if constexpr (CORNERS != NO_CORNERS)
        if (number > 0) atomicAdd((Tally*)counts + at, Tally(number));
}

// A triangle, by its entries of the row and of a column: a product of a corner's lowest vertex.
DEVICE void tally_triangle(const Output& out, int place, int64 q) {
    if constexpr (CORNERS != NO_CORNERS) atomicAdd(out.tally + place, 1u);
    if constexpr (CORNERS == OF_EDGES) add_triangles(out.values, q, 1);
}

// A sum, or a number of products that are all alike.
struct Dot {
    Sum sum;
    int64 count;

    DEVICE void add_product(const Operands& f, int64 i, int64 k, int64 j, int64 p, int64 q) {
        if constexpr (COUNTS) ++count;
        else if constexpr (STRUCTURE) sum.found = true;
        else sum = merged(sum, {true, product(f.values, i, k, j, p, q)});
    }
    DEVICE bool done() const {
        if constexpr (COUNTS) return false;
        else return finished(sum);
    }
    DEVICE void add(const Dot& other) {
        if constexpr (COUNTS) count += other.count;
        else sum = merged(sum, other.sum);
    }
    // The parts of all lanes, for all lanes.
    DEVICE Dot of_warp() const {
        Dot all = *this;
        if constexpr (COUNTS) {
            all.count = from_lane(warp_total(count), 0);
        } else {
            all.sum = warp_merged(sum);
            all.sum.found = from_lane(all.sum.found, 0);
            if constexpr (!STRUCTURE) all.sum.value = from_lane(all.sum.value, 0);
        }
        return all;
    }
};
constexpr bool ENDS_EARLY = !COUNTS && (STRUCTURE || EXIT_AT_FIRST || HAS_TERMINAL);

// Every step-th entry of the row from this number on, looked up in a column.
DEVICE Dot search_column(
    const Operands& f, const Row& row, int64 j, int64 begin, int64 stop, int number, int step, bool together,
    const Output& out
) {
    Dot dot = {{false, Value(0)}, 0};
    for (int base = 0; base < row.length; base += step) {
        if (base + number < row.length) {
            int64 p = row.start + base + number, k = f.a.indices[p];
            begin = lower_bound(f.b.indices, begin, stop, k);
            if (begin < stop && f.b.indices[begin] == k) {
                dot.add_product(f, row.i, k, j, p, begin);
                tally_triangle(out, base + number, begin);
            }
        }
        if constexpr (ENDS_EARLY)
            if (together ? __any_sync(FULL_WARP, dot.done()) != 0 : dot.done()) break;
    }
    return dot;
}

// A column, looked up in the row by the whole warp.
DEVICE Dot walk_column(
    const Operands& f, const Row& row, const RowLookup& lookup, int64 j, int64 begin, int64 stop, const Output& out
) {
    Dot dot = {{false, Value(0)}, 0};
    for (int64 base = begin; base < stop; base += 128) {
        RightColumn columns[4];
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            int64 q = base + 32 * n + lane();
            columns[n] = q < stop ? f.b.indices[q] : RightColumn(-1);
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            int place = columns[n] == RightColumn(-1) ? -1 : lookup.find(LeftColumn(columns[n]));
            if (place < 0) continue;
            dot.add_product(f, row.i, columns[n], j, row.start + place, base + 32 * n + lane());
            tally_triangle(out, place, base + 32 * n + lane());
        }
        if constexpr (ENDS_EARLY)
            if (__any_sync(FULL_WARP, dot.done())) break;
    }
    return dot;
}

// Short columns of all lanes, looked up in the row: entries are numbered through and dealt out. Every lane gets its dot.
DEVICE void walk_columns(
    const Operands& f, const Row& row, const RowLookup& lookup, int64 j, int64 begin, int count, Dot& dot,
    const Output& out
) {
    int end = inclusive_sum(count), total = from_lane(end, 31);
    int64 shift = begin - (end - count);
    for (int base = 0; base < total; base += 32) {
        int number = base + lane(), owner = owner_of(end, number);
        int64 q = from_lane(shift, owner) + number, k = 0, column = from_lane(j, owner);
        int place = -1;
        if (number < total) {
            k = f.b.indices[q];
            place = lookup.find(LeftColumn(k));
        }
        unsigned hits = __ballot_sync(FULL_WARP, place >= 0);
        if (!hits) continue;
        // This lane's entries are dealt out to the lanes from lo to hi.
        int lo = end - count - base, hi = end - base;
        lo = lo < 0 ? 0 : lo;
        hi = hi > 32 ? 32 : hi;
        if (place >= 0) tally_triangle(out, place, q);
        if constexpr (COUNTS) {
            if (lo < hi) dot.count += __popc(hits & (FULL_WARP << lo) & (FULL_WARP >> (32 - hi)));
        } else {
            Dot part = {{false, Value(0)}, 0};
            if (place >= 0) part.add_product(f, row.i, k, column, row.start + place, q);
            if constexpr (STRUCTURE) {
                if (lo < hi && (hits & (FULL_WARP << lo) & (FULL_WARP >> (32 - hi)))) dot.sum.found = true;
            } else {
                for (int distance = 1; distance < 32; distance <<= 1) {
                    int other_owner = from_higher(owner, distance);
                    Sum other = {from_higher(part.sum.found, distance), from_higher(part.sum.value, distance)};
                    if (lane() + distance < 32 && other_owner == owner) part.sum = merged(part.sum, other);
                }
                int source = lo < 32 ? lo : 31;
                Sum own = {from_lane(part.sum.found, source), from_lane(part.sum.value, source)};
                if (lo < hi) dot.sum = merged(dot.sum, own);
            }
        }
    }
}

// Up to 32 entries of the mask in row i, by a warp.
DEVICE void dots(const Operands& f, const Row& row, const RowLookup& lookup, int64 first, int64 stop, const Output& out) {
    int64 entry = first + lane(), j = 0, begin = 0, end = 0;
    bool wanted = entry < stop;
    Dot dot = {{false, Value(0)}, 0};
    if (wanted) {
        j = f.mask.rows.indices[entry];
        if (counts(f.mask, entry)) {
            begin = f.b.indptr[j];
            end = f.b.indptr[j + 1];
        }
        if (out.side != EVERY_PAIR) wanted = begin < end && end - begin + (out.side == COLUMN_IS_LONGER) <= row.full;
    }
    if (!wanted) {
        begin = end = 0;
    } else {
        if (out.side == COLUMN_IS_LONGER && (CORNERS != OF_VERTICES))
            entry = lower_bound(out.places.indices, out.places.indptr[j], out.places.indptr[j + 1], row.i);
        if (CORNERS == NO_CORNERS && !row.first) {
            dot.sum = {out.present[entry], Value(0)};
            if constexpr (!STRUCTURE)
                if (dot.sum.found) dot.sum.value = out.values[entry];
            if constexpr (COUNTS) dot.count = dot.sum.found ? int64(dot.sum.value) : 0;
            if (dot.done()) begin = end;
        }
        if (!row.whole && begin < end) {  // of the column only what can be in this piece of the row
            begin = lower_bound(f.b.indices, begin, end, int64(f.a.indices[row.start]));
            end = lower_bound(f.b.indices, begin, end, int64(f.a.indices[row.start + row.length - 1]) + 1);
        }
    }
    bool far_longer = end - begin > FAR_LONGER * row.length + WIDE_COLUMN;
    if (far_longer && row.length <= ALONE) {
        dot.add(search_column(f, row, j, begin, end, 0, 1, false, out));
        begin = end;
        far_longer = false;
    }
    bool wide = end - begin >= WIDE_COLUMN;
    for (unsigned open = __ballot_sync(FULL_WARP, wide); open; open &= open - 1) {
        int owner = __ffs(open) - 1;
        int64 column = from_lane(j, owner), from = from_lane(begin, owner), to = from_lane(end, owner);
        Dot part = from_lane(far_longer, owner) ? search_column(f, row, column, from, to, lane(), 32, true, out)
                                                : walk_column(f, row, lookup, column, from, to, out);
        part = part.of_warp();
        if (lane() == owner) dot.add(part);
    }
    walk_columns(f, row, lookup, j, begin, wide ? 0 : int(end - begin), dot, out);
    if constexpr (CORNERS == OF_VERTICES) {
        int64 total = warp_total(dot.count);
        if (lane() == 0) add_triangles(out.values, row.i, total);
    }
    if (!wanted) return;
    if constexpr (CORNERS != NO_CORNERS) {
        add_triangles(out.values, CORNERS == OF_EDGES ? entry : j, dot.count);
        return;
    }
    bool found = COUNTS ? dot.count > 0 : dot.sum.found;
    out.present[entry] = found;
    if constexpr (COUNTS) {
        if (found) out.values[entry] = Value(dot.count);
    } else if constexpr (!STRUCTURE) {
        if (found) out.values[entry] = dot.sum.value;
    }
}

// The corners that are entries of the row: noted where no other group adds, and added once.
template <class Group> DEVICE void start_tally(const Row& row, const Output& out) {
    if constexpr (CORNERS != NO_CORNERS)
        for (int t = Group::rank(); t < row.length; t += Group::size()) out.tally[t] = 0;
}
template <class Group> DEVICE void finish_tally(const Operands& f, const Row& row, const Output& out) {
    Group::sync();  // the table is free again
    if constexpr (CORNERS != NO_CORNERS) {
        for (int t = Group::rank(); t < row.length; t += Group::size()) {
            int64 p = row.start + t;
            add_triangles(out.values, CORNERS == OF_EDGES ? p : int64(f.a.indices[p]), out.tally[t]);
        }
        Group::sync();
    }
}

// The items, as the row and the first entry of each: those for warps from the front, those for blocks from the back.
extern "C" __global__ void list_dots_kernel(
    const LeftOffset* a_indptr, const MaskOffset* mask_indptr, int64 nrows, int64 capacity, int64* rows, int64* firsts,
    int64* counters
) {
    for (int64 base = warp_in_grid() * 32; base < nrows; base += warps_in_grid() * 32) {
        int64 i = base + lane(), first = 0, items = 0, length = 0;
        if (i < nrows) {
            first = mask_indptr[i];
            length = int64(a_indptr[i + 1]) - int64(a_indptr[i]);
            if (length > 0) items = (int64(mask_indptr[i + 1]) - first + CHUNK - 1) / CHUNK;
        }
        for (int group = 0; group < 2; ++group) {
            int64 own = (length > WARP_ROW) == (group == 1) ? items : 0;
            if (!__any_sync(FULL_WARP, own > 0)) continue;
            int64 end = inclusive_sum(own);
            int64 place = 0;
            if (lane() == 31) place = add_alone(counters + (group ? BLOCK_ITEMS : WARP_ITEMS), end);
            place = from_lane(place, 31) + end - own;
            for (int64 n = 0; n < own; ++n) {
                int64 at = group ? capacity - 1 - (place + n) : place + n;
                rows[at] = i;
                firsts[at] = first + n * CHUNK;
            }
        }
    }
}

#define GIVEN                                                                                                             \
    OPERANDS, const int64 *rows, const int64 *firsts, int64 capacity, int64 *counters, int64 side,                         \
        const MaskOffset *out_indptr, const MaskColumn *out_indices, bool *present, Value *out_values
#define UNPACKED  \
    MAKE_OPERANDS \
    Output out = {Side(side), {out_indptr, out_indices}, present, out_values, nullptr};

extern "C" __global__ void __launch_bounds__(256) dot_by_warp_kernel(GIVEN) {
    __shared__ LeftColumn keys[WARPS][SPARSE * WARP_ROW];
    __shared__ uint16 places[HAS_PLACES ? WARPS : 1][HAS_PLACES ? SPARSE * WARP_ROW : 1];
    __shared__ unsigned filter[WARPS][SPARSE * WARP_ROW * FILTER / 32];
    __shared__ unsigned tally[WARPS][CORNERS == NO_CORNERS ? 1 : WARP_ROW];
    UNPACKED
    int warp = threadIdx.x >> 5;
    out.tally = tally[warp];
    RowLookup lookup = {keys[warp], places[HAS_PLACES ? warp : 0], filter[warp], 5};
    write_constant(given.values, out_values);
    for (int64 n = WarpGroup::ticket(counters + NEXT_FOR_WARP, 1); n < counters[WARP_ITEMS];
         n = WarpGroup::ticket(counters + NEXT_FOR_WARP, 1)) {
        int64 i = rows[n], start = a_indptr[i], stop = firsts[n] + CHUNK, end = mask_indptr[i + 1];
        stop = stop < end ? stop : end;
        Row row = {i, start, int(a_indptr[i + 1] - start), true, true, int64(a_indptr[i + 1]) - start};
        start_tally<WarpGroup>(row, out);
        lookup.build<WarpGroup>(a_indices + start, row.length, [](int) { return true; });
        for (int64 first = firsts[n]; first < stop; first += 32) dots(given, row, lookup, first, stop, out);
        finish_tally<WarpGroup>(given, row, out);
    }
}

extern "C" __global__ void __launch_bounds__(256) dot_by_block_kernel(GIVEN) {
    __shared__ LeftColumn keys[SPARSE * BLOCK_ROW];
    __shared__ uint16 places[HAS_PLACES ? SPARSE * BLOCK_ROW : 1];
    __shared__ unsigned filter[SPARSE * BLOCK_ROW * FILTER / 32];
    __shared__ unsigned tally[CORNERS == NO_CORNERS ? 1 : BLOCK_ROW];
    UNPACKED
    out.tally = tally;
    RowLookup lookup = {keys, places, filter, 5};
    int64 next = threadIdx.x >> 5 << 5, step = blockDim.x;
    for (int64 n = BlockGroup::ticket(counters + NEXT_FOR_BLOCK, 1); n < counters[BLOCK_ITEMS];
         n = BlockGroup::ticket(counters + NEXT_FOR_BLOCK, 1)) {
        int64 item = capacity - 1 - n, i = rows[item], stop = firsts[item] + CHUNK, end = mask_indptr[i + 1];
        stop = stop < end ? stop : end;
        int64 row_start = a_indptr[i], row_stop = a_indptr[i + 1];
        for (int64 start = row_start; start < row_stop; start += BLOCK_ROW) {
            int length = int(row_stop - start < BLOCK_ROW ? row_stop - start : BLOCK_ROW);
            int64 full = row_stop - row_start;
            Row row = {i, start, length, start == row_start, full <= BLOCK_ROW, full};
            start_tally<BlockGroup>(row, out);
            lookup.build<BlockGroup>(a_indices + start, length, [](int) { return true; });
            for (int64 first = firsts[item] + next; first < stop; first += step) dots(given, row, lookup, first, stop, out);
            finish_tally<BlockGroup>(given, row, out);
        }
    }
}
