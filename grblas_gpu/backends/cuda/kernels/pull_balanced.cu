// Matrix times full vector, balanced over entries: every row is added up whole, so this is for sums that do not end early.
// Generated: what mxv.cuh needs.

#include "row_chunks.cuh"
#include "tally.cuh"

// What is read once leaves the first-level cache to the vector.
template <class T> DEVICE T read_once(const T* from) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == 4) {
        unsigned bits;
        asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(bits) : "l"(from));
        if constexpr (is_float<T>) return __uint_as_float(bits);
        else return T(bits);
    } else if constexpr (sizeof(T) == 8) {
        uint64 bits;
        asm("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(bits) : "l"(from));
        if constexpr (is_float<T>) return __longlong_as_double(int64(bits));
        else return T(bits);
    }
#endif
    return *from;
}

constexpr int ON_THE_WAY = 8;                      // entries of a lane
constexpr int BLOCKS = sizeof(Value) == 8 ? 3 : 4;  // in a processor, with registers for them

extern "C" __global__ void __launch_bounds__(256, BLOCKS) pull_balanced_kernel(
    OPERANDS, int64 nrows, int64 entries, bool* out_present, Value* out_values, const Offset* next,
    Value* rest_values, int64* rest_rows, int64* counters, volatile int64* host
) {
    Tally total = {next, 0, 0};
    using MatrixOperand = either<FLIP, Right, Left>;
    using VectorOperand = either<FLIP, Left, Right>;
    auto load = [&](int64 base, int count, Value* items) {
        Column columns[ON_THE_WAY];
        MatrixValue stored[ON_THE_WAY];
        VectorValue elements[ON_THE_WAY];
        const Column* own_columns = indices + base + lane();
        const MatrixValue* own_values = matrix_values + (MATRIX == EACH ? base + lane() : 0);
        count -= lane();
#pragma unroll
        for (int k = 0; k < ON_THE_WAY; ++k) {
            columns[k] = 32 * k < count ? read_once(own_columns + 32 * k) : Column(0);
            if constexpr (MATRIX == EACH) stored[k] = 32 * k < count ? read_once(own_values + 32 * k) : MatrixValue(0);
        }
        if constexpr (VECTOR == EACH) {
#pragma unroll
            for (int k = 0; k < ON_THE_WAY; ++k) elements[k] = vector_values[columns[k]];
        }
#pragma unroll
        for (int k = 0; k < ON_THE_WAY; ++k) {
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
    add_up_rows<ON_THE_WAY>(indptr, nrows, entries, out_values, {rest_values, rest_rows}, load, row_is);
    publish(total, counters, host);
}

extern "C" __global__ void add_rests_kernel(
    const Offset* indptr, int64 entries, Value* result, Value* rest_values, int64* rest_rows
) {
    add_rests(indptr, entries, chunk_length(entries), result, {rest_values, rest_rows});
}
