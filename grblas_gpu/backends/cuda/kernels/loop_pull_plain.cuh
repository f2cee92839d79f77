// Pulls in a loop as in TurboBFS: a thread for each row, a warp for each row, a thread for each entry.

#include "loop_operands.cuh"
#include "loop_pull_bits.cuh"
#include "loop_pull_hybrid.cuh"

// For products that one entry of a row decides: a thread for each row of a lot, so that a warp reads consecutive memory, and eight entries
// at a time; bottom-up four, because one of the first few is likely to hit. A warp takes LOTS of 32 rows and reads their flags at once, two
// lots at a time; with few rows it takes one lot, so that all warps have work. `epilogue`: it also runs the steps at the operand's entries.
template <int LOTS, class S, class C>
DEVICE void find_by_threads(const Operands& given, const S& out, int64* counters, C& change, bool epilogue) {
    constexpr int TOGETHER = LOTS > 1 ? 2 : 1;
    ::Count<Offset> count = {given.next, 0, 0};
    bool same = given.next == given.rows.indptr;  // the lengths of rows are loaded
    int width = ::plan().push ? 8 : 4;
    auto some = [&](Offset left) { return left < width ? int(left) : width; };
    bool* flags = out.other_flags();
    Search search = {given, counters, nullptr};
    int64 warp = (thread() >> 5) * BLOCK_COUNT + blockIdx.x;  // neighbours are in different blocks
    for (int64 base = 32 * LOTS * warp; base < out.size; base += 32 * LOTS * warps_in_grid()) {
        int64 mine = base + LOTS * lane();  // the rows whose flags this lane reads and writes
        unsigned open = 0, closing = 0, found = 0;
        if (mine < out.size) {
            open = open_of<LOTS>(given, mine, out.size);
            if (CLOSING && epilogue) closing = closing_of<LOTS>(given, mine, out.size);
        }
        UNROLLED for (int lot = 0; lot < LOTS; lot += TOGETHER) {
            Offset start[TOGETHER], length[TOGETHER], at[TOGETHER];
            int64 shift[TOGETHER] = {};
            int skipped[TOGETHER];  // entries before the first one that are read with it
            Eight k[TOGETHER];
            bool hit[TOGETHER], any = false;
            UNROLLED for (int n = 0; n < TOGETHER; ++n) {
                int64 i = base + 32 * (lot + n) + lane();
                bool is = LOTS == 1 ? open : from_lane(open, 8 * (lot + n) + lane() / 4) >> 8 * (lane() & 3) & 1;
                start[n] = is ? given.rows.indptr[i] : 0;
                length[n] = is ? given.rows.indptr[i + 1] - start[n] : 0;
                any |= is;
            }
            if (!__any_sync(FULL_WARP, any)) continue;
            UNROLLED for (int n = 0; n < TOGETHER; ++n) {
                if constexpr (REPEATED) {
                    if (length[n]) {
                        int64 i = base + 32 * (lot + n) + lane();
                        shift[n] = copy_of(given.rows, i) * given.rows.size;
                        start[n] = place_of(given.rows, i, start[n]);
                    }
                }
                at[n] = start[n] & ~Offset(3);
                skipped[n] = int(start[n] - at[n]);
                if (length[n]) k[n] = search.eight(at[n], at[n] + some(skipped[n] + length[n]));
            }
            UNROLLED for (int n = 0; n < TOGETHER; ++n)
                hit[n] = search.has_any(k[n], skipped[n], length[n] ? some(skipped[n] + length[n]) : 0, shift[n]);
            UNROLLED for (int n = 0; n < TOGETHER; ++n) {
                Offset left = skipped[n] + length[n] - width;
                UNROLLED_BY(1) for (at[n] += width; left > 0 && !hit[n]; at[n] += width, left -= width)
                    hit[n] = search.has_any(search.eight(at[n], at[n] + some(left)), 0, some(left), shift[n]);
                if (hit[n]) {
                    ++count.entries;
                    count.edges += same ? length[n] : count.edges_of(base + 32 * (lot + n) + lane());
                }
                unsigned all = __ballot_sync(FULL_WARP, hit[n]);
                if (LOTS == 1) found = hit[n];
                else if (lane() / 8 == lot + n) found = all >> 4 * (lane() & 7) & 15;
            }
        }
        if constexpr (LOTS == 4) {
            if (closing) change.visit_four(mine, closing);
            ::put_four_flags(flags, mine, bytes_of(found), out.size);
        } else {
            if (closing) change.make(mine, change.look(mine));
            if (mine < out.size) flags[mine] = found;
        }
    }
    count.publish(counters);
}

// A thread takes four rows, and two entries of each at a time, so that it waits once for all of them.
template <class S, class C>
DEVICE void pull_by_threads(const Operands& given, const S& out, int64* counters, C& change, bool epilogue) {
    if constexpr (BY_BITS) {
        if (out.size <= MOST_BIT_POSITIONS) pull_by_bits(given, out, counters, change, epilogue);
        else find_by_threads<4>(given, out, counters, change, epilogue);
        return;
    }
    if constexpr (STRUCTURE && ENDS_EARLY) {
        if (out.size > 32 * warps_in_grid()) find_by_threads<4>(given, out, counters, change, epilogue);
        else find_by_threads<1>(given, out, counters, change, epilogue);
        return;
    }
    constexpr int ROWS = 4, ENTRIES_OF_EACH = 2;
    Written written(given, out);
    const Vector& u = given.looked_up;
    for (int64 first = ROWS * thread_in_grid(); first < out.size; first += ROWS * threads_in_grid()) {
        unsigned open = open_rows(given, first, out.size);
        Offset entry[ROWS], stop[ROWS];
        Sum sums[ROWS];
        UNROLLED for (int n = 0; n < ROWS; ++n) {
            bool is = open >> 8 * n & 1;
            entry[n] = is ? given.rows.indptr[first + n] : 0;
            stop[n] = is ? given.rows.indptr[first + n + 1] : 0;
            sums[n] = {false, Value(0)};
        }
        for (bool left = open != 0; left;) {
            either<REPEATED, int64, Column> k[ROWS][ENTRIES_OF_EACH];
            bool there[ROWS][ENTRIES_OF_EACH];
            UNROLLED for (int n = 0; n < ROWS; ++n)
                UNROLLED for (int e = 0; e < ENTRIES_OF_EACH; ++e) {
                    there[n][e] = entry[n] + e < stop[n];
                    k[n][e] = there[n][e] ? column_of(given.rows, first + n, entry[n] + e) : 0;
                }
            if constexpr (!FULL) {
                UNROLLED for (int n = 0; n < ROWS; ++n)
                    UNROLLED for (int e = 0; e < ENTRIES_OF_EACH; ++e) there[n][e] = there[n][e] & u.present[k[n][e]];
            }
            left = false;
            UNROLLED for (int n = 0; n < ROWS; ++n) {
                UNROLLED for (int e = 0; e < ENTRIES_OF_EACH; ++e) {
                    if (!there[n][e]) continue;
                    Sum one = {true, Value(0)};
                    if constexpr (!STRUCTURE)
                        one.value = product(given.rows, u, first + n, k[n][e], entry[n] + e, k[n][e]);
                    sums[n] = merged(sums[n], one);
                }
                entry[n] += ENTRIES_OF_EACH;
                if (finished(sums[n])) entry[n] = stop[n];
                left |= entry[n] < stop[n];
            }
        }
        if (CLOSING && epilogue) {
            unsigned closing = ::four_flags(given.closing, first, out.size) & 0x01010101u;
            if (closing) change.visit_four(first, closing);
        }
        UNROLLED for (int n = 0; n < ROWS; ++n)
            if (first + n < out.size) written.row(first + n, sums[n]);
    }
    written.count.publish(counters);
}

// A warp finds the open rows among some rows, and takes them one after another.
template <class S> DEVICE void pull_by_warps(const Operands& given, const S& out, int64* counters) {
    Written written(given, out);
    Synchronous rule = {given.rows, given.looked_up};
    int64 width = out.size / warps_in_grid();
    width = width < 1 ? 1 : width > 32 ? 32 : width;
    int64 warp = (thread() >> 5) * BLOCK_COUNT + blockIdx.x;  // neighbours are in different blocks
    for (int64 base = warp * width; base < out.size; base += warps_in_grid() * width) {
        int64 i = base + lane(), start = 0, stop = 0;
        bool mine = lane() < width && i < out.size;
        if (mine && is_open(given, i)) start = given.rows.indptr[i], stop = given.rows.indptr[i + 1];
        Sum sum = {false, Value(0)};
        for (unsigned open = __ballot_sync(FULL_WARP, start < stop); open; open &= open - 1) {
            int owner = __ffs(open) - 1;
            Sum row = in_all_lanes(warp_sum(rule, from_lane(i, owner), from_lane(start, owner), from_lane(stop, owner)), 0);
            if (lane() == owner) sum = row;
        }
        if (mine) written.row(i, sum);
    }
    written.count.publish(counters);
}

// Adds the sum of a thread to a row; true if it is the first.
DEVICE bool add_to_row(const Sums& sums, int64 i, const Sum& sum) {
    if constexpr (!EXIT_AT_FIRST) add_atomically(sums.values + i, sum.value);
    bool first = first_touch(sums, i);
    if constexpr (EXIT_AT_FIRST)
        if (first) sums.values[i] = sum.value;
    return first;
}

// A thread for each entry: a warp takes groups of consecutive entries. Most entries are in long rows, so most groups have one row: its
// number and flags are read once, and nothing else if the row is closed.
constexpr int GROUP_OF_EACH = 4, GROUP = 32 * GROUP_OF_EACH, GROUPS_AT_ONCE = 4;

DEVICE bool is_there(const Vector& u, Column k) {
    if constexpr (FULL) return true;
    else return u.present[k];
}

// A group of several rows. If a warp's entries all belong to one row, they are summed first.
template <class Counting>
DEVICE void pull_mixed_group(const Operands& given, const ColumnFilter& filter, const Sums& sums, int64 first, Counting& count) {
    const Vector& u = given.looked_up;
    int64 entry = first + GROUP_OF_EACH * lane();
    RowId i[GROUP_OF_EACH];
    Column k[GROUP_OF_EACH];
    bool there[GROUP_OF_EACH];
    UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) {
        there[n] = entry + n < given.nvals;
        i[n] = there[n] ? given.row_ids[entry + n] : 0;
        k[n] = there[n] ? given.rows.indices[entry + n] : 0;
    }
    UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) there[n] = there[n] && filter.may_have(k[n]);
    UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) {
        there[n] = there[n] && is_open(given, i[n]);
        if constexpr (EXIT_AT_FIRST) there[n] = there[n] && !touched(sums, i[n]);
    }
    UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) there[n] = there[n] && is_there(u, k[n]);
    Sum sum = {false, Value(0)};
    int64 row = i[0];
    UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) {
        if (i[n] != row) {
            if (sum.found && add_to_row(sums, row, sum)) count.add(row);
            sum = {false, Value(0)};
            row = i[n];
        }
        if (there[n]) sum = merged(sum, {true, product(given.rows, u, row, k[n], entry + n, k[n])});
    }
    if (!__any_sync(FULL_WARP, sum.found)) return;
    if (__all_sync(FULL_WARP, row == from_lane(row, 0))) {
        sum = warp_merged(sum);
        sum.found = sum.found && lane() == 0;
    }
    if (sum.found && add_to_row(sums, row, sum)) count.add(row);
}

// Some of the groups from `base` on. Groups in `whole` have one row each, held by the lane of its bit. Returns the other groups that
// matter.
template <class Counting>
DEVICE unsigned pull_groups(
    const Operands& given, const ColumnFilter& filter, const Sums& sums, unsigned groups, unsigned whole, int64 row, int64 base,
    Counting& count
) {
    const Vector& u = given.looked_up;
    unsigned mixed = 0;
    while (groups) {
        Column k[GROUPS_AT_ONCE][GROUP_OF_EACH];
        int number[GROUPS_AT_ONCE], many = 0;
        UNROLLED for (int g = 0; g < GROUPS_AT_ONCE; ++g) {  // if there are fewer, the first one again: that costs less than a branch
            number[g] = groups ? __ffs(groups) - 1 : number[0];
            many += groups != 0;
            groups &= groups - 1;
            const Column* columns = given.rows.indices + base + GROUP * number[g] + lane();
            UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) k[g][n] = read_once(columns + 32 * n);
        }
        unsigned may = 0;
        UNROLLED for (int g = 0; g < GROUPS_AT_ONCE; ++g)
            UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) may |= unsigned(filter.may_have(k[g][n])) << (GROUP_OF_EACH * g + n);
        if (!__any_sync(FULL_WARP, may)) continue;
        UNROLLED for (int g = 0; g < GROUPS_AT_ONCE; ++g) {
            if (g >= many) break;
            if (!(whole >> number[g] & 1)) {
                bool any = __any_sync(FULL_WARP, may >> GROUP_OF_EACH * g & ((1 << GROUP_OF_EACH) - 1));
                mixed |= unsigned(any) << number[g];
                continue;
            }
            int64 i = from_lane(row, number[g]), entry = base + GROUP * number[g] + lane();
            bool there[GROUP_OF_EACH];
            UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n)
                there[n] = (FULL || may >> (GROUP_OF_EACH * g + n) & 1) && is_there(u, k[g][n]);
            Sum sum = {false, Value(0)};
            UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) {
                if (there[n]) sum = merged(sum, {true, product(given.rows, u, i, k[g][n], entry + 32 * n, k[g][n])});
            }
            if (!__any_sync(FULL_WARP, sum.found)) continue;
            sum = warp_merged(sum);
            if (lane() == 0 && add_to_row(sums, i, sum)) count.add(i);
        }
    }
    return mixed;
}

// Repeated for a warp: a group for each of its lanes, or fewer, so that all warps have the same number. take(base, first, there) gets the
// begin of the first group, the begin of the lane's group, and whether it has one. The last group, which may be incomplete, is left out.
template <class Take> DEVICE void for_each_lot(const Operands& given, Take take) {
    int64 groups = given.nvals / GROUP, complete = groups * GROUP, warps = warps_in_grid();
    if (groups == 0) return;
    int64 times = (groups + 32 * warps - 1) / (32 * warps), width = GROUP * ((groups + times * warps - 1) / (times * warps));
    int64 warp = (thread() >> 5) * BLOCK_COUNT + blockIdx.x;  // neighbours are in different blocks
    for (int64 base = warp * width; base < complete; base += warps * width) {
        int64 first = base + GROUP * lane();
        take(base, first, GROUP * lane() < width && first < complete);
    }
}
DEVICE bool has_last_group(const Operands& given) { return warp_in_grid() == 0 && given.nvals % GROUP != 0; }

template <class S> DEVICE void pull_by_entries(const Operands& given, const S& out, int64* counters) {
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    ColumnFilter filter(given);
    for_each_lot(given, [&](int64 base, int64 first, bool open) {
        bool whole = false;
        RowId row = 0;
        if (open) {
            row = given.row_ids[first];
            whole = row == given.row_ids[first + GROUP - 1];
            if (whole) open = is_open(given, row) & !(EXIT_AT_FIRST && touched(sums, row));  // both are in flight
        }
        unsigned groups = __ballot_sync(FULL_WARP, open), of_one_row = __ballot_sync(FULL_WARP, whole);
        unsigned mixed = pull_groups(given, filter, sums, groups, of_one_row, row, base, count);
        for (; mixed; mixed &= mixed - 1) pull_mixed_group(given, filter, sums, base + GROUP * (__ffs(mixed) - 1), count);
    });
    if (has_last_group(given)) pull_mixed_group(given, filter, sums, given.nvals / GROUP * GROUP, count);
    count.publish(counters);
}
