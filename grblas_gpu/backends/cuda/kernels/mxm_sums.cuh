// Sums that many threads add to. Generated besides what the products ask for: NATIVE, the processor's own atomic for `add`
// (numbered as below), or 0.

#include "mxm_product.cuh"

constexpr int NATIVE_ADD = 1, NATIVE_MIN = 2, NATIVE_MAX = 3, NATIVE_AND = 4, NATIVE_OR = 5, NATIVE_XOR = 6;

// Sums are kept in words, because the processor compares and swaps nothing smaller.
using Word = either<sizeof(Value) == 8, uint64, unsigned>;

DEVICE Word to_word(Value value) {
    if constexpr (same_type<Value, float>) return __float_as_uint(value);
    else if constexpr (same_type<Value, double>) return Word(__double_as_longlong(value));
    else return Word(value);
}
DEVICE Value from_word(Word word) {
    if constexpr (same_type<Value, float>) return __uint_as_float(word);
    else if constexpr (same_type<Value, double>) return __longlong_as_double(word);
    else return Value(word);
}

// A template, so that the compiler skips atomics that the type does not have.
template <class T> DEVICE void add_atomically(Word* sum, T z) {
    using Signed = either<sizeof(T) == 8, int64, int>;
    using Ordered = either<is_signed<T>, Signed, Word>;
    if constexpr (NATIVE == NATIVE_ADD && is_float<T>) atomicAdd((T*)sum, z);
    else if constexpr (NATIVE == NATIVE_ADD) atomicAdd(sum, Word(z));
    else if constexpr (NATIVE == NATIVE_MIN) atomicMin((Ordered*)sum, Ordered(z));
    else if constexpr (NATIVE == NATIVE_MAX) atomicMax((Ordered*)sum, Ordered(z));
    else if constexpr (NATIVE == NATIVE_AND) atomicAnd(sum, Word(z));
    else if constexpr (NATIVE == NATIVE_OR) atomicOr(sum, Word(z));
    else if constexpr (NATIVE == NATIVE_XOR) atomicXor(sum, Word(z));
    else {
        Word old = *(volatile Word*)sum;
        while (true) {
            Word wanted = to_word(add(from_word(old), z));
            if (wanted == old) return;
            Word seen = atomicCAS(sum, old, wanted);
            if (seen == old) return;
            old = seen;
        }
    }
}
