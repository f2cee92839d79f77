// Sums of short rows, one lane per row: it reads the entries of its row, some of them together. Neighbouring lanes read the same
// cache lines, and no search for row boundaries is needed. Generated: the definitions that row_groups.cuh needs.

#include "row_groups.cuh"

constexpr int OF_A_LANE = sizeof(Value) < 8 ? 8 : 6;  // entries that a lane waits for together: there are registers for so many
constexpr int LANE_ROW = 2 * OF_A_LANE;                // entries of a row that is short. As in eager/mxv_balanced.py
constexpr int64 SHORT_MEAN = 8;  // with fewer entries on average, most rows are likely to be short. As in eager/mxv_balanced.py

// load_lane(from, count, items): items[k] is the value of entry from + k, of the first `count`; all lanes of the warp come together, and
// some of them have entries.
template <class LoadLane> DEVICE Part sum_of_lane(Place from, Place to, LoadLane load_lane) {
    Part sum = {false, Value(0)};
    while (__any_sync(FULL_WARP, from < to)) {
        int count = to <= from ? 0 : to - from < Place(OF_A_LANE) ? int(to - from) : OF_A_LANE;
        Value items[OF_A_LANE];
        load_lane(from, count, items);
        Value total = items[0];
#pragma unroll
        for (int k = 1; k < OF_A_LANE; ++k)
            if (k < count) total = add(total, items[k]);
        sum = joined(sum, {count > 0, total});
        from += OF_A_LANE;
    }
    return sum;
}
