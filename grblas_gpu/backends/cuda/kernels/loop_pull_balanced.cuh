// pull.edge of a full vector in a loop (BALANCED), by the same code as pull_balanced.cu outside of one. Rows with entries in several chunks
// are joined after a grid barrier, by add_row_carries.

#include "loop_operands.cuh"
#include "row_products.cuh"

constexpr int BALANCED_IN_FLIGHT = sizeof(Value) == 8 ? 4 : 8;  // there are registers for so many

// The operand in the order of the columns, if they have one, before a grid barrier.
DEVICE void write_in_order(const Operands& given) {
    UNROLLED_BY(4) for (int64 k = thread_in_grid(); k < given.size; k += threads_in_grid())
        given.order.ordered[k] = given.u.values[given.order.columns[k]];
}

// A functor, because older compilers need the types of a lambda.
template <class S, class RowIs> struct BalancedProduct {
    const Operands& given;
    const S& out;
    const Matrix& rows;
    RowIs& row_is;
    template <class E> DEVICE void operator()(const E& elements) const {
        Carry carry = {given.carry_values, given.carry_rows};
        multiply_rows<BALANCED_IN_FLIGHT>(rows, elements, out.size, given.nvals, (Value*)out.other_values(), carry, row_is);
    }
};

template <class S> DEVICE void pull_balanced(const Operands& given, const S& out, int64* counters) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    auto row_is = [&](int64 row, bool filled) {
        flags[row] = filled;  // every row is written by the warp in whose chunk it begins: the buffer need not be clean
        if (filled) count.add(row);
    };
    Matrix rows = given.rows;
    BalancedProduct<S, decltype(row_is)> multiply_by = {given, out, rows, row_is};
    if (VECTOR == EACH && given.order.columns) {
        rows.indices = given.order.indices;
        multiply_by(HubElements(global(given.order.ordered), given.size));
    } else if (SHORT_ROWS && given.all_short) {
        multiply_short_rows(rows, Elements{global(given.u.values)}, out.size, (Value*)out.other_values(), row_is);
    } else {
        multiply_by(Elements{global(given.u.values)});
    }
    count.publish(counters);
}

// The sum of a row by one thread, for fused steps that need it at once (fusion/chains.py): no row has more than SHORT_ROW entries.

// Some entries at a time; elements are read together with the flags that say whether they are there. Nothing is read behind the row's end.
constexpr int OF_A_ROW = 8;
DEVICE Sum sum_of_row(const Matrix& m, const Vector& u, int64 i) {
    Sum sum = {false, Value(0)};
    Offset entry = m.indptr[i], stop = m.indptr[i + 1];
    for (; entry < stop && !finished(sum); entry += OF_A_ROW) {
        either<REPEATED, int64, Column> k[OF_A_ROW];
        bool there[OF_A_ROW];
        VectorOperand elements[OF_A_ROW];
        UNROLLED for (int n = 0; n < OF_A_ROW; ++n) {
            there[n] = entry + n < stop;
            k[n] = there[n] ? column_of(m, i, entry + n) : 0;
        }
        UNROLLED for (int n = 0; n < OF_A_ROW; ++n) {
            elements[n] = there[n] ? element_of(u, k[n]) : VectorOperand();
            if constexpr (!FULL) there[n] = there[n] && u.present[k[n]];
        }
        UNROLLED for (int n = 0; n < OF_A_ROW; ++n) {
            if (!there[n]) continue;
            Value z = product_with(m, elements[n], i, k[n], entry + n);
            sum.value = sum.found ? add(sum.value, z) : z;
            sum.found = true;
        }
    }
    return sum;
}
