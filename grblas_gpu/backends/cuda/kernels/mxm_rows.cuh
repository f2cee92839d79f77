// Rows of sparse matrices: all products that one row of a result is made of. Generated: LeftColumn, RightColumn (types of
// column indices), LeftOffset, RightOffset (types of row offsets), and what matrix_mask.cuh needs.

#include "matrix_mask.cuh"

using LeftRows = Rows<LeftOffset, LeftColumn>;
using RightRows = Rows<RightOffset, RightColumn>;

// The row that an entry belongs to.
template <class Offset> DEVICE int64 row_of(const Offset* indptr, int64 nrows, int64 entry) {
    return upper_bound(indptr, 0, nrows, Offset(entry)) - 1;
}

// use(inside, k, p, q) for every pair of an entry p = (i, k) of the left factor and an entry q = (k, .) of the right one.
// The group's threads share the products evenly, however long the single rows are. All of them call `use` together; those
// that have nothing left to do are not `inside`.
template <class Group, class Use>
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
        for (int64 base = 0; base < total; base += Group::size()) {
            int64 number = base + Group::rank();
            int owner = 0;  // the lane whose products this one is among
            for (int step = 16; step > 0; step >>= 1)
                if (from_lane(end, owner + step - 1) <= number) owner += step;
            use(number < total, from_lane(k, owner), first + owner, from_lane(shift, owner) + number);
        }
    }
}
