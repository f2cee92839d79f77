// Matrix times full vector, balanced over entries: every row is added up whole, so this is for sums that do not end early. A single
// call (pull_balanced.cu) and a loop (loop_pull_balanced.cuh) run this text, and their sums are the same to the last bit.
// Generated: what mxv.cuh needs; products do not depend on their places; and
//   SHORT_ROWS  rows are so short on average that it pays to look for short ones: see sum_of_lane

#include "mxv.cuh"
#include "row_sums.cuh"

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
    // Short rows have no column order.
    add_up_rows<IN_FLIGHT, SHORT_ROWS && same_type<U, Elements>>(m.indptr, nrows, entries, result, carry, load, row_is);
}
