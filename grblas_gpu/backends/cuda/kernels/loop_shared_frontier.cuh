// Levels of a search, one after another, while the frontier is short and no vertex has many edges (lists.cuh): one barrier each, and
// no decision of the host or of other blocks between two levels. Included together with loop_push.cuh, which follows the edges.

constexpr int64 MOST_SHARED = STRUCTURE || EXIT_AT_FIRST ? ::SHARED_EDGES : ::SHARED_SUM_EDGES;
constexpr int64 TEAM_EDGES = MOST_SHARED > SMALL_EDGES ? MOST_SHARED : SMALL_EDGES;  // that a cluster goes on with alone

template <class S> struct SharedPush : Push<S> {
    ::FrontierEntry* next;  // the entries of the next level
    unsigned *entries, *edges;  // that are counted
    DEVICE SharedPush(const Operands& given, const S& out, int64* counters, ::FrontierEntry* next, unsigned* entries, unsigned* edges)
        : Push<S>(given, out, 0, counters), next(next), entries(entries), edges(edges) {}

    // Finds the vertices that the edges reach for the first time, and prefetches their edges.
    DEVICE void follow_shared(const int64 (&k)[AT_ONCE], const Offset (&entry)[AT_ONCE], bool (&first)[AT_ONCE]) {
        either<REPEATED, int64, Column> i[AT_ONCE];
        Offset starts[AT_ONCE], lengths[AT_ONCE];
        this->template reach<false>(k, entry, first, i, starts, lengths);
        unsigned wanting[AT_ONCE], total = 0, following = 0;
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            wanting[n] = __ballot_sync(FULL_WARP, first[n]);
            total += __popc(wanting[n]);
            if (!first[n]) continue;
            following += unsigned(lengths[n]);
            if constexpr (!REPEATED) ::ask_for(this->given.columns.indices + starts[n]);
        }
        if (total == 0) return;
        unsigned before = 0;
        if (lane() == 0) before = ::add_in_team(entries, total);
        following = ::sum_of_lanes(following);
        if (lane() == 0) ::add_in_team(edges, following);
        int place = from_lane(int(before), 0);
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            int mine = place + __popc(wanting[n] & ((1u << lane()) - 1));
            if (first[n]) ::put_in_frontier(next, mine, {int64(i[n]), int64(starts[n]) << 8 | int64(lengths[n])});
            place += __popc(wanting[n]);
        }
    }
};

// Instead of multiply_into, if the plan says so: this level, and those that follow, `left` at most in all. Between two of them thread 0
// of every block runs `advance(entries, edges)`, which moves `u` on, and `stays(entries, edges, and those before)` has to agree.
template <class S, class C, class Advance, class Stays, class Note, class Then>
DEVICE void push_levels(
    Operands given, S& u, Value initial, int64* counters, C& change, int64 left, Advance advance, Stays stays, Note note, Then then
) {
    constexpr int LANES = 32 / ::SHARED_VERTICES;
    ::SharedFrontier& here = ::shared_frontier();
    ::FrontierEntry(&entries)[3][::SHARED_EACH] = ::queues().frontier.of;
    int warp = thread() >> 5, of = lane() / LANES, warps = int(blockDim.x >> 5);
    int turn = here.turn, now = 0, count = int(::plan().length), before = 0, found, edges = int(::plan().edges), edges_before;
    if (left > ::SHARED_LEVELS) left = ::SHARED_LEVELS;
    UNROLLED_BY(1) for (bool listed = true;; listed = false) {
        given.u = {u.flags(), u.values()};
        given.closing = u.flags();
        write_constant(given.columns, given.u, (Value*)u.other_values());
        if (thread_in_grid() == 0) here.reached[::after(turn)] = here.following[::after(turn)] = 0;
        bool* old = global(u.flags_at[u.old_buffer()]);
        ::for_each_in_block(entries[::after(::after(now))], before, [&](int, const ::FrontierEntry& entry) {
            old[entry.vertex] = false;
            if constexpr (FILLED) u.values_in(u.old_buffer())[entry.vertex] = initial;
        });
        SharedPush<S> pushing(given, u, counters, entries[::after(now)], here.reached + turn, here.following + turn);
        int base = (warp * int(CLUSTER) + int(blockIdx.x)) * ::SHARED_VERTICES + of;
        int at = warp * ::SHARED_VERTICES + of;
        UNROLLED_BY(1) for (; base - of < count; base += warps * int(CLUSTER) * ::SHARED_VERTICES, at += warps * ::SHARED_VERTICES) {
            ::FrontierEntry vertex = {0, 0};
            if (base < count && listed) {
                vertex.vertex = u.list()[base];
                int64 start = given.columns.indptr[vertex.vertex], stop = given.columns.indptr[vertex.vertex + 1];
                vertex.edges = start << 8 | (stop - start);
                if (lane() % LANES == 0) entries[now][at] = vertex;  // for the cleaning
            } else if (base < count) {
                vertex = entries[now][at];
            }
            auto seen = change.look(vertex.vertex);
            int many = int(vertex.edges & 255);
            for (int number = lane() % LANES; __any_sync(FULL_WARP, number < many); number += LANES * AT_ONCE) {
                int64 k[AT_ONCE];
                Offset entry[AT_ONCE];
                bool there[AT_ONCE];
                UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
                    there[n] = number + LANES * n < many;
                    k[n] = there[n] ? vertex.vertex : 0;
                    entry[n] = there[n] ? Offset(vertex.edges >> 8) + number + LANES * n : 0;
                }
                pushing.follow_shared(k, entry, there);
            }
            if (base < count && lane() % LANES == 0) change.make(vertex.vertex, seen);
        }
        cluster_barrier();
        int counted = lane() < 2 ? int(::counted_in_team(lane() == 0 ? here.reached + turn : here.following + turn)) : 0;
        edges_before = edges, found = from_lane(counted, 0), edges = from_lane(counted, 1);
        turn = ::after(turn);
        bool fits = found > 0 && found <= SMALL_ENTRIES && edges <= MOST_SHARED && stays(found, edges, count, edges_before);
        if (!fits || --left <= 0) break;
        if (thread() == 0) advance(found, edges);
        __syncthreads();
        before = count, count = found, now = ::after(now);
    }
    // The list as others want it, and the last level clean.
    int64* list = u.other_list();
    int64 capacity = u.capacity;
    ::for_each_in_block(entries[::after(now)], found, [&](int place, const ::FrontierEntry& entry) {
        if (place < capacity) list[place] = entry.vertex;
    });
    bool* flags = u.flags();
    ::for_each_in_block(entries[now], count, [&](int, const ::FrontierEntry& entry) {
        flags[entry.vertex] = false;
        if constexpr (FILLED) u.values()[entry.vertex] = initial;
    });
    change.publish();
    grid_barrier([&] {
        auto write = note();
        write();
        here.turn = turn;
        u.advanced(found, edges);
        u.listed = found <= SMALL_ENTRIES && found <= u.capacity;
        then();
    });
}
