// A push in a loop: the edges of the entries of u, by warps.

#include "loop_operands.cuh"

// A push by warps: every lane follows some edges at a time, all of which are in flight before the first arrives. Positions reached for the
// first time go to the list of the result, or are only counted (`lists`).
constexpr int AT_ONCE = 2;
constexpr int64 SHARE = 32 * AT_ONCE;  // edges, about, that keep a warp busy
constexpr int64 MANY_EDGES = 1 << 20;
template <class S> struct Push {
    const Operands& given;
    bool many;  // most of many edges lead to positions reached before
    bool lists;
    Sums sums;
    ::Count<Offset> count;
    ::Listing<typename S::Type> reached;

    DEVICE Push(const Operands& given, const S& out, int64 edges, int64* counters)
        : given(given), many(edges > MANY_EDGES), lists(::plan().lists), sums(sums_of(out)), count{given.next, 0, 0}, reached{out, counters, {}} {}

    // The targets of edges and their products, to be sorted.
    template <class Index>
    DEVICE void gather(const int64 (&k)[AT_ONCE], const Offset (&entry)[AT_ONCE], const Index (&i)[AT_ONCE], const bool (&there)[AT_ONCE]) {
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            bool wanted = there[n] && is_open(given, i[n]);
            int64 place = place_in_list(reached.counters + ::SORTED, wanted);
            if (!wanted) continue;
            given.sort_workspace.keys[0][place] = Key(i[n]);
            if constexpr (!STRUCTURE)
                given.sort_workspace.products[0][place] = to_bits<Payload>(product(given.columns, given.u, i[n], k[n], entry[n], k[n]));
        }
    }

    // The target of edge entry[n] of vertex k[n], if `first[n]` (else both are 0), whether it is the `first` edge there, and the edges of
    // the target. There are no branches, which would wait for their conditions: lanes without a lookup read position 0, which costs as much
    // as one of them. With many edges, those to known positions are dropped early; with few, all lookups are issued at once.
    template <bool OF_MANY, class Index>
    DEVICE bool reach(
        const int64 (&k)[AT_ONCE], const Offset (&entry)[AT_ONCE], bool (&first)[AT_ONCE], Index (&i)[AT_ONCE],
        Offset (&starts)[AT_ONCE], Offset (&edges)[AT_ONCE]
    ) {
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) i[n] = column_of(given.columns, k[n], entry[n]);
        if constexpr (PUSH_BY == SORT) {
            if (::plan().sorts) {
                gather(k, entry, i, first);
                return false;
            }
        }
        if constexpr (OF_MANY && (STRUCTURE || EXIT_AT_FIRST)) {
            bool any = false;
            UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
                first[n] = first[n] & !touched(sums, i[n]);
                any |= first[n];
                i[n] = first[n] ? i[n] : 0;
            }
            if (!__any_sync(FULL_WARP, any)) return false;
        }
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            first[n] = first[n] & is_open(given, i[n]);
            if constexpr (OF_MANY) i[n] = first[n] ? i[n] : 0;
        }
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            starts[n] = given.next ? given.next[i[n]] : 0;
            edges[n] = given.next ? given.next[i[n] + 1] - starts[n] : 0;
        }
        if constexpr (!STRUCTURE && !EXIT_AT_FIRST) {
            Value products[AT_ONCE];
            UNROLLED for (int n = 0; n < AT_ONCE; ++n)
                products[n] = product(given.columns, given.u, i[n], k[n], entry[n], k[n]);
            UNROLLED for (int n = 0; n < AT_ONCE; ++n)
                if (first[n]) add_atomically(sums.values + i[n], products[n]);
            if constexpr (OF_MANY) {
                UNROLLED for (int n = 0; n < AT_ONCE; ++n) first[n] = first[n] & !touched(sums, i[n]);
            }
        }
        touch_wanted(first, sums, i);
        if constexpr (!STRUCTURE && EXIT_AT_FIRST) {
            UNROLLED for (int n = 0; n < AT_ONCE; ++n)
                if (first[n]) sums.values[i[n]] = product(given.columns, given.u, i[n], k[n], entry[n], k[n]);
        }
        return true;
    }
    template <bool OF_MANY> DEVICE void follow(const int64 (&k)[AT_ONCE], const Offset (&entry)[AT_ONCE], bool (&first)[AT_ONCE]) {
        either<REPEATED, int64, Column> i[AT_ONCE];
        Offset starts[AT_ONCE], edges[AT_ONCE];
        if (!reach<OF_MANY>(k, entry, first, i, starts, edges)) return;
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            count.edges += first[n] ? edges[n] : 0;
            count.entries += first[n];
            if (lists) reached.put(i[n], first[n]);
        }
        if (lists) reached.flush(false);
    }

    // The edges from `start` to `stop` of vertex k, distributed over the lanes.
    DEVICE void share(int64 k, Offset start, Offset stop) {
        int before = inclusive_sum(int(stop - start));
        int total = from_lane(before, 31);
        before -= int(stop - start);  // the number of its first edge
        start -= before;
        UNROLLED_BY(1) for (int first = lane(); first - lane() < total; first += 32 * AT_ONCE) {
            int64 from[AT_ONCE];
            Offset entry[AT_ONCE];
            bool there[AT_ONCE];
            int owner[AT_ONCE] = {};
            UNROLLED for (int step = 16; step > 0; step >>= 1) {
                UNROLLED for (int n = 0; n < AT_ONCE; ++n)
                    if (from_lane(before, owner[n] + step) <= first + 32 * n) owner[n] += step;
            }
            UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
                there[n] = first + 32 * n < total;
                from[n] = from_lane(k, owner[n]);
                entry[n] = from_lane(start, owner[n]) + first + 32 * n;
                if (!there[n]) from[n] = entry[n] = 0;
            }
            if (many) follow<true>(from, entry, there);
            else follow<false>(from, entry, there);
        }
    }
};

// How many of `length` vertices with `edges` edges a warp takes: enough to keep it busy, and so few that all warps have some.
DEVICE int vertices_for_a_warp(int64 length, int64 edges) {
    int width = int(::quotient(float(length) * SHARE, float(edges + 1)));
    if (edges > MANY_EDGES) {
        int64 even = length / warps_in_grid();
        if (width < even) width = even < 32 ? int(even) : 32;
    }
    return width < 1 ? 1 : width > 32 ? 32 : width;
}

// The number of a warp. Neighbours are in different blocks: warps of one block would wait for each other.
DEVICE unsigned scattered_warp() { return (thread() >> 5) * BLOCK_COUNT + blockIdx.x; }

// How many warps share the edges of each vertex, as a power of two: for a few vertices with many edges, so many that a warp has some 64
// edges, as far as there are warps.
DEVICE int spread_of(int64 length, int64 edges) {
    if (edges > MANY_EDGES) return 0;
    float vertices = length > 0 ? float(length) : 1;
    int wanted = 32 - __clz(int(::quotient(float(edges), vertices * SHARE)));
    int room = 31 - __clz(int(::quotient(float(warps_in_grid()), vertices)) | 1);
    return wanted < room ? wanted : room;
}

// The edges of the entries of u, from its list or its flags: a warp takes some vertices at a time, or several warps share one. Vertices
// with very many edges go to a list in parts; with `in_parts` the call pushes these. `changes`: other steps at the vertices run on the way.
template <class U, class S, class C>
DEVICE void push_edges(
    const Operands& given, const U& u, const S& out, int64* counters, int64* parts_list, bool in_parts, bool changes, C& change
) {
    const ::Plan& plan = ::plan();
    bool by_list = plan.by_list;
    int64 length = in_parts ? ::parts_left() : plan.length;
    int width = in_parts ? 1 : plan.width, spread = in_parts ? 0 : plan.spread;
    int64 base = (scattered_warp() >> spread) * width;
    if (base >= length) return;
    int64 edges = plan.edges;
    Offset part_size = edges > MANY_EDGES ? ::PUSH_PART : ::SMALL_PUSH_PART;
    Push<S> pushing(given, out, edges, counters);
    UNROLLED_BY(1) for (; base < length; base += warps_in_grid() * width) {
        int64 k = base + lane();
        Offset start = 0, stop = 0;
        if (lane() < width && k < length) {
            if (in_parts) {
                int64 part = fresh(parts_list + k);
                k = part >> ::PART_BITS;
                start = given.columns.indptr[k] + ::number_of(part) * part_size;
                stop = given.columns.indptr[k + 1];
                if (stop - start > part_size) stop = start + part_size;
            } else if (by_list || FULL || given.u.present[k]) {
                if (by_list) k = u.list()[k];
                int share = scattered_warp() & ((1u << spread) - 1);
                changes = changes && share == 0;
                decltype(change.look(k)) seen = {};
                if (changes) seen = change.look(k);
                start = given.columns.indptr[k];
                stop = given.columns.indptr[k + 1];
                if (changes) change.make(k, seen);
                if ((stop - start) >> spread > 2 * part_size) {
                    if (share == 0) ::put_parts(parts_list, counters + ::PARTS, k, (stop - start + part_size - 1) / part_size);
                    stop = start;
                } else if (spread) {
                    Offset each = ((stop - start - 1) >> spread) + 1, first = start + share * each;
                    start = first < stop ? first : stop;
                    if (stop - start > each) stop = start + each;
                }
            }
        }
        pushing.share(k, start, stop);
    }
    pushing.reached.flush(true);
    if (plan.lists) pushing.count.publish_edges(counters);
    else pushing.count.publish(counters);
}

// A push in a loop by sorting, as Yang, Buluc and Owens have it: all products are gathered with the number of their row, sorted by
// that, by as many bits as it has, and runs of equal numbers are added up. Five bits at a time: a lane keeps account of each digit.

constexpr int SORT_BITS = 5;
constexpr int64 MOST_SPANS = 4096;  // of keys that follow each other, one for each warp

struct Spans {
    int64 number, length;
    DEVICE Spans(int64 count) {
        number = (count + 127) / 128;
        if (number > warps_in_grid()) number = warps_in_grid();
        if (number > MOST_SPANS) number = MOST_SPANS;
        length = number ? ((count + number - 1) / number + 31) / 32 * 32 : 0;
    }
};

// The lanes whose digit is `wanted`, which each lane asks for itself.
DEVICE unsigned lanes_with(unsigned digit, bool inside, unsigned wanted) {
    unsigned lanes = __ballot_sync(FULL_WARP, inside);
    UNROLLED for (int bit = 0; bit < SORT_BITS; ++bit) {
        unsigned set = __ballot_sync(FULL_WARP, digit >> bit & 1);
        lanes &= wanted >> bit & 1 ? set : ~set;
    }
    return lanes;
}

// One pass: keys (and products) from buffer 0 to buffer 1, or back, in the order of one digit. All threads of the team call it.
DEVICE void sort_by_digit(const SortWorkspace& workspace, int from, int64 count, int shift) {
    __shared__ int64 shared[32];
    const Key* keys = workspace.keys[from];
    Spans spans(count);
    int64 warp = (thread() >> 5) * BLOCK_COUNT + blockIdx.x, lo = warp * spans.length;
    int64 hi = lo + spans.length < count ? lo + spans.length : count;
    bool has_span = warp < spans.number;
    if (has_span) {
        unsigned own = 0;
        for (int64 base = lo; base < hi; base += 32) {
            bool inside = base + lane() < hi;
            unsigned digit = inside ? unsigned(keys[base + lane()] >> shift) & 31 : 0;
            own += __popc(lanes_with(digit, inside, lane()));
        }
        workspace.counts[lane() * spans.number + warp] = own;
    }
    grid_barrier([] {});
    for (int digit = blockIdx.x; digit < 32; digit += BLOCK_COUNT) {
        unsigned* row = workspace.counts + digit * spans.number;
        int64 before = 0, total;
        for (int64 base = 0; base < spans.number; base += blockDim.x) {
            int64 at = base + threadIdx.x, number = at < spans.number ? fresh_count(row + at) : 0;
            int64 place = before + block_offset(number, total, shared);
            if (at < spans.number) row[at] = unsigned(place);
            before += total;
        }
        if (threadIdx.x == 0) workspace.totals[digit] = unsigned(before);
    }
    grid_barrier([] {});
    if (has_span) {
        unsigned total = fresh_count(workspace.totals + lane()), next = inclusive_sum(total);
        next += fresh_count(workspace.counts + lane() * spans.number + warp) - total;
        for (int64 base = lo; base < hi; base += 32) {
            bool inside = base + lane() < hi;
            Key key = inside ? keys[base + lane()] : Key(0);
            unsigned digit = inside ? unsigned(key >> shift) & 31 : 0;
            unsigned alike = lanes_with(digit, inside, digit), mine = lanes_with(digit, inside, lane());
            unsigned place = from_lane(next, int(digit)) + __popc(alike & ((1u << lane()) - 1));
            if (inside) {
                workspace.keys[1 - from][place] = key;
                if constexpr (!STRUCTURE) workspace.products[1 - from][place] = workspace.products[from][base + lane()];
            }
            next += __popc(mine);
        }
    }
    grid_barrier([] {});
}

// Runs of equal keys are added up; the first of each run does it.
template <class S>
DEVICE void add_up_runs(const Operands& given, int from, int64 many, const S& out, int64* counters) {
    const Key* keys = given.sort_workspace.keys[from];
    ::Count<Offset> count = {given.next, 0, 0};
    for (int64 base = thread_in_grid() - lane(); base < many; base += threads_in_grid()) {
        int64 p = base + lane();
        Key key = p < many ? keys[p] : Key(0);
        bool first = p < many && (p == 0 || keys[p - 1] != key);
        if (first) {
            out.other_flags()[key] = true;
            if constexpr (!STRUCTURE) {
                const Payload* products = given.sort_workspace.products[from];
                Sum sum = {true, from_bits<Value>(products[p])};
                for (int64 next = p + 1; next < many && keys[next] == key && !finished(sum); ++next)
                    sum.value = add(sum.value, from_bits<Value>(products[next]));
                ((Value*)out.other_values())[key] = sum.value;
            }
            count.edges += count.edges_of(key);
        }
        int64 place = place_in_list(counters + ::LISTED_ENTRIES, first);
        if (first && place < out.capacity) out.other_list()[place] = key;
    }
    count.publish_edges(counters);
}

// Runs after the gather: sorts and reduces by key. The counters are next read at the following barrier.
template <class S> DEVICE void sort_and_add_up(const Operands& given, const S& out, int64* counters) {
    int64 many = fresh(counters + ::SORTED);
    int from = 0;
    for (int shift = 0; shift < 64 && (out.size - 1) >> shift; shift += SORT_BITS, from = 1 - from)
        sort_by_digit(given.sort_workspace, from, many, shift);
    add_up_runs(given, from, many, out, counters);
}
