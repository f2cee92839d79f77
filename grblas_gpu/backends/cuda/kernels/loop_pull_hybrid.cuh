// Pulls in a loop by threads, groups of them and warps: over all rows, or over the open rows, which are listed first.

#include "loop_operands.cuh"

// One row per lane (none if start == stop). The rest of a very long row goes to a list in parts, for all warps of the team.
template <class S>
DEVICE Sum pull_row(const Operands& given, const S& out, int64* counters, int64* parts_list, int64 i, int64 start, int64 stop) {
    bool is_long = BLOCK_COUNT > 1 && stop - start > ::LONG_ROW;
    Sum sum = hybrid_sum(Synchronous{given.rows, given.looked_up}, i, start, is_long ? start + PROBES : stop);
    if (is_long && !finished(sum)) {
        if constexpr (!STRUCTURE && !EXIT_AT_FIRST)
            if (!sum.found) ((Value*)out.other_values())[i] = initial();
        ::put_parts(parts_list, counters + ::PARTS, i, (stop - start - PROBES + ::PART - 1) / ::PART);
    }
    return sum;
}

// A lane takes a row at a time.
template <class S> DEVICE void pull_rows(const Operands& given, const S& out, int64* counters, int64* parts_list) {
    Written written(given, out);
    for_each_rows<32>(out.size, counters + ::ROWS_GIVEN - TICKET, [&](int64 first) {
        int64 i = first + lane(), start = 0, stop = 0;
        if (i < out.size && is_open(given, i)) start = given.rows.indptr[i], stop = given.rows.indptr[i + 1];
        Sum sum = pull_row(given, out, counters, parts_list, i, start, stop);
        if (i < out.size) written.row(i, sum);
    });
    written.count.publish(counters);
}

// Which of the four rows from i on are open: the lowest bits of four bytes.
DEVICE unsigned open_rows(const Operands& given, int64 i, int64 size) {
    unsigned open = ~0u;
    if constexpr (MASKED && (MASK_VALUED || !MASK_PRESENT)) {
        open = 0;
        for (int n = 0; n < 4 && i + n < size; ++n) open |= unsigned(is_open(given, i + n)) << 8 * n;
    } else {
        if constexpr (MASKED) open = *(const unsigned*)(given.mask.present + i) ^ (COMPLEMENT ? ~0u : 0u);
        if constexpr (CLOSING) open &= ~*(const unsigned*)(given.closing + i);
        if (i + 4 > size) open &= (1u << (size - i) * 8) - 1;
    }
    return open & 0x01010101u;
}

// The same for ROWS rows, one or four, for a lane that reads and writes their flags; and which of them the epilogue closes.
template <int ROWS> DEVICE unsigned open_of(const Operands& given, int64 i, int64 size) {
    if constexpr (ROWS == 4) return open_rows(given, i, size);
    else return is_open(given, i);
}
template <int ROWS> DEVICE unsigned closing_of(const Operands& given, int64 i, int64 size) {
    if constexpr (ROWS == 4) return ::four_flags(given.closing, i, size) & 0x01010101u;
    else return given.closing[i];
}

template <class T> struct alignas(16) Four {
    T of[4];
};
struct Eight {
    Four<Column> of[2];
};
// Four rows of a lane: their likely entries, and where their edges begin and end in the next matrix.
struct FourRows {
    Four<Column> likely;
    Four<Offset> offsets;
    Offset end;
    DEVICE void load(const Operands& given, int64 i, int64 size) {
        likely = *(const Four<Column>*)(given.hub_neighbours + i);
        if (!given.next || i + 4 > size) return;
        offsets = *(const Four<Offset>*)(given.next + i);
        end = given.next[i + 4];
    }
    // Counts the rows that are found, of those from i on; `known`: by these offsets.
    DEVICE void count(unsigned found, int64 i, bool known, ::Count<Offset>& count) const {
        count.entries += __popc(found);
        if (known) {
            UNROLLED for (int n = 0; n < 4; ++n) count.edges += found >> 8 * n & 1 ? (n < 3 ? offsets.of[n + 1] : end) - offsets.of[n] : 0;
        } else {
            for (int n = 0; n < 4; ++n) count.edges += found >> 8 * n & 1 ? count.edges_of(i + n) : 0;
        }
    }
};

// Whether u has one of the entries from `start` to `stop` of row i, with a row (none if start == stop) per lane. A lane reads some of them,
// eight at a time; then eight lanes read the rest, or the warp, or, if that is very long, all warps of the team. Where values matter,
// `column` is that of an entry that hits.
constexpr int ALONE = 2;          // reads of a lane
constexpr int64 FOR_EIGHT = 128;  // entries
struct Search {
    const Operands& given;
    int64* counters;
    int64* parts_list;

    // The result of row i, of which this column hits.
    DEVICE Value value(int64 i, int64 column) const {
        if constexpr (STRUCTURE) return Value(0);
        else return product(given.rows, given.looked_up, i, column, 0, column);
    }
    DEVICE static Column likely_column(Column entry) { return entry < 0 ? -2 - entry : entry; }
    // There is no branch, so that several lookups are in flight at once.
    DEVICE bool has(bool wanted, int64 k) const { return wanted & (FULL || given.looked_up.present[wanted ? k : 0]); }
    // The rows of the four whose likely entry hits; these rows, and rows without further entries, are removed from `rows`.
    DEVICE unsigned likely(unsigned& rows, const Four<Column>& entries, int64 i, Value (&values)[4]) const {
        bool hit[4];
        unsigned found = 0, last = 0;
        UNROLLED for (int n = 0; n < 4; ++n) {
            Column k = likely_column(entries.of[n]);
            hit[n] = has(rows >> 8 * n & 1 && k >= 0, k);
            last |= unsigned(entries.of[n] < 0) << 8 * n;
        }
        UNROLLED for (int n = 0; n < 4; ++n) found |= unsigned(hit[n]) << 8 * n;
        rows &= ~(found | last);
        if constexpr (!STRUCTURE) {
            UNROLLED for (int n = 0; n < 4; ++n) if (hit[n]) values[n] = value(i + n, likely_column(entries.of[n]));
        }
        return found;
    }
    // The eight entries from `base` on; those before `stop` matter.
    DEVICE Eight eight(Offset base, Offset stop) const {
        const Four<Column>* fours = (const Four<Column>*)(given.rows.indices + base);
        return {{fours[0], fours[base + 4 < stop ? 1 : 0]}};
    }
    // The entries from number `first` to `last` of these.
    DEVICE bool has_any(const Eight& k, int first, int last, int64 shift, int64& column) const {
        bool hit[8], any = false;
        UNROLLED for (int n = 0; n < 8; ++n) hit[n] = has(n >= first && n < last, k.of[n / 4].of[n % 4] + shift);
        UNROLLED for (int n = 0; n < 8; ++n) {
            any |= hit[n];
            if (!STRUCTURE && hit[n]) column = k.of[n / 4].of[n % 4] + shift;
        }
        return any;
    }

    DEVICE bool has_any(const Eight& k, int first, int last, int64 shift) const {
        int64 column;
        return has_any(k, first, last, shift, column);
    }

    DEVICE bool find(int64 i, Offset start, Offset stop, int64& column) const {
        const Matrix& m = given.rows;
        Offset number = stop - start;
        int64 shift = 0;
        if constexpr (REPEATED) {
            shift = copy_of(m, i) * m.size;
            start = place_of(m, i, start);
            stop = start + number;
        }
        bool found = false;
        UNROLLED_BY(1) for (int times = 0; times < ALONE && start < stop && !found; ++times) {
            Offset base = start & ~Offset(3);
            found = has_any(eight(base, stop), int(start - base), stop - base < 8 ? int(stop - base) : 8, shift, column);
            start = base + 8;
        }
        bool left = start < stop && !found;
        if (BLOCK_COUNT > 1 && number > ::LONG_ROW && left) {
            ::put_parts(parts_list, counters + ::PARTS, i, (number - PROBES + ::PART - 1) / ::PART);
            left = false;
        }
        for (unsigned open = __ballot_sync(FULL_WARP, left && stop - start > FOR_EIGHT); open; open &= open - 1) {
            int owner = __ffs(open) - 1;
            Offset from = from_lane(start, owner), to = from_lane(stop, owner);
            int64 columns = REPEATED ? from_lane(shift, owner) : 0, k = 0;
            bool hit = false;
            for (Offset entry = from + lane(); entry - lane() < to && !__any_sync(FULL_WARP, hit); entry += 32) {
                k = m.indices[entry < to ? entry : from] + columns;
                hit = has(entry < to, k);
            }
            unsigned hits = __ballot_sync(FULL_WARP, hit);
            if constexpr (!STRUCTURE) k = from_lane(k, hits ? __ffs(hits) - 1 : 0);
            if (lane() == owner) found = hits != 0, left = false, column = k;
        }
        for (unsigned open = __ballot_sync(FULL_WARP, left); open;) {
            unsigned mine = open;
            for (int before = lane() >> 3; before > 0; --before) mine &= mine - 1;
            int owner = mine ? __ffs(mine) - 1 : __ffs(open) - 1;
            Offset from = from_lane(start, owner), to = from_lane(stop, owner);
            int64 columns = REPEATED ? from_lane(shift, owner) : 0, own = -1;
            bool hit = mine == 0;
            for (Offset entry = from + (lane() & 7); __any_sync(FULL_WARP, !hit && entry - (lane() & 7) < to); entry += 8) {
                int64 k = m.indices[entry < to ? entry : from] + columns;
                bool now = has(!hit && entry < to, k);
                if (now) own = k;
                hit |= (__ballot_sync(FULL_WARP, now) >> (lane() & ~7) & 255) != 0;
            }
            unsigned hits = STRUCTURE ? 0 : __ballot_sync(FULL_WARP, own >= 0);
            UNROLLED for (int group = 0; group < 4 && open; ++group, open &= open - 1) {
                bool mine_now = from_lane(hit, 8 * group) && lane() == __ffs(open) - 1;
                if constexpr (!STRUCTURE) {
                    unsigned of_group = hits >> 8 * group & 255;
                    int64 k = from_lane(own, 8 * group + (of_group ? __ffs(of_group) - 1 : 0));
                    if (mine_now) column = k;
                }
                found |= mine_now;
            }
        }
        return found;
    }
};

// Values of the rows with a set bit, of four. What others hold does not matter, unless sums are added up there.
DEVICE void put_four_values(Value* values, int64 i, unsigned found, const Value (&given)[4], int64 size) {
    bool together = !FILLED && sizeof(Value) >= 4 && uint64(values) % 16 == 0;
    if (together && found && i + 4 <= size) *(Four<Value>*)(values + i) = {given[0], given[1], given[2], given[3]};
    else for (int n = 0; n < 4; ++n) if (found >> 8 * n & 1) values[i + n] = given[n];
}

// A lane takes four rows at a time with their flags: no entry or one entry decides most of them at once. The other rows wait until there is
// one for every lane. Results are listed if few are expected (`few`).
template <class S, class C>
DEVICE void pull_four_rows(const Operands& given, const S& out, int64* counters, int64* parts_list, C& change) {
    bool few = ::plan().few;
    int64 padded = (out.size + 3) / 4 * 4;
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    Value* values = (Value*)out.other_values();
    Search search = {given, counters, parts_list};
    ::WarpQueue waiting;
    ::Listing<typename S::Type> listing = {out, counters, {64}};
    Tickets<128> tickets(out.size, counters + ::ROWS_GIVEN - TICKET);
    for (bool done = false; !done;) {
        int64 i = tickets.next();
        done = i >= out.size;  // one more time, for the waiting rows
        i += 4 * lane();
        unsigned open = 0, found = 0, closing = 0;
        FourRows rows = {};
        Four<Column>& k = rows.likely;
        bool likely = HUB_NEIGHBOURS && given.hub_neighbours;
        if (i < out.size) {  // issue all likely loads at once, independent loads first
            if (likely && !few) rows.load(given, i, out.size);
            open = open_rows(given, i, out.size);
            if constexpr (CLOSING && !REUSES_MASK) closing = ::four_flags(given.closing, i, out.size) & 0x01010101u;
            if (likely && few) {  // most rows that are still open have no entries
                open &= *(const unsigned*)((const bool*)(given.hub_neighbours + 2 * padded) + i);
                if (open) k = *(const Four<Column>*)(given.hub_neighbours + i);
            }
        }
        unsigned rest = open;
        if (likely && open) {
            Value of_rows[4] = {};
            found = search.likely(rest, k, i, of_rows);
            if (rest) {
                k = *(const Four<Column>*)(given.hub_neighbours + padded + i);
                found |= search.likely(rest, k, i, of_rows);
            }
            if constexpr (!STRUCTURE) put_four_values(values, i, found, of_rows, out.size);
        }
        ::put_four_flags(flags, i, found, out.size);
        rows.count(found, i, !few && i + 4 <= out.size, count);
        if (closing) change.visit_four(i, closing);
        if (!done && !__any_sync(FULL_WARP, rest | (few ? found : 0))) continue;
        UNROLLED_BY(1) for (int n = 0; n < 4; ++n, rest >>= 8, found >>= 8) {
            if (few) listing.put(i + n, found & 1);
            waiting.put(i + n, rest & 1);
            if (waiting.many >= (done ? 1 : 32)) {
                int64 row, column = 0;
                Offset start = 0, stop = 0;
                if (waiting.take(row)) start = given.rows.indptr[row], stop = given.rows.indptr[row + 1];
                bool hit = search.find(row, start, stop, column);
                if (few) listing.put(row, hit);
                if (hit) {
                    flags[row] = true;
                    if constexpr (!STRUCTURE) values[row] = search.value(row, column);
                    if (given.next == given.rows.indptr) ++count.entries, count.edges += stop - start;
                    else count.add(row);
                }
            }
            if (few) listing.flush(done);
        }
    }
    count.publish(counters);
}

// Lists the open rows that have entries; flags of the result are cleared on the way.
template <class S> DEVICE void list_open_rows(const Operands& given, const S& out, int64* counters) {
    bool* flags = out.other_flags();
    const bool* has_entries = nullptr;
    if (HUB_NEIGHBOURS && given.hub_neighbours) has_entries = (const bool*)(given.hub_neighbours + 2 * ((out.size + 3) / 4 * 4));
    auto open = [&](int64 row) {
        unsigned word = open_rows(given, row, out.size);
        if (has_entries) word &= *(const unsigned*)(has_entries + row);
        ::put_four_flags(flags, row, 0, out.size);
        return word;
    };
    ::list_positions(out.size, counters + ::OPEN_ROWS, open, [&](int64 place, int64 row) { given.open_list[place] = RowId(row); });
}

// The listed rows, distributed while the pull runs.
template <class S> DEVICE void pull_listed_rows(const Operands& given, const S& out, int64* counters, int64* parts_list) {
    Written written(given, out);
    int64 many = fresh(counters + ::OPEN_ROWS), padded = (out.size + 3) / 4 * 4;
    if constexpr (ANY_HIT) {
        Search search = {given, counters, parts_list};
        ::WarpQueue waiting;
        Tickets<32> tickets(many, counters + ::ROWS_GIVEN - TICKET);
        for (bool done = false; !done;) {
            int64 t = tickets.next() + lane();
            done = t - lane() >= many;  // one more time, for the waiting rows
            bool open = t < many, found = false;
            int64 i = open ? given.open_list[t] : 0, column = 0;
            if (HUB_NEIGHBOURS && given.hub_neighbours) {
                for (int n = 0; n < 2; ++n) {
                    Column likely = given.hub_neighbours[n * padded + i], k = search.likely_column(likely);
                    bool hit = search.has(open && k >= 0, k);
                    found |= hit;
                    if (hit) column = k;
                    open = open && !hit && likely >= 0;
                }
            }
            if (found) written.row(i, {true, search.value(i, column)});
            waiting.put(i, open);
            if (waiting.many < (done ? 1 : 32)) continue;
            int64 row;
            Offset start = 0, stop = 0;
            if (waiting.take(row)) start = given.rows.indptr[row], stop = given.rows.indptr[row + 1];
            if (search.find(row, start, stop, column)) written.row(row, {true, search.value(row, column)});
        }
    } else {
        for_each_rows<32>(many, counters + ::ROWS_GIVEN - TICKET, [&](int64 first) {
            int64 t = first + lane(), i = 0, start = 0, stop = 0;
            if (t < many) {
                i = given.open_list[t];
                start = given.rows.indptr[i];
                stop = given.rows.indptr[i + 1];
            }
            Sum sum = pull_row(given, out, counters, parts_list, i, start, stop);
            if (sum.found) written.row(i, sum);
        });
    }
    written.count.publish(counters);
}

// The rest of the long rows: a warp takes a part at a time and adds its result (`lists`: also to the list).
template <class S>
DEVICE void pull_long_rows(
    const Operands& given, const int64* parts, int64 length, const S& out, int64* counters, bool lists
) {
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    for (int64 t = warp_in_grid(); t < length; t += warps_in_grid()) {
        int64 part = fresh(parts + t), row = part >> ::PART_BITS;
        if constexpr (EARLY_EXIT && (STRUCTURE || EXIT_AT_FIRST))
            if (from_lane(touched(sums, row), 0)) continue;  // other warps set it meanwhile: one lane decides for all
        int64 stop = given.rows.indptr[row + 1];
        int64 start = int64(given.rows.indptr[row]) + PROBES + ::number_of(part) * ::PART;
        Synchronous rule = {given.rows, given.looked_up};
        Sum sum = warp_sum(rule, row, start, start + ::PART < stop ? start + ::PART : stop);
        if (lane() != 0 || !sum.found) continue;
        if constexpr (!STRUCTURE && !EXIT_AT_FIRST) add_atomically(sums.values + row, sum.value);
        if (!first_touch(sums, row)) continue;
        if constexpr (!STRUCTURE && EXIT_AT_FIRST) sums.values[row] = sum.value;
        count.add(row);
        if (!lists) continue;
        int64 place = int64(atomicAdd((uint64*)(counters + ::LISTED_ENTRIES), uint64(1)));
        if (place < out.capacity) out.other_list()[place] = row;
    }
    count.publish(counters);
}
