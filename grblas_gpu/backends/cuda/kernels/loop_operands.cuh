// What a product in a loop is given, for pushes (loop_push.cuh) and pulls (loop_mxv.cuh).

#include "atomics.cuh"
#include "hybrid.cuh"

constexpr bool FOUR_ROWS = STRUCTURE && ENDS_EARLY;  // at a time, of a pull

struct Operands {
    Matrix columns, rows;  // of the same matrix: for pushes, for pulls
    Vector u;
    Mask mask;
    const bool* closing;  // flags of entries that the mask's vector is getting while this runs (CLOSING)
    const Offset* next;   // offsets of the matrix that the result meets next, or null
    const Column* hub_neighbours;  // the hub-neighbour cache: two entries of each row that are likely to hit (matrix_facts.cu); or null
};

DEVICE bool is_open(const Operands& given, int64 i) {
    if constexpr (CLOSING) return allowed(given.mask, i) & !given.closing[i];
    else return allowed(given.mask, i);
}

// What a pull looks entries up in (REUSES_MASK: only flags matter).
DEVICE Vector pulled(const Operands& given) {
    if constexpr (REUSES_MASK) return {given.mask.present, given.u.values};
    else return given.u;
}

template <class S> DEVICE Sums sums_of(const S& out) { return {(uint8*)out.other_flags(), 1, (Value*)out.other_values()}; }
