// A product in a loop: t = m u where the mask allows, by a push from the entries of u or a pull by the rows of t. Pasted once for
// each product, inside a namespace with the pieces of mxv.cuh. The result goes to the other buffer of `out`.

#include "loop_push.cuh"
#include "loop_pull.cuh"

// The product by a push or a pull; `out` holds the result afterwards. `change` has something to do at every entry of `u`, and
// `note` is run by thread 0 of every block at the meeting after that: it looks up numbers and returns what is to be done
// with them.
template <class U, class S, class C, class Note>
DEVICE void multiply_into(
    const Operands& given, U& u, S& out, Value initial, int64* counters, int64* parts_list, C change, Note note
) {
    write_constant(given.columns, given.u, (Value*)out.other_values());
    if (::plan().push) {
        bool dirty = out.other_is_dirty(), unlisted = !u.listed && u.count <= u.capacity && !u.full();
        if (dirty) clean_all<!STRUCTURE>(out, out.next_buffer(), initial);
        if (unlisted) make_list(u, counters);
        if (dirty || unlisted)
            meet([&] {
                if (dirty) out.other_is_clean();
                if (unlisted) u.listed = 1;
            });
    }
    bool on_the_way = ::plan().push ? u.listed : FOUR_ROWS && CLOSING;
    if (!on_the_way) change.visit_all(&u);
    auto settle = [&](bool first, bool with_list) {
        meet([&] {
            auto write = note();  // what it looks up is on its way together with these
            int64 found = fresh(counters + (with_list ? ::LISTED_ENTRIES : ::ENTRIES)), edges = fresh(counters + ::EDGES_NEXT);
            int64 parts = first ? fresh(counters + ::PARTS) : 0;
            if (parts == 0) {
                write();
                out.template overwritten<!STRUCTURE>(found, edges, with_list);
            }
            ::plan().parts = parts;
        });
    };
    if (::plan().push) {
        bool in_parts = false;
#pragma unroll 1
        do {
            push_edges(given, u, out, counters, parts_list, in_parts, change);
            if (!in_parts) change.publish();
            settle(!in_parts, true);
            in_parts = ::plan().parts != 0;
        } while (in_parts);
    } else {
        if constexpr (FOUR_ROWS) pull_four_rows(given, out, counters, parts_list, change);
        else pull_rows(given, out, counters, parts_list);
        change.publish();
        settle(true, FOUR_ROWS && ::plan().few);
        if (::plan().parts == 0) return;
        pull_long_rows(given, parts_list, ::plan().parts, out, counters);
        settle(false, FOUR_ROWS && ::plan().few);
    }
}
