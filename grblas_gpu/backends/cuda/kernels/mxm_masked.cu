// Products inside of a mask, which has places for the result: one pass, and nothing to count. The work is cut into items,
// entries of one row of the mask, so that long rows are shared: a warp takes an item with a short row, a block any other.
// Generated: what mxm_rows.cuh needs, COUNTS (all products are 1, and adding them up is counting), CORNERS, and
//   DOTS  mxm.masked_dot: at each entry (i, j) of the mask, row i of the left factor against column j of the right one, which
//         is given as its transpose. Otherwise mxm.gustavson: the products of row i are looked up in row i of the mask.

#include "mxm_rows.cuh"
#include "thread_groups.cuh"

// Columns of a row and their places in it: a hash table in shared memory that a group of threads builds. The row is the
// left factor's or the mask's; a table is at most one in SPARSE full. Most columns that are looked up are not there: with a
// FILTER, of so many bits for every slot, one look tells of nearly all of them, and lanes do not wait for each other.
template <class Column, bool HAS_PLACES, int SPARSE, int FILTER> struct Lookup {
    Column* keys;
    uint16* places;    // of keys, counted from the first one
    unsigned* filter;  // FILTER / 32 words for every slot
    int bits;          // it has 1 << bits slots

    static DEVICE unsigned mixed(Column key) {
        unsigned number = unsigned(key);
        if constexpr (sizeof(Column) == 8) number ^= unsigned(uint64(key) >> 32);
        return number * 2654435769u;
    }
    DEVICE int slot(Column key) const { return int(mixed(key) >> (32 - bits)); }
    // FILTER is a power of two: so many of the bits that the slot has left over.
    DEVICE unsigned filter_place(Column key) const {
        unsigned wide = 0;
        while (1 << wide < FILTER) ++wide;
        return mixed(key) >> (32 - bits - wide);
    }
    // The place of a column, 0 where places are not kept, or -1.
    DEVICE int find(Column key) const {
        unsigned place = filter_place(key);
        if (!(filter[place >> 5] >> (place & 31) & 1)) return -1;
        for (int at = slot(key);; at = (at + 1) & ((1 << bits) - 1)) {
            Column found = keys[at];
            if (found == key) return HAS_PLACES ? int(places[at]) : 0;
            if (found == Column(-1)) return -1;
        }
    }
    // is_in(place) says which of the columns count.
    template <class Group, class IsIn> DEVICE void build(const Column* columns, int count, IsIn is_in) {
        bits = 5;
        while (1 << bits < SPARSE * count) ++bits;
        for (int at = Group::rank(); at < 1 << bits; at += Group::size()) {
            keys[at] = Column(-1);
            if (at % (32 / FILTER) == 0) filter[at * FILTER / 32] = 0;
        }
        Group::sync();
        using Word = either<sizeof(Column) == 8, uint64, unsigned>;
        for (int place = Group::rank(); place < count; place += Group::size()) {
            if (!is_in(place)) continue;
            Column key = columns[place];
            int at = slot(key);
            while (atomicCAS((Word*)(keys + at), Word(Column(-1)), Word(key)) != Word(Column(-1)))
                at = (at + 1) & ((1 << bits) - 1);
            if constexpr (HAS_PLACES) places[at] = uint16(place);
            unsigned bit = filter_place(key);
            atomicOr(filter + (bit >> 5), 1u << (bit & 31));
        }
        Group::sync();
    }
};

constexpr int64 FAR_LONGER = 16;  // times as long as another row, so that a search in it is better than looking it up
constexpr int64 ALONE = 8;        // entries that a thread searches alone
constexpr int WARPS = 8;          // of a block, at most
constexpr int SPARSE = DOTS ? 4 : 2, FILTER = DOTS ? 16 : 8;  // slots for every entry, bits for every slot
using TableColumn = either<DOTS, LeftColumn, MaskColumn>;     // a table has a row of the left factor, or of the mask
constexpr bool WIDE = sizeof(TableColumn) == 8;
constexpr int WARP_ROW = DOTS && WIDE ? 64 : 128;                       // entries in the table of a warp
constexpr int BLOCK_ROW = DOTS ? 8 * WARP_ROW : WIDE ? 1024 : 2048;     // and of a block
constexpr int64 CHUNK = DOTS ? 256 : BLOCK_ROW;                         // entries of the mask in an item
enum { NO_CORNERS, OF_EDGES, OF_VERTICES };
constexpr bool HAS_PLACES = !DOTS || LEFT == EACH || CORNERS != NO_CORNERS;  // where an entry is, not only whether there is one
using RowLookup = Lookup<TableColumn, HAS_PLACES, SPARSE, FILTER>;

// --- items ---

enum Counter { WARP_ITEMS, BLOCK_ITEMS, NEXT_FOR_WARP, NEXT_FOR_BLOCK };
constexpr int64 WARP_PRODUCTS = 1 << 14;  // a row of the mask with more is for a block

// The longest row of the right factor that is looked up in a row of the mask entry by entry.
DEVICE int64 most_looked_up(int64 mask_length) { return FAR_LONGER * mask_length + WIDE_ROW; }

// The items, as the row and the first entry of each: those for warps from the front, those for blocks from the back.
// `products` of each row are given unless DOTS.
extern "C" __global__ void list_items_kernel(
    const int64* products, const LeftOffset* a_indptr, const MaskOffset* mask_indptr, int64 nrows, int64 capacity,
    int64* rows, int64* firsts, int64* counters
) {
    for (int64 base = warp_in_grid() * 32; base < nrows; base += warps_in_grid() * 32) {
        int64 i = base + lane(), first = 0, items = 0;
        bool by_block = false;
        if (i < nrows) {
            first = mask_indptr[i];
            int64 open = int64(mask_indptr[i + 1]) - first, length = int64(a_indptr[i + 1]) - int64(a_indptr[i]);
            if (DOTS ? length > 0 : products[i] > 0) items = (open + CHUNK - 1) / CHUNK;
            by_block = (DOTS ? length : open) > WARP_ROW;
            if constexpr (!DOTS)
                by_block |= products[i] > WARP_PRODUCTS && length * most_looked_up(open) > WARP_PRODUCTS;
        }
        for (int group = 0; group < 2; ++group) {
            int64 own = by_block == (group == 1) ? items : 0;
            if (!__any_sync(FULL_WARP, own > 0)) continue;
            int64 end = inclusive_sum(own), place = 0;
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

struct Items {
    const int64* rows;
    const int64* firsts;
    int64 capacity;
    int64* counters;

    // use(i, first, stop) for every item of warps or of blocks: entries of row i of the mask.
    template <class Group, class Use> DEVICE void for_each(const MaskOffset* mask_indptr, Use use) const {
        constexpr bool BY_BLOCK = same_type<Group, BlockGroup>;
        int64* next = counters + (BY_BLOCK ? NEXT_FOR_BLOCK : NEXT_FOR_WARP);
        for (int64 n = Group::ticket(next, 1); n < counters[BY_BLOCK ? BLOCK_ITEMS : WARP_ITEMS]; n = Group::ticket(next, 1)) {
            int64 item = BY_BLOCK ? capacity - 1 - n : n, i = rows[item], stop = firsts[item] + CHUNK;
            int64 end = mask_indptr[i + 1];
            use(i, firsts[item], stop < end ? stop : end);
        }
    }
};

// --- dot products ---
//
// Row i becomes a table in shared memory, in which the entries of columns are looked up, however many columns there are:
// short ones together, long ones by the whole warp. Where a column is far longer than the row, the row is looked up in the
// column instead. The order of additions depends on the factors and the mask only.
// If values do not matter, and the factors are one matrix, the longer one of two rows can be the table: entries of the mask
// where that is row j are left to a second launch, which takes the mask by its columns.
// CORNERS: where both factors and the mask are the edges of a graph that lead to vertices of lower number, a product is a
// triangle. Then the result is not the dots, but how many triangles every edge or every vertex is in.

constexpr int64 WIDE_COLUMN = 64;  // one that a warp looks up alone
// An edge has no more triangles than there are vertices: half the memory for what is added to once for every triangle.
using Tally = either<CORNERS == OF_EDGES, unsigned, uint64>;
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
            all.sum = in_all_lanes(warp_merged(sum), 0);
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
        UNROLLED for (int n = 0; n < 4; ++n) {
            int64 q = base + 32 * n + lane();
            columns[n] = q < stop ? f.b.indices[q] : RightColumn(-1);
        }
        UNROLLED for (int n = 0; n < 4; ++n) {
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

// One item. A warp has the whole row in its table, a block takes long rows in pieces.
template <class Group>
DEVICE void dot_item(const Operands& given, RowLookup& lookup, const Output& out, int64 i, int64 first, int64 stop) {
    constexpr bool BY_WARP = same_type<Group, WarpGroup>;
    int64 row_start = given.a.indptr[i], row_stop = given.a.indptr[i + 1], full = row_stop - row_start;
    for (int64 start = row_start; start < row_stop; start += BLOCK_ROW) {
        int length = int(BY_WARP || row_stop - start < BLOCK_ROW ? row_stop - start : BLOCK_ROW);
        Row row = {i, start, length, BY_WARP || start == row_start, BY_WARP || full <= BLOCK_ROW, full};
        start_tally<Group>(row, out);
        lookup.template build<Group>(given.a.indices + start, length, [](int) { return true; });
        for (int64 entry = first + (Group::rank() >> 5 << 5); entry < stop; entry += Group::size())
            dots(given, row, lookup, entry, stop, out);
        finish_tally<Group>(given, row, out);
        if constexpr (BY_WARP) break;
    }
}

// --- rows by Gustavson's method ---
//
// Row i of the mask becomes a table in shared memory with a sum for every entry, and the products of row i are looked up
// there; but where a row of the right factor is far longer than the mask's, the mask's entries are searched in it.

using Total = either<COUNTS, unsigned, Word>;  // a number of products, where adding them up is counting

struct Sums {
    Total* words;
    unsigned* found;  // bits; not where products are counted
};

// use(k, p, q, t) where entry t of the mask's row is entry q of a row of the right factor that has more than `most` entries.
template <class Group, class Use>
DEVICE void search_long_rows(const Operands& given, int64 i, int64 start, int length, int64 most, Use use) {
    int64 stop = given.a.indptr[i + 1];
    for (int64 first = int64(given.a.indptr[i]) + (Group::rank() >> 5 << 5); first < stop; first += Group::size()) {
        int64 p = first + lane(), k = 0, begin = 0, end = 0;
        if (p < stop) {
            k = given.a.indices[p];
            begin = given.b.indptr[k];
            end = given.b.indptr[k + 1];
        }
        auto search = [&](int64 inner, int64 entry, int64 from, int64 to, int t) {
            if (!counts(given.mask, start + t)) return;
            int64 j = given.mask.rows.indices[start + t], q = lower_bound(given.b.indices, from, to, j);
            if (q < to && given.b.indices[q] == j) use(inner, entry, q, t);
        };
        bool is_long = end - begin > most;
        if (is_long && length <= ALONE)
            for (int t = 0; t < length; ++t) search(k, p, begin, end, t);
        for (unsigned open = __ballot_sync(FULL_WARP, is_long && length > ALONE); open; open &= open - 1) {
            int owner = __ffs(open) - 1;
            int64 inner = from_lane(k, owner), from = from_lane(begin, owner), to = from_lane(end, owner);
            for (int t = lane(); t < length; t += 32) search(inner, first + owner, from, to, t);
        }
    }
}

// Some entries of row i of the mask, from `start` on.
template <class Group>
DEVICE void add_row(
    const Operands& given, int64 i, int64 start, int length, RowLookup& lookup, const Sums& sums, bool* present,
    Value* out_values
) {
    for (int t = Group::rank(); t < length; t += Group::size()) {
        if constexpr (COUNTS) sums.words[t] = 0;
        else if constexpr (ADDS) sums.words[t] = to_bits<Word>(initial());
        if (!(t & 31)) sums.found[t >> 5] = 0;
    }
    lookup.template build<Group>(given.mask.rows.indices + start, length, [&](int t) { return counts(given.mask, start + t); });
    auto add = [&](int64 k, int64 p, int64 q, int t) {
        if constexpr (COUNTS) {
            atomicAdd(sums.words + t, Total(1));
            return;
        }
        unsigned bit = 1u << (t & 31);
        if (!(((volatile unsigned*)sums.found)[t >> 5] & bit)) atomicOr(sums.found + (t >> 5), bit);
        int64 j = given.b.indices[q];
        if constexpr (ADDS && !COUNTS) add_to_word((Word*)sums.words + t, product(given.values, i, k, j, p, q));
        else if constexpr (!STRUCTURE && !COUNTS) sums.words[t] = to_bits<Word>(product(given.values, i, k, j, p, q));
    };
    int64 most = most_looked_up(length);
    auto look_up = [&](int64 k, int64 p, int64 q) {
        int t = lookup.find(MaskColumn(given.b.indices[q]));
        if (t >= 0) add(k, p, q, t);
    };
    if constexpr (same_type<Group, WarpGroup>) share_row_by_warp(given, i, most, look_up);
    else share_products(given, i, look_up, most);
    search_long_rows<Group>(given, i, start, length, most, add);
    Group::sync();
    for (int t = Group::rank(); t < length; t += Group::size()) {
        bool found = COUNTS ? sums.words[t] > 0 : bool(sums.found[t >> 5] >> (t & 31) & 1);
        present[start + t] = found;
        if (!found) continue;
        if constexpr (COUNTS) out_values[start + t] = cast<Value>(sums.words[t]);
        else if constexpr (!STRUCTURE) out_values[start + t] = from_bits<Value>(sums.words[t]);
    }
    Group::sync();  // the table is free again
}

// --- kernels ---

#define GIVEN                                                                                                             \
    OPERANDS, const int64 *rows, const int64 *firsts, int64 capacity, int64 *counters, int64 side,                         \
        const MaskOffset *out_indptr, const MaskColumn *out_indices, bool *present, Value *out_values

// What a group of threads has in shared memory: its table, and besides a number or a sum for every entry.
template <int GROUPS, int ROW> struct Memory {
    TableColumn keys[GROUPS][SPARSE * ROW];
    uint16 places[HAS_PLACES ? GROUPS : 1][HAS_PLACES ? SPARSE * ROW : 1];
    unsigned filter[GROUPS][SPARSE * ROW * FILTER / 32];
    unsigned tally[GROUPS][CORNERS == NO_CORNERS ? 1 : ROW];
    Total sums[DOTS ? 1 : GROUPS][DOTS || STRUCTURE ? 1 : ROW];
    unsigned found[DOTS ? 1 : GROUPS][DOTS ? 1 : ROW / 32];
};

template <class Group, class Shared>
DEVICE void make_items(const Operands& given, const Items& items, Output out, Shared& memory, int group) {
    RowLookup lookup = {memory.keys[group], memory.places[HAS_PLACES ? group : 0], memory.filter[group], 5};
    out.tally = memory.tally[group];
    items.template for_each<Group>(given.mask.rows.indptr, [&](int64 i, int64 first, int64 stop) {
        if constexpr (DOTS) {
            dot_item<Group>(given, lookup, out, i, first, stop);
        } else {
            Sums sums = {memory.sums[group], memory.found[group]};
            add_row<Group>(given, i, first, int(stop - first), lookup, sums, out.present, out.values);
        }
    });
}

// Rows wait for memory: a processor should run as many blocks as it can. 0 leaves that to the compiler.
constexpr int BLOCKS_AT_ONCE = DOTS ? 0 : 8;
extern "C" __global__ void __launch_bounds__(256, BLOCKS_AT_ONCE) masked_by_warp_kernel(GIVEN) {
    __shared__ Memory<WARPS, WARP_ROW> memory;
    MAKE_OPERANDS
    write_constant(given.values, out_values);
    Output out = {Side(side), {out_indptr, out_indices}, present, out_values, nullptr};
    make_items<WarpGroup>(given, {rows, firsts, capacity, counters}, out, memory, threadIdx.x >> 5);
}

extern "C" __global__ void __launch_bounds__(256) masked_by_block_kernel(GIVEN) {
    __shared__ Memory<1, BLOCK_ROW> memory;
    MAKE_OPERANDS
    Output out = {Side(side), {out_indptr, out_indices}, present, out_values, nullptr};
    make_items<BlockGroup>(given, {rows, firsts, capacity, counters}, out, memory, 0);
}
