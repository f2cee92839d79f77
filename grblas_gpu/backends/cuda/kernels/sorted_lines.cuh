// Where each line (a row, or a column) begins among sorted entries.

#include "grid.cuh"

constexpr int64 LINES_OF_A_WARP = 128;  // neighbouring lines amortize the search: a lane's target is then close by

// offsets[line] = the number of entries in earlier lines, for `lines` lines and their end; line_of(entry) ascends.
template <class LineOf, class Offset>
DEVICE void list_lines(int64 entries, int64 lines, LineOf line_of, Offset* offsets) {
    // All lanes of the warp pass the same arguments, and probe 32 places at a time.
    auto warp_below = [&](int64 line, int64 lo) {
        int64 hi = entries;
        while (lo < hi) {
            int64 step = (hi - lo + 31) >> 5, probe = lo + (lane() + 1) * step - 1;
            int passed = __popc(__ballot_sync(FULL_WARP, probe < hi && line_of(probe) < line));
            int64 end = lo + (passed + 1) * step - 1;
            lo += passed * step;
            if (end < hi) hi = end;
        }
        return lo;
    };
    auto below = [&](int64 line, int64 lo, int64 hi) {
        while (lo < hi) {
            int64 middle = (lo + hi) >> 1;
            if (line_of(middle) < line) lo = middle + 1;
            else hi = middle;
        }
        return lo;
    };
    for (int64 base = warp_in_grid() * LINES_OF_A_WARP; base <= lines; base += warps_in_grid() * LINES_OF_A_WARP) {
        int64 last = base + LINES_OF_A_WARP - 1 < lines ? base + LINES_OF_A_WARP - 1 : lines;
        int64 lo = warp_below(base, 0), hi = warp_below(last, lo);
        for (int64 line = base + lane(); line <= last; line += 32) offsets[line] = Offset(below(line, lo, hi));
    }
}
