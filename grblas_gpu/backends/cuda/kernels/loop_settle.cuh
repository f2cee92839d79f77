// An asynchronous pull in a loop, as asynchronous_pull.cu outside of one. Generated, besides what loop_mxv.cuh asks for: nothing.

#include "loop_mxv.cuh"
#include "settle.cuh"

// `marks`: a byte for each row. The arguments are otherwise those of multiply_into.
template <class U, class S, class C, class Note, class Then>
DEVICE void settle_into(
    const Operands& given, U& u, S& out, Value final, bool* marks, int64* counters, C change, Note note, Then then
) {
    change.visit_all(&u);
    ::clear_flags(marks, out.size);
    grid_barrier([] {});
    Settled settled = {(uint8*)marks, 1, final};
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    Value* values = (Value*)out.other_values();
    for_each_rows<32>(out.size, counters + ::ROWS_GIVEN - TICKET, [&](int64 first) {
        int64 i = first + lane(), start = 0, stop = 0;
        if (i < out.size && is_open(given, i)) start = given.rows.indptr[i], stop = given.rows.indptr[i + 1];
        Sum sum = look_at_rows(given.rows, given.u, settled, i, start, stop);
        if (i >= out.size) return;
        if (is_final(sum, settled)) ((volatile bool*)marks)[i] = true;
        flags[i] = sum.found;
        if (!sum.found) return;
        values[i] = sum.value;
        count.add(i);
    });
    count.publish(counters);
    change.publish();
    grid_barrier([&] {
        auto write = note();
        int64 found = fresh(counters + ::ENTRIES), edges = fresh(counters + ::EDGES_NEXT);
        write();
        out.template overwritten<true>(found, edges, false);
        then();
    });
}
