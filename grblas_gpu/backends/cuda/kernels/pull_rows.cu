// Pulls by rows: each row that the mask allows looks for its products, until its result is certain. Generated: what mxv.cuh needs, and
//   BY             THREAD: one thread for each row (pull.thread); WARP: one warp, 32 entries at a time (pull.warp); HYBRID: a thread
//                  probes the first entries, its warp helps with the rows still open (pull.hybrid, pull.compact)
//   LISTED_ROWS    rows come in a list, to which the mask belongs: its values say which rows count (pull.compact)
//   LISTED_RESULT  the result is a list, too (in any order); otherwise flags that were all false before
// A loop shares the sums of a row (mxv.cuh, hybrid.cuh). How it goes through rows depends on the flags and lists that it keeps between
// its rounds (loop_pull_*.cuh).

#include "hybrid.cuh"
#include "tally.cuh"

constexpr int THREAD = 0, WARP = 1, HYBRID = 2;

extern "C" __global__ void pull_rows_kernel(
    OPERANDS, const int64* rows, const int64* device_count, int64 host_count, int64* out_list, bool* out_present,
    Value* out_values, const Offset* next, int64* counters, volatile int64* host
) {
    Matrix m = {indptr, indices, matrix_values};
    Vector u = {present, vector_values};
    Mask mask = {mask_present, mask_values};
    Tally total = {next, 0, 0};
    int64 count = counted(device_count, host_count);
    write_constant(m, u, out_values);
    if constexpr (BY == THREAD) {
        for (int64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
            Sum sum = {false, Value(0)};
            if (allowed(mask, i)) {
                int64 stop = m.indptr[i + 1];
                for (int64 entry = m.indptr[i]; entry < stop && !finished(sum); ++entry) add_entry(m, u, i, entry, sum);
            }
            write_row(sum, i, out_present, out_values, total);
        }
    } else if constexpr (BY == WARP) {
        for (int64 i = warp_in_grid(); i < count; i += warps_in_grid()) {
            Sum sum = {false, Value(0)};
            if (allowed(mask, i)) sum = warp_sum(m, u, i, m.indptr[i], m.indptr[i + 1]);
            if (lane() == 0) write_row(sum, i, out_present, out_values, total);
        }
    } else {
        for_each_rows<32>(count, counters, [&](int64 first) {
            int64 t = first + lane(), i = LISTED_ROWS ? 0 : t, start = 0, stop = 0;
            if (t < count && allowed(mask, t)) {
                if constexpr (LISTED_ROWS) i = rows[t];
                start = m.indptr[i];
                stop = m.indptr[i + 1];
            }
            Sum sum = hybrid_sum(m, u, i, start, stop);
            if constexpr (!LISTED_ROWS) {
                if (i < count) write_row(sum, i, out_present, out_values, total);
                return;
            }
            int64 place = i;
            if constexpr (LISTED_RESULT) place = place_in_list(counters + LISTED_COUNT, sum.found);
            if (!sum.found) return;
            tally(total, i);
            if constexpr (LISTED_RESULT) out_list[place] = i;
            else out_present[place] = true;
            if constexpr (!STRUCTURE) out_values[place] = sum.value;
        });
    }
    publish(total, counters, host);
}
