// Rows of an asynchronous pull: a row that reaches the final value becomes part of the operand at once, for all later reads.
// Such a row holds `final`, so a mark replaces its value, and it does not matter when other threads see the mark.

#include "mxv.cuh"

// Templates, because not all types of other pulls can be compared.
template <class T> struct Settled {
    uint8* marks;  // only the row's own thread writes its mark
    unsigned bit;
    T final;
    DEVICE bool has(int64 k) const { return ((volatile uint8*)marks)[k] & bit; }
};
template <class T> DEVICE Value settled_product(const Matrix& m, const Settled<T>& settled, int64 i, int64 k, int64 entry) {
    return product_with(m, cast<VectorOperand>(settled.final), i, k, entry);
}

// How the entries of a row are added: see Synchronous in mxv.cuh.
template <class T> struct Asynchronous {
    static constexpr bool MAY_END = true;
    const Matrix& m;
    const Vector& u;
    Settled<T> settled;
    DEVICE void add(int64 i, int64 entry, Sum& sum) const {
        int64 k = m.indices[entry];
        if (FULL || u.present[k]) {
            sum = merged(sum, {true, product(m, u, i, k, entry, k)});
            if (is_done(sum)) return;
        }
        if (settled.has(k)) sum = merged(sum, {true, settled_product(m, settled, i, k, entry)});
    }
    DEVICE bool is_done(const Sum& sum) const { return sum.found && sum.value == settled.final; }
    DEVICE void settle(int64 i, const Sum& sum) const {
        if (is_done(sum)) ((volatile uint8*)settled.marks)[i] = settled.marks[i] | settled.bit;
    }
};
