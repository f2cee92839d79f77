// Sums of products, for products with vectors (mxv.cuh) and with matrices (mxm_product.cuh). Generated: Left, Right (types of the
// operator), Value (the result); the functions multiply, add, terminal, initial; and
//   STRUCTURE      only whether there is a product matters: all are equal, and adding them changes nothing
//   EXIT_AT_FIRST  any product is the result
//   HAS_TERMINAL   a sum may stop when it reaches terminal()
//   EARLY_EXIT     sums may stop at all
//   NATIVE         the processor's own atomic for `add` (numbered as in atomics.cuh), or 0

constexpr int UNUSED = 0, ISO = 1, EACH = 2;  // how the values of an operand are read: not at all, one for all, one for each entry

// The sum so far.
struct Sum {
    bool found;
    Value value;
};

DEVICE bool finished(const Sum& sum) {
    if constexpr (!EARLY_EXIT) return false;
    else if constexpr (STRUCTURE || EXIT_AT_FIRST) return sum.found;
    else if constexpr (HAS_TERMINAL) return sum.found && sum.value == terminal();
    else return false;
}

DEVICE Sum merged(Sum left, const Sum& right) {
    if constexpr (!STRUCTURE)
        if (right.found) left.value = left.found ? add(left.value, right.value) : right.value;
    left.found = left.found || right.found;
    return left;
}

// The sum over a warp, in lane 0.
DEVICE Sum warp_merged(Sum sum) {
    for (int distance = 16; distance > 0; distance >>= 1) {
        Sum higher = {from_higher(sum.found, distance), sum.value};
        if constexpr (!STRUCTURE) higher.value = from_higher(sum.value, distance);
        if (lane() + distance < 32) sum = merged(sum, higher);
    }
    return sum;
}
// The sum of one lane, in all of them.
DEVICE Sum in_all_lanes(const Sum& sum, int source) {
    Sum given = {from_lane(sum.found, source), sum.value};
    if constexpr (!STRUCTURE) given.value = from_lane(sum.value, source);
    return given;
}
