// The operand of a product with its flags inside its values, for a pull that adds up most entries of a matrix: where there is no entry, a
// marked operand holds a NaN that nothing else has. An entry of the matrix is then one look-up at random where a flag and a value are two, and
// look-ups are what such a pull takes its time for, wherever the answer is. Made before such a pull, by a pass over the operand.

#include "loop_operands.cuh"

constexpr int64 MANY_POSITIONS = 1 << 16;  // flags of fewer are in the first-level cache, as most of their values
constexpr double LOOKS_OF_EACH = 8;  // at each position: of fewer, a pass and a barrier take longer than they save

DEVICE bool wants_marked(double looks, double positions) {
    return OPERAND_MARKED && positions >= MANY_POSITIONS && looks >= LOOKS_OF_EACH * positions;
}

// All threads of the grid, before a barrier.
DEVICE void write_marked(const Operands& given) {
    if constexpr (OPERAND_MARKED) {
        const Vector& u = given.looked_up;
        for (int64 k = thread_in_grid(); k < given.size; k += threads_in_grid()) {
            VectorValue value = absent<VectorValue>();
            if (u.present[k]) {  // without an entry there may be no memory for a value
                value = u.values[k];
                if (is_absent(value)) value = VectorValue(nan(""));
            }
            given.marked[k] = value;
        }
    }
}
