// pull.edge of a full vector in a loop (BALANCED): what pull_balanced.cu is outside of one, by the same text. Rows that several chunks
// have entries of are joined after a grid barrier, by add_row_carries.

#include "loop_operands.cuh"
#include "row_products.cuh"

// Registers: as many blocks as a loop has on a processor leave 64 to a thread.
constexpr int BALANCED_IN_FLIGHT = sizeof(Value) == 8 ? 4 : 8;

// The operand in the order of the columns, if they have one, before a grid barrier.
DEVICE void write_in_order(const Operands& given, int64 size) {
#pragma unroll 4
    for (int64 k = thread_in_grid(); k < size; k += threads_in_grid()) given.order.ordered[k] = given.u.values[given.order.columns[k]];
}

template <class S> DEVICE void pull_balanced(const Operands& given, const S& out, int64* counters) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    auto row_is = [&](int64 row, bool filled) {
        flags[row] = filled;  // of every row, by the one warp in whose chunk it begins: the buffer need not be clean
        if (filled) count.add(row);
    };
    Value* values = (Value*)out.other_values();
    Matrix rows = given.rows;
    Vector u = given.u;
    if (given.order.columns) rows.indices = given.order.indices, u.values = given.order.ordered;
    u.values = global(u.values);  // whichever it is
    multiply_rows<BALANCED_IN_FLIGHT>(rows, u, out.size, given.nvals, values, {given.carry_values, given.carry_rows}, row_is);
    count.publish(counters);
}
