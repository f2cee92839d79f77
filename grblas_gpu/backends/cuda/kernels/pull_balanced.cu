// Matrix times full vector, balanced over entries: every row is added up whole, so this is for sums that do not end early.
// Generated: what mxv.cuh needs.

#include "row_sums.cuh"
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

// Neighbours read neighbours, because columns of a row are near each other; then every lane gets entries that follow
// each other.
DEVICE constexpr int padded(int place) { return place + place / ITEMS; }  // lanes read from different banks

extern "C" __global__ void __launch_bounds__(256, 4) pull_balanced_kernel(
    OPERANDS, int64 nrows, int64 entries, bool* out_present, Value* out_values, const Offset* next,
    Value* rest_values, int64* rest_rows, int64* counters, volatile int64* host
) {
    __shared__ Value staged[WARPS_OF_BLOCK][padded(WINDOW)];
    Value* own = staged[threadIdx.x >> 5];
    Tally total = {next, 0, 0};
    using MatrixOperand = either<FLIP, Right, Left>;
    using VectorOperand = either<FLIP, Left, Right>;
    auto load = [&](int64 base, int64 hi, Value* items) {
        Column columns[ITEMS];
        MatrixValue stored[ITEMS];
        VectorValue elements[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            int64 entry = base + 32 * k + lane();
            columns[k] = entry < hi ? read_once(indices + entry) : Column(0);
            if constexpr (MATRIX == EACH) stored[k] = entry < hi ? read_once(matrix_values + entry) : MatrixValue(0);
        }
        if constexpr (VECTOR == EACH) {
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) elements[k] = vector_values[columns[k]];
        }
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            MatrixOperand a = MatrixOperand(1);
            VectorOperand b = VectorOperand(1);
            if constexpr (MATRIX != UNUSED) a = cast<MatrixOperand>(MATRIX == ISO ? matrix_values[0] : stored[k]);
            if constexpr (VECTOR != UNUSED) b = cast<VectorOperand>(VECTOR == ISO ? vector_values[0] : elements[k]);
            Value z;
            if constexpr (FLIP) z = cast<Value>(multiply(b, a, 0, 0, 0, 0));
            else z = cast<Value>(multiply(a, b, 0, 0, 0, 0));
            own[padded(32 * k + lane())] = z;
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) items[k] = own[padded(lane() * ITEMS + k)];
        __syncwarp();
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
