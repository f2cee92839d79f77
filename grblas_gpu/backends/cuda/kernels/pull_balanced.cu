// Matrix times full vector, balanced over entries: every row is added up whole, so this is for sums that do not end early.
// Generated: what mxv.cuh needs, and ALIGNED (columns and values begin at a multiple of 16 bytes).

#include "row_sums.cuh"
#include "tally.cuh"

template <class T> struct alignas(sizeof(T) >= 8 ? 16 : 4 * sizeof(T)) Several {
    static constexpr int NUMBER = sizeof(T) >= 8 ? 2 : 4;
    T values[NUMBER];
};
// What is read once leaves the first-level cache to the vector.
template <class S> DEVICE S read_once(const S* from) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(S) == 16) {
        union {
            unsigned words[4];
            S whole;
        } read;
        asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(read.words[0]), "=r"(read.words[1]), "=r"(read.words[2]), "=r"(read.words[3])
            : "l"(from));
        return read.whole;
    }
#endif
    return *from;
}
template <class T> DEVICE void load_items(const T* from, int number, T* items) {
    if (ALIGNED && number == ITEMS) {
#pragma unroll
        for (int k = 0; k < ITEMS; k += Several<T>::NUMBER) {
            Several<T> some = read_once((const Several<T>*)(from + k));
#pragma unroll
            for (int n = 0; n < Several<T>::NUMBER; ++n) items[k + n] = some.values[n];
        }
    } else {
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) items[k] = k < number ? from[k] : T(0);
    }
}

extern "C" __global__ void pull_balanced_kernel(
    OPERANDS, int64 nrows, int64 entries, bool* out_present, Value* out_values, const Offset* next,
    Value* rest_values, int64* rest_rows, int64* counters, volatile int64* host
) {
    Tally total = {next, 0, 0};
    using MatrixOperand = either<FLIP, Right, Left>;
    using VectorOperand = either<FLIP, Left, Right>;
    auto load = [&](int64 own, int number, Value* items) {
        Column columns[ITEMS];
        MatrixValue stored[ITEMS];
        VectorValue elements[ITEMS];
        load_items(indices + own, number, columns);
        if constexpr (MATRIX == EACH) load_items(matrix_values + own, number, stored);
        if constexpr (VECTOR == EACH) {
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) elements[k] = k < number ? vector_values[columns[k]] : VectorValue(0);
        }
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            MatrixOperand a = MatrixOperand(1);
            VectorOperand b = VectorOperand(1);
            if constexpr (MATRIX != UNUSED) a = cast<MatrixOperand>(MATRIX == ISO ? matrix_values[0] : stored[k]);
            if constexpr (VECTOR != UNUSED) b = cast<VectorOperand>(VECTOR == ISO ? vector_values[0] : elements[k]);
            if constexpr (FLIP) items[k] = cast<Value>(multiply(b, a, 0, 0, 0, 0));
            else items[k] = cast<Value>(multiply(a, b, 0, 0, 0, 0));
        }
    };
    auto row_is = [&](int64 row, bool filled) {
        out_present[row] = filled;
        if (filled) tally(total, row);
    };
    reduce_rows(indptr, nrows, entries, out_values, {rest_values, rest_rows}, load, row_is);
    publish(total, counters, host);
}

extern "C" __global__ void add_rests_kernel(
    const Offset* indptr, int64 entries, Value* result, Value* rest_values, int64* rest_rows
) {
    add_rests(indptr, entries, result, {rest_values, rest_rows});
}
