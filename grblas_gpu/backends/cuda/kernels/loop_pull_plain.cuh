// Pulls in a loop as TurboBFS has them: a thread for each row, a warp for each row, a thread for each entry.

#include "loop_pull_hybrid.cuh"

// A thread takes four rows, and two entries of each at a time, so that it waits once for all of them.
template <class S, class C>
DEVICE void pull_by_threads(const Operands& given, const S& out, int64* counters, C& change) {
    constexpr int ROWS = 4, ENTRIES_OF_EACH = 2;
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    Value* values = (Value*)out.other_values();
    const Vector& u = given.looked_up;
    for (int64 first = ROWS * thread_in_grid(); first < out.size; first += ROWS * threads_in_grid()) {
        unsigned open = open_rows(given, first, out.size);
        Offset entry[ROWS], stop[ROWS];
        Sum sums[ROWS];
#pragma unroll
        for (int n = 0; n < ROWS; ++n) {
            bool is = open >> 8 * n & 1;
            entry[n] = is ? given.rows.indptr[first + n] : 0;
            stop[n] = is ? given.rows.indptr[first + n + 1] : 0;
            sums[n] = {false, Value(0)};
        }
        for (bool left = open != 0; left;) {
            either<REPEATED, int64, Column> k[ROWS][ENTRIES_OF_EACH];
            bool there[ROWS][ENTRIES_OF_EACH];
#pragma unroll
            for (int n = 0; n < ROWS; ++n)
#pragma unroll
                for (int e = 0; e < ENTRIES_OF_EACH; ++e) {
                    there[n][e] = entry[n] + e < stop[n];
                    k[n][e] = there[n][e] ? column_of(given.rows, first + n, entry[n] + e) : 0;
                }
            if constexpr (!FULL) {
#pragma unroll
                for (int n = 0; n < ROWS; ++n)
#pragma unroll
                    for (int e = 0; e < ENTRIES_OF_EACH; ++e) there[n][e] = there[n][e] & u.present[k[n][e]];
            }
            left = false;
#pragma unroll
            for (int n = 0; n < ROWS; ++n) {
#pragma unroll
                for (int e = 0; e < ENTRIES_OF_EACH; ++e) {
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
        if constexpr (CLOSING && !REUSES_MASK) {
            unsigned closing = ::four_flags(given.closing, first, out.size) & 0x01010101u;
            if (closing) change.visit_four(first, closing);
        }
#pragma unroll
        for (int n = 0; n < ROWS; ++n) {
            if (first + n >= out.size) break;
            flags[first + n] = sums[n].found;
            if (!sums[n].found) continue;
            if constexpr (!STRUCTURE) values[first + n] = sums[n].value;
            count.add(first + n);
        }
    }
    count.publish(counters);
}

// A warp looks for the open ones among some rows, and takes one after another.
template <class S> DEVICE void pull_by_warps(const Operands& given, const S& out, int64* counters) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    Value* values = (Value*)out.other_values();
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
            Sum row = warp_sum(given.rows, given.looked_up, from_lane(i, owner), from_lane(start, owner), from_lane(stop, owner));
            Sum all = {from_lane(row.found, 0), row.value};
            if constexpr (!STRUCTURE) all.value = from_lane(row.value, 0);
            if (lane() == owner) sum = all;
        }
        if (!mine) continue;
        flags[i] = sum.found;
        if (!sum.found) continue;
        if constexpr (!STRUCTURE) values[i] = sum.value;
        count.add(i);
    }
    count.publish(counters);
}

// Adds what a thread has found of a row; true if it is the first.
DEVICE bool add_to_row(const Sums& sums, int64 i, const Sum& sum) {
    if constexpr (!STRUCTURE && !EXIT_AT_FIRST) add_atomically(sums.values + i, sum.value);
    bool first = first_touch(sums, i);
    if constexpr (!STRUCTURE && EXIT_AT_FIRST)
        if (first) sums.values[i] = sum.value;
    return first;
}

// A thread takes four entries that follow each other. Where a warp's are all of one row, they are added up first.
template <class S> DEVICE void pull_by_entries(const Operands& given, const S& out, int64* counters) {
    constexpr int ENTRIES_OF_EACH = 4;
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    const Vector& u = given.looked_up;
    for (int64 base = ENTRIES_OF_EACH * (thread_in_grid() - lane()); base < given.nvals; base += ENTRIES_OF_EACH * threads_in_grid()) {
        int64 entry = base + ENTRIES_OF_EACH * lane();
        RowId i[ENTRIES_OF_EACH];
        Column k[ENTRIES_OF_EACH];
        bool there[ENTRIES_OF_EACH];
#pragma unroll
        for (int n = 0; n < ENTRIES_OF_EACH; ++n) {
            there[n] = entry + n < given.nvals;
            i[n] = there[n] ? given.row_ids[entry + n] : 0;
            k[n] = there[n] ? given.rows.indices[entry + n] : 0;
        }
#pragma unroll
        for (int n = 0; n < ENTRIES_OF_EACH; ++n) there[n] = there[n] & is_open(given, i[n]);
        if constexpr (STRUCTURE || EXIT_AT_FIRST) {
#pragma unroll
            for (int n = 0; n < ENTRIES_OF_EACH; ++n) there[n] = there[n] && !touched(sums, i[n]);
        }
        if constexpr (!FULL) {
#pragma unroll
            for (int n = 0; n < ENTRIES_OF_EACH; ++n) there[n] = there[n] && u.present[k[n]];
        }
        Sum sum = {false, Value(0)};
        int64 row = i[0];
#pragma unroll
        for (int n = 0; n < ENTRIES_OF_EACH; ++n) {
            if (i[n] != row) {
                if (sum.found && add_to_row(sums, row, sum)) count.add(row);
                sum = {false, Value(0)};
                row = i[n];
            }
            if (!there[n]) continue;
            Sum one = {true, Value(0)};
            if constexpr (!STRUCTURE) one.value = product(given.rows, u, row, k[n], entry + n, k[n]);
            sum = merged(sum, one);
        }
        if (!__any_sync(FULL_WARP, sum.found)) continue;
        if (__all_sync(FULL_WARP, row == from_lane(row, 0))) {
            for (int distance = 16; distance > 0; distance >>= 1) {
                Sum higher = {from_higher(sum.found, distance), sum.value};
                if constexpr (!STRUCTURE) higher.value = from_higher(sum.value, distance);
                if (lane() + distance < 32) sum = merged(sum, higher);
            }
            sum.found = sum.found && lane() == 0;
        }
        if (sum.found && add_to_row(sums, row, sum)) count.add(row);
    }
    count.publish(counters);
}
