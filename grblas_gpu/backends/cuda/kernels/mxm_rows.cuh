// Rows of sparse matrices: lookups in them, masks made of them, and all products that one row of a result is made of.
// Generated: LeftColumn, RightColumn, MaskColumn (types of column indices), LeftOffset, RightOffset, MaskOffset (types of
// row offsets), MaskValue, and
//   MASK         where the result may have entries: EVERYWHERE, INSIDE or OUTSIDE of the mask's
//   MASK_VALUED  an entry of the mask counts only if its value is nonzero
//   MASK_ISO     one value stands for all

#include "grid.cuh"

constexpr int EVERYWHERE = 0, INSIDE = 1, OUTSIDE = 2;

template <class Offset, class Column> struct Rows {
    const Offset* indptr;
    const Column* indices;  // ascending in each row
};
using LeftRows = Rows<LeftOffset, LeftColumn>;
using RightRows = Rows<RightOffset, RightColumn>;
using MaskRows = Rows<MaskOffset, MaskColumn>;
struct Mask {
    MaskRows rows;
    const MaskValue* values;
};

// The first place in [lo, hi) whose number is at least `wanted`, or hi.
template <class T> DEVICE int64 lower_bound(const T* numbers, int64 lo, int64 hi, int64 wanted) {
    while (lo < hi) {
        int64 middle = (lo + hi) >> 1;
        if (numbers[middle] < wanted) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// The row that an entry belongs to.
template <class Offset> DEVICE int64 row_of(const Offset* indptr, int64 nrows, int64 entry) {
    return upper_bound(indptr, 0, nrows, Offset(entry)) - 1;
}

DEVICE bool counts(const Mask& mask, int64 entry) {
    if constexpr (MASK_VALUED) return mask.values[MASK_ISO ? 0 : entry] != MaskValue(0);
    else return true;
}

DEVICE bool allowed(const Mask& mask, int64 i, int64 j) {
    if constexpr (MASK == EVERYWHERE) {
        return true;
    } else {
        int64 stop = mask.rows.indptr[i + 1];
        int64 entry = lower_bound(mask.rows.indices, mask.rows.indptr[i], stop, j);
        bool inside = entry < stop && mask.rows.indices[entry] == j && counts(mask, entry);
        return inside == (MASK == INSIDE);
    }
}

// use(inside, k, p, q) for every pair of an entry p = (i, k) of the left factor and an entry q = (k, .) of the right one.
// The team's threads share the products evenly, however long the single rows are. All of them call `use` together; those
// that have nothing left to do are not `inside`.
template <class Team, class Use>
DEVICE void for_each_product(const LeftRows& a, const RightRows& b, int64 i, Use use) {
    int64 stop = a.indptr[i + 1];
    for (int64 first = a.indptr[i]; first < stop; first += 32) {
        int64 k = 0, begin = 0, count = 0;
        if (first + lane() < stop) {
            k = a.indices[first + lane()];
            begin = b.indptr[k];
            count = b.indptr[k + 1] - begin;
        }
        int64 end = count;  // of this lane's products among those of the warp
        for (int distance = 1; distance < 32; distance <<= 1) {
            int64 lower = from_lower(end, distance);
            if (lane() >= distance) end += lower;
        }
        int64 total = from_lane(end, 31);
        int64 shift = begin - (end - count);
        for (int64 base = 0; base < total; base += Team::size()) {
            int64 number = base + Team::rank();
            int owner = 0;  // the lane whose products this one is among
            for (int step = 16; step > 0; step >>= 1)
                if (from_lane(end, owner + step - 1) <= number) owner += step;
            use(number < total, from_lane(k, owner), first + owner, from_lane(shift, owner) + number);
        }
    }
}
