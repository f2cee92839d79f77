// One product of two entries, and how products are added. Generated: LeftStored, RightStored (types as stored), Left, Right
// (as the operator takes them), Value (the result); the functions multiply, add, terminal; and
//   STRUCTURE      only whether there is a product matters: all are equal, and adding them changes nothing
//   LEFT, RIGHT    how the values of a factor are read: not at all, one for all, one for each entry
//   EXIT_AT_FIRST  any product will do
//   HAS_TERMINAL   a sum may stop when it reaches terminal()

constexpr int UNUSED = 0, ISO = 1, EACH = 2;

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
