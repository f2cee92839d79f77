// The operand of a product with its flags inside its values, for a pull that sums most entries of a matrix: positions without an entry hold
// a reserved NaN. An entry of the matrix then needs one random lookup instead of two, for flag and value, and lookups dominate the time of
// such a pull. Made before the pull, by a pass over the operand.

#include "loop_operands.cuh"

constexpr int64 MANY_POSITIONS = 1 << 16;  // flags of fewer positions are in the first-level cache, as most of their values
constexpr double LOOKS_OF_EACH = 8;  // at each position: with fewer, a pass and a barrier take longer than they save

DEVICE bool wants_marked(double looks, double positions) {
    return OPERAND_MARKED && positions >= MANY_POSITIONS && looks >= LOOKS_OF_EACH * positions;
}

// Called by all threads of the grid, before a barrier.
DEVICE void write_marked(const Operands& given) {
    if constexpr (OPERAND_MARKED) {
        const Vector& u = given.looked_up;
        for (int64 k = thread_in_grid(); k < given.size; k += threads_in_grid()) {
            VectorValue value = absent<VectorValue>();
            if (u.present[k]) {  // an empty vector may have no memory for a value
                value = u.values[k];
                if (is_absent(value)) value = VectorValue(nan(""));
            }
            given.marked[k] = value;
        }
    }
}
