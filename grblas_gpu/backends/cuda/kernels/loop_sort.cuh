// A push in a loop by sorting, as Yang, Buluc and Owens have it: all products are gathered with the number of their row, sorted by
// that, by as many bits as it has, and runs of equal numbers are added up. Five bits at a time: a lane keeps account of each digit.

#include "loop_push.cuh"

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
#pragma unroll
    for (int bit = 0; bit < SORT_BITS; ++bit) {
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
        unsigned total = fresh_count(workspace.totals + lane()), next = total;
        for (int distance = 1; distance < 32; distance <<= 1) {
            unsigned lower = from_lower(next, distance);
            if (lane() >= distance) next += lower;
        }
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
