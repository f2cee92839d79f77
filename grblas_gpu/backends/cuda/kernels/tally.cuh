// The counts of a product's result, published at the end.

#include "mxv.cuh"
#include "publish.cuh"

// Entries and, if the offsets of the next product's matrix are given, the number of entries of that matrix in the columns of this result.
struct Tally {
    const Offset* next;
    int64 entries, edges;
};

DEVICE void tally(Tally& total, int64 i) {
    ++total.entries;
    if (total.next) total.edges += int64(total.next[i + 1]) - int64(total.next[i]);
}

// Row i of a result that is not a list.
DEVICE void write_row(const Sum& sum, int64 i, bool* out_present, Value* out_values, Tally& total) {
    out_present[i] = sum.found;
    if (!sum.found) return;
    if constexpr (!STRUCTURE) out_values[i] = sum.value;
    tally(total, i);
}

DEVICE void publish(const Tally& total, int64* counters, volatile int64* host) {
    publish(total.entries, total.edges, counters, host);
}

// Adds one product to a sum (of sums.cuh, which kernels that call this include before); true if it is the first one there. Where any
// product will do, the first one's thread has yet to write it.
template <class To>
DEVICE bool scatter(const Matrix& m, const Vector& u, const To& sums, int64 i, int64 k, int64 entry, int64 element) {
    if constexpr (!EXIT_AT_FIRST) add_atomically(sums.values + i, product(m, u, i, k, entry, element));
    return first_touch(sums, i);
}
