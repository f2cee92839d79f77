// One product of two entries, and how products are added. Generated: LeftStored, RightStored (types as stored), Left, Right
// (as the operator takes them), Value (the result); the functions multiply, add, terminal, initial; and
//   STRUCTURE      only whether there is a product matters: all are equal, and adding them changes nothing
//   LEFT, RIGHT    how the values of a factor are read: not at all, one for all, one for each entry
//   EXIT_AT_FIRST  any product is the result
//   HAS_TERMINAL   a sum may stop when it reaches terminal()
//   NATIVE         the processor's own atomic for `add` (numbered as below), or 0

constexpr int UNUSED = 0, ISO = 1, EACH = 2;
constexpr int NATIVE_ADD = 1, NATIVE_MIN = 2, NATIVE_MAX = 3, NATIVE_AND = 4, NATIVE_OR = 5, NATIVE_XOR = 6;
constexpr bool ADDS = !STRUCTURE && !EXIT_AT_FIRST;  // sums that several threads add to start at initial()

struct Values {
    const LeftStored* left;
    const RightStored* right;
};
struct Sum {
    bool found;
    Value value;
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

DEVICE bool finished(const Sum& sum) {
    if constexpr (STRUCTURE || EXIT_AT_FIRST) return sum.found;
    else if constexpr (HAS_TERMINAL) return sum.found && sum.value == terminal();
    else return false;
}

DEVICE Sum merged(Sum left, const Sum& right) {
    if constexpr (!STRUCTURE)
        if (right.found) left.value = left.found ? add(left.value, right.value) : right.value;
    left.found = left.found || right.found;
    return left;
}

// Sums that several threads add to are words, because the processor compares and swaps nothing smaller. These are
// templates: values that do not fit a word have no such sums.
using Word = either<sizeof(Value) == 8, uint64, unsigned>;

template <class T> DEVICE Word to_word(T value) {
    if constexpr (same_type<T, float>) return __float_as_uint(value);
    else if constexpr (same_type<T, double>) return Word(__double_as_longlong(value));
    else return Word(value);
}
template <class T = Value> DEVICE T from_word(Word word) {
    if constexpr (same_type<T, float>) return __uint_as_float(word);
    else if constexpr (same_type<T, double>) return __longlong_as_double(word);
    else return T(word);
}

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
            Word wanted = to_word(add(from_word<T>(old), z));
            if (wanted == old) return;
            Word seen = atomicCAS(sum, old, wanted);
            if (seen == old) return;
            old = seen;
        }
    }
}
