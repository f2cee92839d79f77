// The sum of a row by one thread, for fused steps that need it at once (fusion/chains.py): no row has more than SHORT_ROW entries.

#include "loop_operands.cuh"

// Some entries at a time; elements are read together with the flags that say whether they are there. Nothing is read behind the row's end.
constexpr int OF_A_ROW = 8;
DEVICE Sum sum_of_row(const Matrix& m, const Vector& u, int64 i) {
    Sum sum = {false, Value(0)};
    Offset entry = m.indptr[i], stop = m.indptr[i + 1];
    for (; entry < stop && !finished(sum); entry += OF_A_ROW) {
        either<REPEATED, int64, Column> k[OF_A_ROW];
        bool there[OF_A_ROW];
        VectorOperand elements[OF_A_ROW];
#pragma unroll
        for (int n = 0; n < OF_A_ROW; ++n) {
            there[n] = entry + n < stop;
            k[n] = there[n] ? column_of(m, i, entry + n) : 0;
        }
#pragma unroll
        for (int n = 0; n < OF_A_ROW; ++n) {
            elements[n] = there[n] ? element_of(u, k[n]) : VectorOperand();
            if constexpr (!FULL) there[n] = there[n] && u.present[k[n]];
        }
#pragma unroll
        for (int n = 0; n < OF_A_ROW; ++n) {
            if (!there[n]) continue;
            Value z = product_with(m, elements[n], i, k[n], entry + n);
            sum.value = sum.found ? add(sum.value, z) : z;
            sum.found = true;
        }
    }
    return sum;
}
