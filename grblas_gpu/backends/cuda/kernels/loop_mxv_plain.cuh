// A product in a loop in its plain form (PLAIN), for kernels that run until an optimized one is compiled: compile time
// grows with the text. A push takes an entry of u per warp, a pull a row; steps at the entries of u run in a pass of their own.

template <class U, class S>
CALLABLE void make_plan(const U& u, const S& out, int64 edges, int64, bool push, bool scans, bool, bool, bool) {
    ::Plan& plan = ::plan();
    plan = {};
    plan.by_list = u.listed;
    plan.length = u.listed ? u.count : u.size;
    plan.push = push && is_push(PUSH_BY);
    plan.lists = PUSH_BY != SCAN && !scans;
}
DEVICE int strategy() { return !::plan().push ? BY_WARPS : ::plan().lists ? SCATTER : SCAN; }

template <class U, class S> DEVICE void push_edges(const Operands& given, const U& u, const S& out, int64* counters) {
    Sums sums = sums_of(out);
    ::Count<Offset> count = {given.next, 0, 0};
    bool by_list = ::plan().by_list, lists = ::plan().lists;
    for (int64 t = (thread() >> 5) * BLOCK_COUNT + blockIdx.x; t < ::plan().length; t += warps_in_grid()) {
        int64 k = by_list ? u.list()[t] : t;
        if (!by_list && !FULL && !given.u.present[k]) continue;
        int64 stop = given.columns.indptr[k + 1];
        for (int64 base = given.columns.indptr[k]; base < stop; base += 32) {
            int64 entry = base + lane(), i = entry < stop ? int64(column_of(given.columns, k, entry)) : 0;
            bool reached = entry < stop && is_open(given, i);
            if constexpr (!STRUCTURE && !EXIT_AT_FIRST)
                if (reached) add_atomically(sums.values + i, product(given.columns, given.u, i, k, entry, k));
            reached = reached && first_touch(sums, i);
            if constexpr (!STRUCTURE && EXIT_AT_FIRST)
                if (reached) sums.values[i] = product(given.columns, given.u, i, k, entry, k);
            if (reached) count.add(i);
            if (!lists) continue;
            int64 place = place_in_list(counters + ::LISTED_ENTRIES, reached);
            if (reached && place < out.capacity) out.other_list()[place] = i;
        }
    }
    if (lists) count.publish_edges(counters);
    else count.publish(counters);
}

template <class S> DEVICE void pull_rows(const Operands& given, const S& out, int64* counters) {
    Written written(given, out);
    Synchronous rule = {given.rows, given.looked_up};
    for (int64 i = (thread() >> 5) * BLOCK_COUNT + blockIdx.x; i < out.size; i += warps_in_grid()) {
        Sum sum = {false, Value(0)};
        if (is_open(given, i)) sum = warp_sum(rule, i, given.rows.indptr[i], given.rows.indptr[i + 1]);
        if (lane() == 0) written.row(i, sum);
    }
    written.count.publish(counters);
}

// The sum of a row by one thread, for fused steps that need it at once (fusion/chains.py).
DEVICE Sum sum_of_row(const Matrix& m, const Vector& u, int64 i) {
    Sum sum = {false, Value(0)};
    for (int64 entry = m.indptr[i]; entry < m.indptr[i + 1] && !finished(sum); ++entry) add_entry(m, u, i, entry, sum);
    return sum;
}

// As in loop_mxv.cuh.
template <class U, class S, class C, class Advance, class Stays, class Note, class Then>
DEVICE void multiply_into(
    Operands given, U& u, S& out, Value initial, int64* counters, int64*, C change, int64, Advance, Stays, Note note, Then then
) {
    bool push = ::plan().push, with_list = push && ::plan().lists;
    write_constant(given.columns, given.u, (Value*)out.other_values());
    given.looked_up = given.u;
    if constexpr (REUSES_MASK)
        if (!push) given.looked_up.present = given.mask.present;
    change.visit_all(&u);
    bool dirty = push && out.other_is_dirty();
    if (dirty) clean_all<FILLED>(out, out.next_buffer(), initial);
    if (dirty || (REUSES_MASK && CLOSING && !push)) {  // from here on the mask's vector contains the operand's entries
        grid_barrier([&] {
            if (dirty) out.other_is_clean();
        });
    }
    if (push) push_edges(given, u, out, counters);
    else pull_rows(given, out, counters);
    change.publish();
    grid_barrier([&] {
        auto write = note();
        int64 found = fresh(counters + (with_list ? ::LISTED_ENTRIES : ::ENTRIES)), edges = fresh(counters + ::EDGES_NEXT);
        write();
        out.template overwritten<FILLED>(found, edges, with_list);
        out.pulled = !push;
        then();
    });
}
