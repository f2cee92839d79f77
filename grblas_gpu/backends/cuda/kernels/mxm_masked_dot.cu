// mxm.masked_dot: at each entry (i, j) of the mask, row i of the left factor against column j of the right one. The
// entries of the shorter list are looked up in the longer one, until the sum is certain. A thread does short lists
// alone, its warp helps with the others; entries are handed out as warps get ready, because rows differ in length.
// The order in which a sum is added up depends on the two lists only. The right factor is given as its transpose.

#include "mxm_product.cuh"
#include "mxm_rows.cuh"
#include "thread_groups.cuh"

constexpr int64 ALONE = 8;

struct Factors {
    LeftRows a;
    RightRows b;
    Values values;
};

// What is left of the two lists of one dot product.
struct Dot {
    int64 i, j, a_start, a_stop, b_start, b_stop;
    DEVICE bool a_shorter() const { return a_stop - a_start <= b_stop - b_start; }
    DEVICE int64 shorter() const { return a_shorter() ? a_stop - a_start : b_stop - b_start; }
};

DEVICE Dot dot_at(const Factors& f, int64 i, int64 j) {
    return {i, j, f.a.indptr[i], f.a.indptr[i + 1], f.b.indptr[j], f.b.indptr[j + 1]};
}

DEVICE void add_product(const Factors& f, const Dot& dot, int64 k, int64 p, int64 q, Sum& sum) {
    if constexpr (STRUCTURE) sum.found = true;
    else sum = merged(sum, {true, product(f.values, dot.i, k, dot.j, p, q)});
}

// Every step-th entry of the shorter list, from the one of this number on. `after` runs after each round.
template <class After>
DEVICE Sum add_matches(const Factors& f, const Dot& dot, int64 number, int64 step, After after) {
    Sum sum = {false, Value(0)};
    bool a_shorter = dot.a_shorter();
    int64 start = a_shorter ? dot.a_start : dot.b_start, length = dot.shorter();
    int64 reached = a_shorter ? dot.b_start : dot.a_start;  // both lists ascend: nothing is looked up before this place
    for (int64 base = 0; base < length; base += step) {
        int64 place = start + base + number;
        if (base + number < length) {
            if (a_shorter) {
                int64 k = f.a.indices[place];
                reached = lower_bound(f.b.indices, reached, dot.b_stop, k);
                if (reached < dot.b_stop && f.b.indices[reached] == k) add_product(f, dot, k, place, reached, sum);
            } else {
                int64 k = f.b.indices[place];
                reached = lower_bound(f.a.indices, reached, dot.a_stop, k);
                if (reached < dot.a_stop && f.a.indices[reached] == k) add_product(f, dot, k, reached, place, sum);
            }
        }
        if (after(sum)) break;
    }
    return sum;
}

DEVICE Sum warp_dot(const Factors& f, const Dot& dot) {
    Sum sum = add_matches(f, dot, lane(), 32, [](const Sum& so_far) {
        if constexpr (STRUCTURE || EXIT_AT_FIRST || HAS_TERMINAL) return __any_sync(FULL_WARP, finished(so_far)) != 0;
        else return false;
    });
    for (int distance = 16; distance > 0; distance >>= 1) {
        Sum higher = {from_higher(sum.found, distance), sum.value};
        if constexpr (!STRUCTURE) higher.value = from_higher(sum.value, distance);
        if (lane() + distance < 32) sum = merged(sum, higher);
    }
    sum.found = from_lane(sum.found, 0);
    if constexpr (!STRUCTURE) sum.value = from_lane(sum.value, 0);
    return sum;
}

DEVICE void masked_dot(
    const Factors& f, const Mask& mask, int64 nrows, int64 entries, int64* next, bool* present, Value* out_values
) {
    for (int64 base = WarpTeam::ticket(next, 32); base < entries; base = WarpTeam::ticket(next, 32)) {
        int64 entry = base + lane();
        Dot dot = {0, 0, 0, 0, 0, 0};
        if (entry < entries && counts(mask, entry))
            dot = dot_at(f, row_of(mask.rows.indptr, nrows, entry), mask.rows.indices[entry]);
        bool is_short = dot.shorter() <= ALONE;
        Sum sum = {false, Value(0)};
        if (is_short) sum = add_matches(f, dot, 0, 1, [](const Sum& so_far) { return finished(so_far); });
        unsigned open = __ballot_sync(FULL_WARP, !is_short);
        while (open) {
            int owner = __ffs(open) - 1;
            open &= open - 1;
            Sum whole = warp_dot(f, dot_at(f, from_lane(dot.i, owner), from_lane(dot.j, owner)));
            if (lane() == owner) sum = whole;
        }
        if (entry < entries) {
            present[entry] = sum.found;
            if constexpr (!STRUCTURE)
                if (sum.found) out_values[entry] = sum.value;
        }
    }
}

extern "C" __global__ void masked_dot_kernel(
    const LeftOffset* a_indptr, const LeftColumn* a_indices, const LeftStored* a_values, const RightOffset* b_indptr,
    const RightColumn* b_indices, const RightStored* b_values, const MaskOffset* mask_indptr, const MaskColumn* mask_indices,
    const MaskValue* mask_values, int64 nrows, int64 entries, int64* next, bool* present, Value* out_values
) {
    Factors factors = {{a_indptr, a_indices}, {b_indptr, b_indices}, {a_values, b_values}};
    write_constant(factors.values, out_values);
    masked_dot(factors, {{mask_indptr, mask_indices}, mask_values}, nrows, entries, next, present, out_values);
}

// The entries that are present, without gaps; kept[entry] is how many there are up to and including this one.
extern "C" __global__ void keep_present_kernel(
    const MaskOffset* mask_indptr, const MaskColumn* mask_indices, int64 nrows, int64 entries, const bool* present,
    const Value* values, const int64* kept, int64* out_indptr, Column* out_indices, Value* out_values
) {
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        if (!present[entry]) continue;
        int64 place = kept[entry] - 1;
        out_indices[place] = Column(mask_indices[entry]);
        if constexpr (!STRUCTURE) out_values[place] = values[entry];
    }
    for (int64 i = thread_in_grid(); i <= nrows; i += threads_in_grid()) {
        int64 before = mask_indptr[i];
        out_indptr[i] = before > 0 ? kept[before - 1] : 0;
    }
}
