// One product of two entries, and sums that several threads add to. Generated: what products.cuh needs, LeftStored, RightStored (types as
// stored), and
//   LEFT, RIGHT    how the values of a factor are read (products.cuh)

#include "atomics.cuh"
#include "grid.cuh"
#include "products.cuh"

constexpr bool ADDS = !STRUCTURE && !EXIT_AT_FIRST;  // sums that several threads add to start at initial()

struct Values {
    const LeftStored* left;
    const RightStored* right;
};

// Of entry p = (i, k) of the left factor and entry q = (k, j) of the right one.
DEVICE Value product(const Values& values, int64 i, int64 k, int64 j, int64 p, int64 q) {
    Left x = Left(1);
    Right y = Right(1);
    if constexpr (LEFT != UNUSED) x = cast<Left>(values.left[LEFT == ISO ? 0 : p]);
    if constexpr (RIGHT != UNUSED) y = cast<Right>(values.right[RIGHT == ISO ? 0 : q]);
    return cast<Value>(multiply(x, y, i, k, k, j));
}

// The one value of a structural result.
DEVICE void write_constant(const Values& values, Value* out) {
    if constexpr (STRUCTURE)
        if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = product(values, 0, 0, 0, 0, 0);
}

// Sums that several threads add to are words, because the processor compares and swaps nothing smaller. A template: values that do
// not fit a word have no such sums.
using Word = either<sizeof(Value) == 8, uint64, unsigned>;
template <class T> DEVICE void add_to_word(Word* sum, T z) { add_atomically((T*)sum, z); }
