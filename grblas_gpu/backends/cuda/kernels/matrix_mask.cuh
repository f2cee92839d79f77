// Whether a mask that is a matrix is open at an entry. Generated: MaskColumn, MaskOffset, MaskValue, and
//   MASK         where a result may have entries: EVERYWHERE, INSIDE or OUTSIDE of the mask's
//   MASK_VALUED  an entry of the mask counts only if its value is nonzero
//   MASK_ISO     one value stands for all

#include "grid.cuh"

constexpr int EVERYWHERE = 0, INSIDE = 1, OUTSIDE = 2;

template <class Offset, class Column> struct Rows {
    const Offset* indptr;
    const Column* indices;  // ascending in each row
};
using MaskRows = Rows<MaskOffset, MaskColumn>;
struct Mask {
    MaskRows rows;
    const MaskValue* values;
};

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
