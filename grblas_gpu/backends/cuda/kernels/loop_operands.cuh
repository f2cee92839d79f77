// The arguments of a product in a loop, for pushes (loop_push.cuh) and pulls (loop_pull_*.cuh).

#include "mxv.cuh"
#include "sums.cuh"
#include "grid.cuh"

// Strategies of products, numbered as in fusion/direction.py. Generated: PUSH_BY and PULL_BY, for the two answers of the rule, and
// BALANCED.
constexpr int SCATTER = 0, SCAN = 1, BY_THREADS = 2, BY_WARPS = 3, HYBRID = 4, COMPACT = 5, BY_ENTRIES = 6, SORT = 7;
DEVICE constexpr bool is_push(int strategy) { return strategy == SCATTER || strategy == SCAN || strategy == SORT; }
// BALANCED: by entries, but every row is summed as a whole, which needs neither the row of every entry nor a clean buffer.
DEVICE constexpr bool is_balanced(int strategy) { return strategy == BY_ENTRIES && BALANCED; }
DEVICE constexpr bool is_scattered(int strategy) { return is_push(strategy) || (strategy == BY_ENTRIES && !BALANCED); }  // into a clean buffer
// A row is done at its first entry that hits, whatever value the matrix has there: then rows are taken four at a time.
constexpr bool ANY_HIT = EARLY_EXIT && (STRUCTURE || (EXIT_AT_FIRST && MATRIX != EACH));
DEVICE constexpr bool takes_four(int strategy) { return strategy == HYBRID && ANY_HIT; }
// The workspace of a push that sorts: as many keys and products as there may be edges, twice; and counts of digits.
using Key = either<sizeof(RowId) == 8, uint64, unsigned>;
using Payload = either<sizeof(Value) == 8, uint64, either<sizeof(Value) == 4, unsigned, either<sizeof(Value) == 2, uint16, uint8>>>;
struct SortWorkspace {
    int64 capacity;
    Key* keys[2];
    Payload* products[2];
    unsigned *counts, *totals;
};

// The columns of `rows` ordered by their number of entries, largest first (eager/column_order.py), and memory for the operand in that
// order.
struct ColumnOrder {
    const Column *columns, *indices;  // the column of each number, and the number of every entry's column; or null
    VectorValue* ordered;
};

struct Operands {
    Matrix columns, rows;  // of the same matrix: for pushes, for pulls
    Vector u;
    Mask mask;
    const bool* closing;  // flags of entries that the mask's vector gets while this runs (CLOSING)
    const Offset* next;   // offsets of the matrix that the result is multiplied by next, or null
    const Column* hub_neighbours;  // the hub-neighbour cache: two entries of each row that are likely to hit (matrix_facts.cu); or null
    const RowId* row_ids;          // of every entry of `rows` (BY_ENTRIES, not BALANCED)
    RowId* open_list;              // memory for the numbers of all rows (COMPACT)
    unsigned* filter;              // memory for a bit of every column (BY_ENTRIES, not BALANCED), or for those of each buffer (BY_BITS)
    VectorValue* marked;           // memory for a value of every column (OPERAND_MARKED)
    Value* carry_values;            // carries of rows that began before a chunk, and these rows (BALANCED)
    int64* carry_rows;
    ColumnOrder order;  // BALANCED
    bool all_short;     // no row has more than LANE_ROW entries (BALANCED)
    int64 nvals;
    SortWorkspace sort_workspace;     // SORT
    int64 size;  // of the operand
    Vector looked_up;  // the vector in which a pull looks entries up: u, or the mask's vector (REUSES_MASK: only flags matter)
};

DEVICE bool is_open(const Operands& given, int64 i) {
    if constexpr (CLOSING) return allowed(given.mask, i) & !given.closing[i];
    else return allowed(given.mask, i);
}

template <class S> DEVICE Sums sums_of(const S& out) { return {(uint8*)out.other_flags(), 1, (Value*)out.other_values()}; }

// Rows of a result, in the other buffer of its vector, and what they count.
struct Written {
    bool* flags;
    Value* values;
    ::Count<Offset> count;
    template <class S> DEVICE Written(const Operands& given, const S& out)
        : flags(out.other_flags()), values((Value*)out.other_values()), count{given.next, 0, 0} {}
    DEVICE void row(int64 i, const Sum& sum) {
        flags[i] = sum.found;
        if (!sum.found) return;
        if constexpr (!STRUCTURE) values[i] = sum.value;
        count.add(i);
    }
};

// Columns that may have an entry of a sparse operand, as bits: one bit stands for as many columns as needed to fit all bits into the shared
// memory of every block, where a warp looks up 32 in a few cycles. A lookup in a cache reads a line each, and most frontiers of a search
// are short: nearly all bits are unset.

DEVICE constexpr bool has_filter(int strategy) { return strategy == BY_ENTRIES && !BALANCED && !FULL; }

// A bit stands for 2^shift columns.
DEVICE int filter_shift(int64 columns) {
    int64 bits = int64(dynamic_bytes() / 4) * 32;
    int shift = 0;
    while (bits << shift < columns) ++shift;
    return shift;
}
DEVICE int64 filter_words(int64 columns, int shift) { return (columns + (int64(32) << shift) - 1) >> (5 + shift); }

// Every block makes the bits of so few columns: reading all flags takes less time than a grid barrier.
constexpr int64 OWN_COLUMNS = 32768;
DEVICE bool has_own_filter(int64 columns) { return columns <= OWN_COLUMNS && columns <= 8 * int64(dynamic_bytes()); }
DEVICE unsigned own_word(const bool* present, int64 word, int64 columns) {
    unsigned bits = 0;
    UNROLLED for (int n = 0; n < 8; ++n) {
        int64 k = 32 * word + 4 * n;
        unsigned flags = k < columns ? ::four_flags(present, k, columns) & 0x01010101u : 0;
        bits |= (flags * 0x01020408u >> 24) << 4 * n;  // four bytes become four bits
    }
    return bits;
}

// Makes the bits once for all blocks, if there is memory for them. All threads of the grid call it, before a barrier.
DEVICE void write_filter(const Operands& given) {
    if (dynamic_bytes() == 0) return;
    int64 columns = given.size;
    int shift = filter_shift(columns);
    const bool* present = given.looked_up.present;
    for (int64 word = thread_in_grid(); word < filter_words(columns, shift); word += threads_in_grid()) {
        unsigned bits = 0;
        int64 first = word << (5 + shift), stop = first + (int64(32) << shift);
        for (int64 k = first; k < stop && k < columns; k += 4)
            for (unsigned flags = ::four_flags(present, k, columns) & 0x01010101u; flags; flags &= flags - 1)
                bits |= 1u << (k - first + (__ffs(flags) - 1) / 8 >> shift);
        given.filter[word] = bits;
    }
}

struct ColumnFilter {
    const unsigned* words;
    int shift;  // negative: there is no memory for bits, and every column may have an entry
    // Called by all threads of a block.
    DEVICE ColumnFilter(const Operands& given) : words((const unsigned*)dynamic_shared()), shift(-1) {
        if (!has_filter(BY_ENTRIES) || dynamic_bytes() == 0) return;
        shift = filter_shift(given.size);
        bool own = has_own_filter(given.size);
        for (int64 at = thread(); at < filter_words(given.size, shift); at += blockDim.x)
            ((unsigned*)dynamic_shared())[at] = own ? own_word(given.looked_up.present, at, given.size) : given.filter[at];
        __syncthreads();
    }
    DEVICE bool is_exact() const { return FULL || shift == 0; }  // exact: a set bit means an entry
    DEVICE bool may_have(Column k) const {
        if (shift < 0) return true;
        unsigned bit = sizeof(Column) == 4 ? unsigned(k) >> shift : unsigned(uint64(k) >> shift);
        return words[bit >> 5] >> (bit & 31) & 1;
    }
};

// The operand of a product with its flags inside its values, for a pull that sums most entries of a matrix: positions without an entry hold
// a reserved NaN. An entry of the matrix then needs one random lookup instead of two, for flag and value, and lookups dominate the time of
// such a pull. Made before the pull, by a pass over the operand.

constexpr int64 MANY_POSITIONS = 1 << 16;  // flags of fewer positions are in the first-level cache, as most of their values
constexpr double LOOKS_OF_EACH = 8;  // at each position: with fewer, a pass and a barrier take longer than they save

DEVICE bool wants_marked(double looks, double positions) {
    return OPERAND_MARKED && positions >= MANY_POSITIONS && looks >= LOOKS_OF_EACH * positions;
}

// Called by all threads of the grid, before a barrier.
DEVICE void write_marked(const Operands& given) {
    if constexpr (OPERAND_MARKED) {
        const Vector& u = given.looked_up;
        for (int64 k = thread_in_grid(); k < given.size; k += threads_in_grid()) {
            VectorValue value = absent<VectorValue>();
            if (u.present[k]) {  // an empty vector may have no memory for a value
                value = u.values[k];
                if (is_absent(value)) value = VectorValue(nan(""));
            }
            given.marked[k] = value;
        }
    }
}
