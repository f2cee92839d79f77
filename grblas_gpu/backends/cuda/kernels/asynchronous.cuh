// Rows of an asynchronous pull: a row that reaches the final value becomes part of the operand at once, for all later reads.
// Such a row holds `final`, so a mark replaces its value, and it does not matter when other threads see the mark.

#include "hybrid.cuh"

struct Settled {
    uint8* marks;  // only the row's own thread writes its mark
    unsigned bit;
    Value final;
};

DEVICE bool is_settled(const Settled& settled, int64 k) { return ((volatile uint8*)settled.marks)[k] & settled.bit; }

DEVICE Value settled_product(const Matrix& m, const Settled& settled, int64 i, int64 k, int64 entry) {
    using MatrixOperand = either<FLIP, Right, Left>;
    using VectorOperand = either<FLIP, Left, Right>;
    MatrixOperand a = MatrixOperand(1);
    if constexpr (MATRIX != UNUSED) a = cast<MatrixOperand>(m.values[MATRIX == ISO ? 0 : entry]);
    VectorOperand b = cast<VectorOperand>(settled.final);
    if constexpr (FLIP) return cast<Value>(multiply(b, a, 0, k, k, i));
    else return cast<Value>(multiply(a, b, i, k, k, 0));
}

DEVICE void take(Sum& sum, Value z) { sum = {true, sum.found ? add(sum.value, z) : z}; }

DEVICE bool is_final(const Sum& sum, const Settled& settled) { return sum.found && sum.value == settled.final; }

DEVICE void look(const Matrix& m, const Vector& u, const Settled& settled, int64 i, int64 entry, Sum& sum) {
    int64 k = m.indices[entry];
    if (FULL || u.present[k]) {
        take(sum, product(m, u, i, k, entry, k));
        if (is_final(sum, settled)) return;
    }
    if (is_settled(settled, k)) take(sum, settled_product(m, settled, i, k, entry));
}

// A part of a row by a whole warp; the result is in lane 0.
DEVICE Sum look_together(const Matrix& m, const Vector& u, const Settled& settled, int64 i, int64 start, int64 stop) {
    Sum sum = {false, Value(0)};
    for (int64 base = start; base < stop; base += 32) {
        if (base + lane() < stop) look(m, u, settled, i, base + lane(), sum);
        if (__any_sync(FULL_WARP, is_final(sum, settled))) break;
    }
    for (int distance = 16; distance > 0; distance >>= 1) {
        Sum higher = {from_higher(sum.found, distance), from_higher(sum.value, distance)};
        if (lane() + distance < 32 && higher.found) take(sum, higher.value);
    }
    return sum;
}

// One row per lane (none if start == stop): the lane reads a few entries alone, then its warp helps.
DEVICE Sum look_at_rows(const Matrix& m, const Vector& u, const Settled& settled, int64 i, int64 start, int64 stop) {
    Sum sum = {false, Value(0)};
    for (int probe = 0; probe < PROBES && start < stop && !is_final(sum, settled); ++probe)
        look(m, u, settled, i, start++, sum);
    unsigned open = __ballot_sync(FULL_WARP, start < stop && !is_final(sum, settled));
    while (open) {
        int owner = __ffs(open) - 1;
        open &= open - 1;
        Sum rest = look_together(m, u, settled, from_lane(i, owner), from_lane(start, owner), from_lane(stop, owner));
        Sum given = {from_lane(rest.found, 0), from_lane(rest.value, 0)};
        if (lane() == owner && given.found) take(sum, given.value);
    }
    return sum;
}

