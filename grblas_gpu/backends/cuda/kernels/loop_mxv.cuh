// A product in a loop: t = m u where the mask allows, by a push from the entries of u (loop_push.cuh) or a pull by the rows of t
// (loop_pull_hybrid.cuh, loop_pull_plain.cuh, loop_pull_marks.cuh, loop_pull_balanced.cuh). Pasted once for each product, inside a namespace with the
// pieces of mxv.cuh. The result goes to the other buffer of `out`.

#include "loop_operands.cuh"
#if PLAIN
#include "loop_mxv_plain.cuh"
#else
#include "loop_push.cuh"
#include "loop_shared_frontier.cuh"
#include "loop_pull_hybrid.cuh"
#include "loop_pull_balanced.cuh"
#include "loop_pull_marks.cuh"
#include "loop_pull_plain.cuh"

DEVICE int strategy() {
    if (!::plan().push) return PULL_BY;
    if constexpr (PUSH_BY == SORT) return ::plan().sorts ? SORT : SCATTER;
    return PUSH_BY == SCATTER && !::plan().lists ? SCAN : PUSH_BY;
}
// Thread 0 of every block, at a grid barrier before the product.
template <class U, class S>
CALLABLE void make_plan(
    const U& u, const S& out, int64 edges, int64 sortable, bool push, bool scans, bool few, bool in_shared, bool marked
) {
    bool listable = u.listed || (u.count <= u.capacity && !u.full());
    int64 length = listable ? u.count : u.size;
    bool ready = (!is_push(PUSH_BY) || listable == (u.listed != 0)) && !out.other_is_dirty();
    int width = listable ? vertices_for_a_warp(length, edges) : 32, spread = width == 1 ? spread_of(length, edges) : 0;
    bool lists = PUSH_BY != SCAN && !scans, sorts = PUSH_BY == SORT && edges <= sortable;
    bool spare = listable && 8 * (edges + 2 * length) <= threads_in_grid() && length * MANY < u.size;
    in_shared = in_shared && u.listed && !u.dirty && length <= SMALL_ENTRIES && edges <= MOST_SHARED && team_blocks() == CLUSTER;
    ::plan() = {edges, length, width, spread, push || in_shared, few, lists, sorts, listable, spare, ready, in_shared, marked && !push};
}

template <int WAY, class S, class C>
DEVICE void pull_by(const Operands& given, const S& out, int64* counters, int64* parts_list, C& change, bool epilogue) {
    if constexpr (takes_four(WAY)) pull_four_rows(given, out, counters, parts_list, change);
    else if constexpr (WAY == HYBRID) pull_rows(given, out, counters, parts_list);
    else if constexpr (WAY == COMPACT) pull_listed_rows(given, out, counters, parts_list);
    else if constexpr (WAY == BY_THREADS) pull_by_threads(given, out, counters, change, epilogue);
    else if constexpr (WAY == BY_WARPS) pull_by_warps(given, out, counters);
    else if constexpr (is_balanced(WAY)) pull_balanced(given, out, counters);
    else if constexpr (marks_rows(WAY)) mark_by_entries(given, out);
    else pull_by_entries(given, out, counters);
}
// With function calls (CALLS) and no steps at the operand's entries, equal products share these functions, and their arguments are in
// shared memory.
DEVICE const Operands& handed(const Operands& given) {
    __shared__ Operands shared;
    __syncthreads();
    if (thread() == 0) shared = given;
    __syncthreads();
    return shared;
}
// The address space, which the compiler knows only for parameters of a kernel.
DEVICE Operands in_memory(Operands given) {
    ::global(given.columns.indptr), ::global(given.columns.indices), ::global(given.columns.values);
    ::global(given.rows.indptr), ::global(given.rows.indices), ::global(given.rows.values);
    ::global(given.u.present), ::global(given.u.values), ::global(given.looked_up.present), ::global(given.looked_up.values);
    ::global(given.looked_up.marked);
    ::global(given.mask.present), ::global(given.mask.values), ::global(given.closing), ::global(given.next), ::global(given.hub_neighbours);
    return given;
}
template <class U, class S>
CALLABLE void push_alone(const Operands& given, const U& u, const S& out, int64* counters, int64* parts_list, bool in_parts) {
    NoChange nothing;
    push_edges(in_memory(in_block(given)), in_block(u), in_block(out), counters, parts_list, in_parts, false, nothing);
}
template <int WAY, class S> CALLABLE void pull_alone(const Operands& given, const S& out, int64* counters, int64* parts_list, bool epilogue) {
    NoChange nothing;
    pull_by<WAY>(in_memory(in_block(given)), in_block(out), counters, parts_list, nothing, epilogue);
}
template <class S> CALLABLE void pull_rest_alone(const Operands& given, const S& out, int64* counters, int64* parts_list, bool lists) {
    pull_long_rows(in_memory(in_block(given)), parts_list, ::parts_left(), in_block(out), counters, lists);
}
template <class U, class S, class C>
DEVICE void push_and_change(
    const Operands& given, const U& u, const S& out, int64* counters, int64* parts_list, bool in_parts, bool changes, C& change
) {
    if constexpr (CALLS && same_type<C, NoChange>) push_alone(given, u, out, counters, parts_list, in_parts);
    else push_edges(given, u, out, counters, parts_list, in_parts, changes, change);
}
template <int WAY, class S, class C>
DEVICE void pull_and_change(const Operands& given, const S& out, int64* counters, int64* parts_list, C& change, bool epilogue) {
    if constexpr (CALLS && same_type<C, NoChange>) pull_alone<WAY>(given, out, counters, parts_list, epilogue);
    else pull_by<WAY>(given, out, counters, parts_list, change, epilogue);
}
template <class C, class S> DEVICE void pull_rest(const Operands& given, const S& out, int64* counters, int64* parts_list, bool lists) {
    if constexpr (CALLS && same_type<C, NoChange>) pull_rest_alone(given, out, counters, parts_list, lists);
    else pull_long_rows(given, parts_list, ::parts_left(), out, counters, lists);
}
// Whether such a pull also runs the steps at the operand's entries, if the mask closes these. Not if it looks entries up in the mask's
// vector (`bottom_up`).
DEVICE constexpr bool runs_epilogue(int strategy, bool bottom_up) {
    if (strategy == BY_THREADS || marks_rows(strategy)) return CLOSING && !(REUSES_MASK && bottom_up);
    return takes_four(strategy) && CLOSING && !REUSES_MASK;
}

// The product by a push or a pull; `out` holds the result afterwards. `change` runs at every entry of `u`. At the barrier after that,
// thread 0 of every block runs `note`, which reads counters and returns a function that uses them, and `then` when the result is complete.
// SHARED_FRONTIER: `u` is `out`, and a round consists of this product alone; `left` rounds may follow each other, with `advance` between
// them, while `stays` agrees (loop_shared_frontier.cuh).
template <class U, class S, class C, class Advance, class Stays, class Note, class Then>
DEVICE void multiply_into(
    Operands start, U& u, S& out, Value initial, int64* counters, int64* parts_list, C change, int64 left, Advance advance,
    Stays stays, Note note, Then then
) {
    if constexpr (SHARED_FRONTIER) {
        if (::plan().in_shared) {
            push_levels(start, u, initial, counters, change, left, advance, stays, note, then);
            return;
        }
    }
    write_constant(start.columns, start.u, (Value*)out.other_values());
    bool push = ::plan().push, walks = push && is_push(PUSH_BY);
    start.size = u.size;
    start.looked_up = start.u;
    if constexpr (REUSES_MASK)
        if (!push) start.looked_up.present = start.mask.present;
    if (OPERAND_MARKED && ::plan().marked) start.looked_up.marked = start.marked;
    if constexpr (CALLS) start = in_memory(start);
    const Operands& given = CALLS && same_type<C, NoChange> ? handed(start) : start;
    bool filters = (push ? has_filter(PUSH_BY) : has_filter(PULL_BY)) && !has_own_filter(u.size), filtered = false;
    if (push && filters) write_filter(given);  // that of the operand, while other blocks clean
    if ((push ? is_scattered(PUSH_BY) : is_scattered(PULL_BY)) && !::plan().ready) {
        bool dirty = out.other_is_dirty(), unlisted = walks && ::plan().by_list && !u.listed;
        if (dirty) clean_all<FILLED>(out, out.next_buffer(), initial);
        if (unlisted) make_list(u, counters);
        grid_barrier([&] {
            if (dirty) out.other_is_clean();
            if (unlisted) u.listed = 1;
        });
        filtered = push && filters;
    }
    bool in_epilogue = walks ? ::plan().by_list && !::plan().spare : push ? runs_epilogue(PUSH_BY, false) : runs_epilogue(PULL_BY, true);
    if (!in_epilogue) change.visit_all(&u);
    if constexpr (REUSES_MASK && CLOSING)
        if (!push) grid_barrier([] {});  // from here on the mask's vector contains the operand's entries
    if ((PUSH_BY == COMPACT && push) || (PULL_BY == COMPACT && !push)) {
        list_open_rows(given, out, counters);
        grid_barrier([] {});
    }
    if (!push && filters) write_filter(given);
    if (filters && !filtered) grid_barrier([] {});
    if (OPERAND_MARKED && ::plan().marked) {
        write_marked(given);
        grid_barrier([] {});
    }
    bool rest = false, with_list = ::plan().few && (push ? takes_four(PUSH_BY) : takes_four(PULL_BY));
    if (walks) with_list = ::plan().lists;
    bool balanced = push ? is_balanced(PUSH_BY) : is_balanced(PULL_BY), marked = push ? marks_rows(PUSH_BY) : marks_rows(PULL_BY);
    if constexpr (BALANCED)
        if (balanced && given.order.columns) {
            write_in_order(given);
            grid_barrier([] {});
        }
    UNROLLED_BY(1) do {  // a second pass for parts of long rows, for carries of chunks, or to count marked rows
        if (walks) {
            if constexpr (is_push(PUSH_BY)) push_and_change(given, u, out, counters, parts_list, rest, in_epilogue, change);
        } else if (rest && balanced) {
            // Other blocks wrote the carries and the rows: the grid barrier between orders that.
            if constexpr (BALANCED)
                add_row_carries(given.rows.indptr, out.size, given.nvals, (Value*)out.other_values(), {given.carry_values, given.carry_rows});
        } else if (rest && marked) {
            if constexpr (marks_rows(PUSH_BY) || marks_rows(PULL_BY)) count_marked_rows(given, out, counters, change, in_epilogue);
        } else if (rest) {
            pull_rest<C>(given, out, counters, parts_list, with_list);
        } else if (!push || PUSH_BY == PULL_BY) {  // one copy of the code if both answers are equal
            pull_and_change<PULL_BY>(given, out, counters, parts_list, change, in_epilogue);
        } else {
            if constexpr (!is_push(PUSH_BY) && PUSH_BY != PULL_BY)
                pull_and_change<PUSH_BY>(given, out, counters, parts_list, change, in_epilogue);
        }
        if (rest == marked) change.publish();
        if constexpr (PUSH_BY == SORT) {
            if (walks && ::plan().sorts) {
                grid_barrier([&] { ::parts_left() = rest ? 0 : fresh(counters + ::PARTS); });
                if (!rest && ::parts_left() != 0) {
                    rest = true;
                    continue;
                }
                sort_and_add_up(given, out, counters);
                rest = true;  // no work is left
            }
        }
        grid_barrier([&] {
            auto write = note();  // its lookups are in flight together with these
            int64 found = fresh(counters + (with_list ? ::LISTED_ENTRIES : ::ENTRIES)), edges = fresh(counters + ::EDGES_NEXT);
            int64 parts = rest ? 0 : marked ? 1 : balanced ? !given.all_short && has_carries(out.size, given.nvals) : fresh(counters + ::PARTS);
            ::parts_left() = parts;
            if (parts == 0) {
                write();
                out.template overwritten<FILLED>(found, edges, with_list);
                out.pulled = !push;
                then();
            }
        });
        rest = ::parts_left() != 0;
    } while (rest);
}
#endif
