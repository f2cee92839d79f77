// An asynchronous pull, or a push if the rule selects it. Generated, besides the
// definitions for loop_mxv.cuh: ONE_VALUE, whether a product depends on the operand's value alone, and MAY_PUSH.

#include "loop_mxv.cuh"

// The state of a position, in a byte: one read decides. Only the row's own thread writes it, when the row settles.
constexpr unsigned LAST = 1;   // its product is the final value
constexpr unsigned ABOVE = 2;  // ... that of a row which settled
constexpr unsigned OTHER = 4;  // ... another one
struct Marks {
    uint8* of;
    Value final;
    DEVICE unsigned at(bool wanted, int64 k) const { return wanted ? ((volatile uint8*)of)[k] : 0; }
    // Which of four positions were LAST when the pull began. Hubs are read often, so these reads may be cached. There is no branch, so all
    // four loads are in flight.
    DEVICE unsigned were_last(unsigned wanted, const Four<Column>& entries) const {
        unsigned mark[4], last = 0;
        UNROLLED for (int n = 0; n < 4; ++n) {
            Column k = entries.of[n] < 0 ? -2 - entries.of[n] : entries.of[n];
            bool is = (wanted >> 8 * n & 1) && k >= 0;
            mark[n] = of[is ? k : 0] & (is ? LAST : 0);
        }
        UNROLLED for (int n = 0; n < 4; ++n) last |= mark[n] << 8 * n;
        return last;
    }
    // The mark of a row that settles. If its product is final, too, the row acts as an entry of the operand.
    DEVICE unsigned settled(const Matrix& m) const { return settled_product(m, Settled<Value>{of, 0, final}, 0, 0, 0) == final ? LAST : ABOVE; }
};

// The marks of the entries of a row, up to one that is LAST, with a row (none if start == stop) per lane. A lane reads some of them alone;
// then eight lanes read the rest of a short row, or the warp that of a long one.
DEVICE unsigned marks_of_row(const Matrix& m, const Marks& marks, int64 start, int64 stop) {
    unsigned seen = 0;
    UNROLLED_BY(1) for (int times = 0; times < ALONE && start < stop && !(seen & LAST); ++times, start += 8)
        UNROLLED for (int n = 0; n < 8; ++n) seen |= marks.at(start + n < stop, m.indices[start + n < stop ? start + n : start]);
    bool left = start < stop && !(seen & LAST);
    for (unsigned open = __ballot_sync(FULL_WARP, left && stop - start > FOR_EIGHT); open; open &= open - 1) {
        int owner = __ffs(open) - 1;
        int64 from = from_lane(start, owner), to = from_lane(stop, owner);
        unsigned mine = 0;
        for (int64 base = from; base < to && !__any_sync(FULL_WARP, mine & LAST); base += 128)
            UNROLLED for (int n = 0; n < 4; ++n) {
                int64 entry = base + 32 * n + lane();
                mine |= marks.at(entry < to, m.indices[entry < to ? entry : from]);
            }
        unsigned all = 0;
        for (unsigned bit = LAST; bit <= OTHER; bit <<= 1) all |= __any_sync(FULL_WARP, mine & bit) ? bit : 0;
        if (lane() == owner) seen |= all, left = false;
    }
    for (unsigned open = __ballot_sync(FULL_WARP, left); open;) {  // four rows at a time
        unsigned own = open;
        for (int before = lane() >> 3; before > 0; --before) own &= own - 1;
        int owner = own ? __ffs(own) - 1 : __ffs(open) - 1;
        int64 from = from_lane(start, owner), to = from_lane(stop, owner);
        unsigned mine = 0, group = 255u << (lane() & ~7);
        for (int64 entry = from + (lane() & 7); __any_sync(FULL_WARP, own && !(mine & LAST) && entry - (lane() & 7) < to); entry += 8) {
            mine |= marks.at(own && entry < to, m.indices[entry < to ? entry : from]);
            if (__ballot_sync(FULL_WARP, mine & LAST) & group) mine |= LAST;
        }
        for (unsigned bit = LAST; bit <= OTHER; bit <<= 1)
            if (__ballot_sync(FULL_WARP, mine & bit) & group) mine |= bit;
        UNROLLED for (int group = 0; group < 4 && open; ++group, open &= open - 1) {
            unsigned found = from_lane(mine, 8 * group);
            if (lane() == __ffs(open) - 1) seen |= found;
        }
    }
    return seen;
}

// Every open row first looks for LAST marks at its hub neighbours; a lane takes four rows with their flags and marks. The other rows wait
// until there is one for every lane.
template <class S> DEVICE void pull_marked_rows(const Operands& given, const Marks& marks, const S& out, int64* counters) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    Value* values = (Value*)out.other_values();
    int64 padded = (out.size + 3) / 4 * 4;
    bool hubs = HUB_NEIGHBOURS && given.hub_neighbours, few = ::plan().few;
    unsigned settled = marks.settled(given.rows);
    Value above = settled_product(given.rows, Settled<Value>{marks.of, 0, marks.final}, 0, 0, 0);
    auto found = [&](int64 i, Value value, Offset edges) {
        flags[i] = true;
        values[i] = value;
        if (value == marks.final) ((volatile uint8*)marks.of)[i] = marks.of[i] | settled;
        ++count.entries;
        count.edges += given.next == given.rows.indptr ? edges : count.edges_of(i);
    };
    ::WarpQueue waiting;
    Tickets<128> tickets(out.size, counters + ::ROWS_GIVEN - TICKET);
    for (bool done = false; !done;) {
        int64 i = tickets.next();
        done = i >= out.size;  // one more time, for the waiting rows
        i += 4 * lane();
        unsigned open = 0, last = 0, marked = 0;
        FourRows rows = {};
        Four<Column>& likely = rows.likely;
        if (i < out.size) {  // all likely loads are in flight at once
            if (hubs && !few) rows.load(given, i, out.size);
            marked = *(const unsigned*)(marks.of + i);
            open = open_rows(given, i, out.size);
            if (hubs) open &= *(const unsigned*)((const bool*)(given.hub_neighbours + 2 * padded) + i);  // rows that have entries
            if (hubs && few && open) likely = *(const Four<Column>*)(given.hub_neighbours + i);
        }
        for (int which = 0; which < 2 && hubs && open; ++which) {
            if (which == 1) likely = *(const Four<Column>*)(given.hub_neighbours + padded + i);
            unsigned hits = marks.were_last(open, likely);
            open &= ~hits;
            last |= hits;
        }
        ::put_four_flags(flags, i, last, out.size);
        if (last) {
            *(volatile unsigned*)(marks.of + i) = marked | last * settled;
            rows.count(last, i, !few && i + 4 <= out.size, count);
        }
        if (__any_sync(FULL_WARP, last)) {  // by neighbours, so that a warp writes whole lines
            UNROLLED for (int n = 0; n < 4; ++n)
                if (from_lane(last, 8 * n + lane() / 4) >> 8 * (lane() & 3) & 1) values[i - 3 * lane() + 32 * n] = marks.final;
        }
        if (!done && !__any_sync(FULL_WARP, open)) continue;
        UNROLLED_BY(1) for (int n = 0; n < 4; ++n, open >>= 8) {
            waiting.put(i + n, open & 1);
            if (waiting.many < (done ? 1 : 32)) continue;
            int64 row, start = 0, stop = 0;
            if (waiting.take(row)) start = given.rows.indptr[row], stop = given.rows.indptr[row + 1];
            unsigned seen = marks_of_row(given.rows, marks, start, stop);
            bool other = (seen & OTHER) && !(seen & LAST);  // its value has to be looked up
            if (__any_sync(FULL_WARP, other)) {
                Asynchronous<Value> rule = {given.rows, given.u, {marks.of, settled, marks.final}};
                Sum sum = hybrid_sum(rule, row, start, other ? stop : start);
                if (other) found(row, sum.value, stop - start);
            }
            if (seen && !other) found(row, seen & LAST ? marks.final : above, stop - start);
        }
    }
    count.publish(counters);
}

// Writes the marks of the operand, four positions at a time, and runs the steps at its entries on the way.
template <class S, class C> DEVICE void write_marks(const Operands& given, const Marks& marks, const S& out, C& change) {
    constexpr int WORDS = 4;  // in flight
    Value above = settled_product(given.rows, Settled<Value>{marks.of, 0, marks.final}, 0, 0, 0);
    for (int64 base = 128 * WORDS * warp_in_grid(); base < out.size; base += 128 * WORDS * warps_in_grid()) {
        unsigned there[WORDS], word[WORDS] = {};
        UNROLLED for (int w = 0; w < WORDS; ++w) {
            int64 i = base + 128 * w + 4 * lane();
            there[w] = i < out.size ? (FULL ? 0x01010101u : ::four_flags(given.u.present, i, out.size) & 0x01010101u) : 0;
            if (FULL && i + 4 > out.size) there[w] &= i < out.size ? (1u << (out.size - i) * 8) - 1 : 0;
        }
        if constexpr (ONE_VALUE) {  // positions without an entry read position 0: all loads are in flight
            Value z[WORDS][4];
            UNROLLED for (int w = 0; w < WORDS; ++w)
                UNROLLED for (int n = 0; n < 4; ++n) {
                    int64 k = there[w] >> 8 * n & 1 ? base + 128 * w + 4 * lane() + n : 0;
                    z[w][n] = product(given.rows, given.u, 0, k, 0, k);
                }
            UNROLLED for (int w = 0; w < WORDS; ++w)
                UNROLLED for (int n = 0; n < 4; ++n)
                    word[w] |= (there[w] >> 8 * n & 1) * (z[w][n] == marks.final ? LAST : z[w][n] == above ? ABOVE : OTHER) << 8 * n;
        }
        UNROLLED for (int w = 0; w < WORDS; ++w) {
            int64 i = base + 128 * w + 4 * lane();
            if (i < out.size) *(unsigned*)(marks.of + i) = word[w];  // there is room for a whole word
            if (there[w]) change.visit_four(i, there[w]);
        }
    }
}

// If the products of a row differ, their values decide.
template <class S> DEVICE void pull_any_rows(const Operands& given, const Settled<Value>& settled, const S& out, int64* counters) {
    Written written(given, out);
    Asynchronous<Value> rule = {given.rows, given.u, settled};
    for_each_rows<32>(out.size, counters + ::ROWS_GIVEN - TICKET, [&](int64 first) {
        int64 i = first + lane(), start = 0, stop = 0;
        if (i < out.size && is_open(given, i)) start = given.rows.indptr[i], stop = given.rows.indptr[i + 1];
        Sum sum = hybrid_sum(rule, i, start, stop);
        if (i >= out.size) return;
        rule.settle(i, sum);
        written.row(i, sum);
    });
    written.count.publish(counters);
}

// `out` gets the result. The arguments are otherwise those of multiply_into.
template <class U, class S, class C, class Advance, class Stays, class Note, class Then>
DEVICE void pull_asynchronously_into(
    const Operands& given, U& u, S& out, Marks marks, Value initial, int64* counters, int64* parts_list, C change,
    int64 left, Advance advance, Stays stays, Note note, Then then
) {
    if constexpr (MAY_PUSH) {
        if (::plan().push) {
            multiply_into(given, u, out, initial, counters, parts_list, change, left, advance, stays, note, then);
            return;
        }
    }
    write_constant(given.columns, given.u, (Value*)out.other_values());
    write_marks(given, marks, out, change);
    grid_barrier([] {});
    if constexpr (ONE_VALUE) pull_marked_rows(given, marks, out, counters);
    else pull_any_rows(given, {marks.of, 1, marks.final}, out, counters);
    change.publish();
    grid_barrier([&] {
        auto write = note();
        int64 found = fresh(counters + ::ENTRIES), edges = fresh(counters + ::EDGES_NEXT);
        write();
        out.template overwritten<true>(found, edges, false);
        out.pulled = true;
        then();
    });
}
