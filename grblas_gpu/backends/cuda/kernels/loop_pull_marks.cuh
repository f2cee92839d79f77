// A pull in a loop with a thread for each entry, where only flags matter (STRUCTURE): a thread that finds an entry sets the flag of its row
// without waiting. Several threads may set one flag, and flags of closed rows are set, too: count_marked_rows corrects that.

#include "loop_operands.cuh"
#include "loop_pull_plain.cuh"

DEVICE constexpr bool marks_rows(int strategy) { return strategy == BY_ENTRIES && !BALANCED && STRUCTURE; }
constexpr int ENTRIES_AT_ONCE = GROUPS_AT_ONCE * GROUP_OF_EACH;

// The rows of a lane's group. Most groups have entries of one row, nearly all others of two: these need no row id of every entry.
struct GroupRows {
    RowId first, last;
    int cut;  // entries before it belong to the first row, the others to the last; or MIXED: there are rows between these
    bool needs_first, needs_last;  // open, and not found yet
    static constexpr int MIXED = -1;
    DEVICE bool matters() const { return cut == MIXED || needs_first || needs_last; }
    DEVICE void found(RowId row) {
        needs_first = needs_first && first != row;
        needs_last = needs_last && last != row;
    }
};

// The only word of the filter with a set bit, for an operand with one entry; or -1. Called by all threads of a block.
DEVICE int only_word(const Operands& given, const ColumnFilter& filter) {
    __shared__ int only;
    bool one = (!REUSES_MASK || ::plan().push) && ::plan().length == 1 && filter.shift >= 0;
    if (!one) return -1;
    for (int64 at = thread(); at < filter_words(given.size, filter.shift); at += blockDim.x)
        if (filter.words[at]) only = int(at);
    __syncthreads();
    return only;
}

// The row and the column of the first entry of every group, and of the end (eager/entry_groups.py).
DEVICE int64 padded(int64 length) { return (length + 31) & ~int64(31); }
DEVICE const RowId* group_rows(const Operands& given) { return given.row_ids + padded(given.nvals); }
DEVICE const Column* group_columns(const Operands& given) {
    return (const Column*)(group_rows(given) + padded(given.nvals / GROUP + 1));
}

// The group that begins at an entry: its rows, and which of them are open and may have a column of word `only`.
DEVICE GroupRows rows_of_group(const Operands& given, const ColumnFilter& filter, const bool* flags, int64 begin, int only) {
    auto needs = [&](RowId row) { return is_open(given, row) & !(ENDS_EARLY && *(const volatile bool*)(flags + row)); };  // all are in flight
    int64 group = begin / GROUP;
    GroupRows rows = {group_rows(given)[group], group_rows(given)[group + 1], GROUP, false, false};
    bool below = false, above = false;  // all columns of the first row, of the last row
    if (only >= 0) {
        below = group_columns(given)[group] >> filter.shift >> 5 > only;
        above = group_columns(given)[group + 1] >> filter.shift >> 5 < only;
    }
    if (rows.first == rows.last) {
        rows.needs_first = needs(rows.first) && !below && !above;
        return rows;
    }
    Offset stop = given.rows.indptr[rows.first + 1], start = given.rows.indptr[rows.last];
    rows.needs_first = needs(rows.first) && !below;
    rows.needs_last = needs(rows.last) && !above;
    if (stop - begin >= GROUP) rows.needs_last = false;
    else rows.cut = stop == start ? int(stop - begin) : GroupRows::MIXED;
    return rows;
}

// Some of the groups from `base` on. A group is skipped if all rows that it could mark are found.
DEVICE void mark_groups(const Operands& given, const ColumnFilter& filter, bool* flags, unsigned groups, GroupRows mine, int64 base) {
    while (groups) {
        Column k[ENTRIES_AT_ONCE];
        int number[GROUPS_AT_ONCE];
        unsigned hits = 0, in_mixed_groups = 0;  // a bit for each entry; mixed groups contain more than two rows
        UNROLLED for (int g = 0; g < GROUPS_AT_ONCE; ++g) {  // if there are fewer, the first one again: that costs less than a branch
            number[g] = groups ? __ffs(groups) - 1 : number[0];
            groups &= groups - 1;
            const Column* columns = given.rows.indices + base + GROUP * number[g] + lane();
            UNROLLED for (int n = 0; n < GROUP_OF_EACH; ++n) k[GROUP_OF_EACH * g + n] = read_once(columns + 32 * n);
        }
        if (filter.is_exact()) {  // a branch, so that all loads are issued before the first lookup
            unsigned words[ENTRIES_AT_ONCE];
            UNROLLED for (int e = 0; e < ENTRIES_AT_ONCE; ++e) words[e] = FULL ? 1 : filter.words[k[e] >> 5] >> (k[e] & 31);
            UNROLLED for (int e = 0; e < ENTRIES_AT_ONCE; ++e) hits |= (words[e] & 1) << e;
        } else {
            unsigned may = 0;
            UNROLLED for (int e = 0; e < ENTRIES_AT_ONCE; ++e) may |= unsigned(filter.may_have(k[e])) << e;
            UNROLLED for (int e = 0; e < ENTRIES_AT_ONCE; ++e) hits |= unsigned(may >> e & 1 && is_there(given.looked_up, k[e])) << e;
        }
        if (!__any_sync(FULL_WARP, hits)) continue;
        UNROLLED for (int g = 0; g < GROUPS_AT_ONCE; ++g) {
            unsigned of_group = hits >> GROUP_OF_EACH * g & ((1u << GROUP_OF_EACH) - 1);
            if (!__any_sync(FULL_WARP, of_group)) continue;
            int cut = from_lane(mine.cut, number[g]);
            if (cut == GroupRows::MIXED) {
                in_mixed_groups |= of_group << GROUP_OF_EACH * g;
                continue;
            }
            unsigned before = (1u << (cut - lane() + 31) / 32) - 1;  // the lane's entries before the cut
            bool in_first = __any_sync(FULL_WARP, of_group & before), in_last = __any_sync(FULL_WARP, of_group & ~before);
            RowId first = from_lane(mine.first, number[g]), last = from_lane(mine.last, number[g]);
            if (lane() == 0 && in_first) flags[first] = true;
            if (lane() == 1 && in_last) flags[last] = true;
            if constexpr (ENDS_EARLY) {
                if (in_first) mine.found(first);
                if (in_last) mine.found(last);
            }
        }
        if constexpr (ENDS_EARLY) groups &= __ballot_sync(FULL_WARP, mine.matters());
        if (!__any_sync(FULL_WARP, in_mixed_groups)) continue;
        int64 row[ENTRIES_AT_ONCE];
        UNROLLED for (int e = 0; e < ENTRIES_AT_ONCE; ++e) {
            row[e] = -1;
            if (in_mixed_groups >> e & 1) row[e] = given.row_ids[base + GROUP * number[e / GROUP_OF_EACH] + 32 * (e % GROUP_OF_EACH) + lane()];
        }
        UNROLLED for (int e = 0; e < ENTRIES_AT_ONCE; ++e)
            if (row[e] >= 0) flags[row[e]] = true;
    }
}

template <class S> DEVICE void mark_by_entries(const Operands& given, const S& out) {
    bool* flags = out.other_flags();
    ColumnFilter filter(given);
    int only = only_word(given, filter);
    for_each_lot(given, [&](int64 base, int64 begin, bool there) {
        GroupRows mine = {0, 0, GROUP, false, false};
        if (there) mine = rows_of_group(given, filter, flags, begin, only);
        unsigned groups = __ballot_sync(FULL_WARP, mine.matters());
        mark_groups(given, filter, flags, groups, mine, base);
    });
    if (!has_last_group(given)) return;
    for (int64 entry = given.nvals / GROUP * GROUP + lane(); entry < given.nvals; entry += 32)
        if (is_there(given.looked_up, given.rows.indices[entry])) flags[given.row_ids[entry]] = true;
}

// After a grid barrier. `epilogue`: it also runs the steps at the operand's entries.
template <class S, class C>
DEVICE void count_marked_rows(const Operands& given, const S& out, int64* counters, C& change, bool epilogue) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    for (int64 i = 4 * thread_in_grid(); i < out.size; i += 4 * threads_in_grid()) {
        unsigned marked = ::four_flags(flags, i, out.size) & 0x01010101u, found = marked & open_rows(given, i, out.size);
        if (CLOSING && epilogue) {
            unsigned closing = ::four_flags(given.closing, i, out.size) & 0x01010101u;
            if (closing) change.visit_four(i, closing);
        }
        if (marked == 0) continue;
        Offset from[5];  // all are in flight
        UNROLLED for (int n = 0; n < 5; ++n) from[n] = found && count.next ? count.next[i + n < out.size ? i + n : out.size] : 0;
        UNROLLED for (int n = 0; n < 4; ++n) {
            if (found >> 8 * n & 1) ++count.entries, count.edges += from[n + 1] - from[n];
            else if (marked >> 8 * n & 1) flags[i + n] = false;
        }
    }
    count.publish(counters);
}
