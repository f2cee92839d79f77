// Reductions of parts that may be empty: no identity is needed. Generated: Value, add.

#include "grid.cuh"

struct Part {
    bool found;
    Value value;
};
DEVICE Part joined(Part left, const Part& right) {
    if (right.found) left.value = left.found ? add(left.value, right.value) : right.value;
    left.found = left.found || right.found;
    return left;
}
// Combines the parts of all lanes, in lane 0.
DEVICE Part warp_joined(Part part) {
    for (int distance = 16; distance > 0; distance >>= 1) {
        Part higher = {from_higher(part.found, distance), from_higher(part.value, distance)};
        if (lane() + distance < 32) part = joined(part, higher);
    }
    return part;
}
// A value combined with itself so many times (at least once), by doubling.
DEVICE Value repeated(Value value, int64 times) {
    Part sum = {false, value};
    for (; times > 0; times >>= 1) {
        sum = joined(sum, {(times & 1) != 0, value});
        value = add(value, value);
    }
    return sum.value;
}
