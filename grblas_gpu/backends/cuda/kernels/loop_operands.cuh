// The arguments of a product in a loop, for pushes (loop_push.cuh) and pulls (loop_pull_*.cuh).

#include "atomics.cuh"
#include "hybrid.cuh"

// Strategies of products, numbered as in fusion/direction.py. Generated: PUSH_BY and PULL_BY, for the two answers of the rule, and
// BALANCED.
constexpr int SCATTER = 0, SCAN = 1, BY_THREADS = 2, BY_WARPS = 3, HYBRID = 4, COMPACT = 5, BY_ENTRIES = 6, SORT = 7;
DEVICE constexpr bool is_push(int strategy) { return strategy == SCATTER || strategy == SCAN || strategy == SORT; }
// BALANCED: by entries, but every row is summed as a whole, which needs neither the row of every entry nor a clean buffer.
DEVICE constexpr bool is_balanced(int strategy) { return strategy == BY_ENTRIES && BALANCED; }
DEVICE constexpr bool is_scattered(int strategy) { return is_push(strategy) || (strategy == BY_ENTRIES && !BALANCED); }  // into a clean buffer
// Whether any entry of a row hits is enough: then rows are taken four at a time.
DEVICE constexpr bool takes_four(int strategy) { return strategy == HYBRID && STRUCTURE && ENDS_EARLY; }
DEVICE int strategy() {
    if (!::plan().push) return PULL_BY;
    if constexpr (PUSH_BY == SORT) return ::plan().sorts ? SORT : SCATTER;
    return PUSH_BY == SCATTER && !::plan().lists ? SCAN : PUSH_BY;
}
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
