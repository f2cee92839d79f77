// A product in a loop: t = m u where the mask allows, by a push from the entries of u or a pull by the rows of t. Pasted once for
// each product, inside a namespace with the pieces of mxv.cuh. The result goes to the other buffer of `out`.

#include "loop_push.cuh"
#include "loop_pull.cuh"

// Thread 0 of every block, at a grid barrier before the product.
template <class U, class S> DEVICE void make_plan(const Matrix& columns, const U& u, const S& out, int64 edges, bool push, bool few) {
    bool listable = u.listed || (u.count <= u.capacity && !u.full());
    int64 length = listable ? u.count : u.size;
    bool ready = listable == (u.listed != 0) && !out.other_is_dirty();
    ::plan() = {edges, length, listable ? vertices_for_a_warp(length, edges) : 32, push, few, listable, ready};
    write_constant(columns, {u.flags(), u.values()}, (Value*)out.other_values());
}

// The product by a push or a pull; `out` holds the result afterwards. `change` has something to do at every entry of `u`. At the
// barrier after that, thread 0 of every block runs `note`, which looks up numbers and returns what is to be done with them, and
// when the result is there `then`.
template <class U, class S, class C, class Note, class Then>
DEVICE void multiply_into(
    const Operands& given, U& u, S& out, Value initial, int64* counters, int64* parts_list, C change, Note note, Then then
) {
    bool push = ::plan().push;
    if (push && !::plan().ready) {
        bool dirty = out.other_is_dirty(), unlisted = ::plan().by_list && !u.listed;
        if (dirty) clean_all<!STRUCTURE>(out, out.next_buffer(), initial);
        if (unlisted) make_list(u, counters);
        grid_barrier([&] {
            if (dirty) out.other_is_clean();
            if (unlisted) u.listed = 1;
        });
    }
    bool on_the_way = push ? ::plan().by_list : FOUR_ROWS && CLOSING && !REUSES_MASK;
    if (!on_the_way) change.visit_all(&u);
    if constexpr (REUSES_MASK && CLOSING)
        if (!push) grid_barrier([] {});  // the mask's vector has the operand's entries from here on
    bool rest = false, with_list = push || (FOUR_ROWS && ::plan().few);
#pragma unroll 1
    do {  // a second time for parts of what is too long for a warp
        if (push) push_edges(given, u, out, counters, parts_list, rest, change);
        else if (rest) pull_long_rows(given, parts_list, ::parts_left(), out, counters);
        else if constexpr (FOUR_ROWS) pull_four_rows(given, out, counters, parts_list, change);
        else pull_rows(given, out, counters, parts_list);
        if (!rest) change.publish();
        grid_barrier([&] {
            auto write = note();  // what it looks up is on its way together with these
            int64 found = fresh(counters + (with_list ? ::LISTED_ENTRIES : ::ENTRIES)), edges = fresh(counters + ::EDGES_NEXT);
            int64 parts = ::parts_left() = rest ? 0 : fresh(counters + ::PARTS);
            if (parts == 0) {
                write();
                out.template overwritten<!STRUCTURE>(found, edges, with_list);
                then();
            }
        });
        rest = ::parts_left() != 0;
    } while (rest);
}
