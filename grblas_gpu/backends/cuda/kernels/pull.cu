// Pulls: rows that the mask allows look for their products. Generated: what mxv.cuh and sums.cuh need, and
//   BY             THREAD: one thread for each row (pull.thread); WARP: one warp, 32 entries at a time (pull.warp); HYBRID: a thread
//                  probes the first entries, its warp helps with the rows still open (pull.hybrid, pull.compact); EDGE: one thread
//                  for each entry of the matrix, rows[entry] is its row (pull.edge)
//   RowId          type of `rows`
//   LISTED_ROWS    rows come in a list, to which the mask belongs: its values say which rows count (pull.compact)
//   LISTED_RESULT  the result is a list, too (in any order); otherwise flags, which were all false before with LISTED_ROWS or EDGE
// A loop shares the sums of a row (mxv.cuh). How it goes through rows depends on the flags and lists that it keeps
// between its rounds (loop_pull_*.cuh).

#include "mxv.cuh"
#include "sums.cuh"
#include "tally.cuh"

constexpr int THREAD = 0, WARP = 1, HYBRID = 2, EDGE = 3;

struct Result {
    int64* list;
    bool* present;
    Value* values;
};

DEVICE void pull_rows(const Synchronous& rule, const Mask& mask, const RowId* rows, int64 count, const Result& out, int64* counters, Tally& total) {
    for_each_rows<32>(count, counters, [&](int64 first) {
        int64 t = first + lane(), i = LISTED_ROWS ? 0 : t, start = 0, stop = 0;
        if (t < count && allowed(mask, t)) {
            if constexpr (LISTED_ROWS) i = rows[t];
            start = rule.m.indptr[i];
            stop = rule.m.indptr[i + 1];
        }
        Sum sum = hybrid_sum(rule, i, start, stop);
        if constexpr (!LISTED_ROWS) {
            if (i >= count) return;
            write_row(sum, i, out.present, out.values, total);
            return;
        }
        int64 place = i;
        if constexpr (LISTED_RESULT) place = place_in_list(counters + LISTED_COUNT, sum.found);
        if (!sum.found) return;
        tally(total, i);
        if constexpr (LISTED_RESULT) out.list[place] = i;
        else out.present[place] = true;
        if constexpr (!STRUCTURE) out.values[place] = sum.value;
    });
}

template <class To>
DEVICE void pull_edges(const Matrix& m, const Vector& u, const Mask& mask, const RowId* rows, int64 entries, const To& sums, Tally& total) {
    for (int64 entry = thread_in_grid(); entry < entries; entry += threads_in_grid()) {
        int64 i = rows[entry];
        if (!allowed(mask, i)) continue;
        if constexpr (STRUCTURE || EXIT_AT_FIRST)
            if (touched(sums, i)) continue;
        int64 k = m.indices[entry];
        if constexpr (!FULL)
            if (!u.present[k]) continue;
        if (!scatter(m, u, sums, i, k, entry, k)) continue;
        if constexpr (EXIT_AT_FIRST && !STRUCTURE) sums.values[i] = product(m, u, i, k, entry, k);
        tally(total, i);
    }
}

// A template, so that only one of the ways is compiled.
template <int WAY>
DEVICE void pull(
    const Matrix& m, const Vector& u, const Mask& mask, const RowId* rows, int64 count, const Result& out, int64* counters,
    Tally& total
) {
    Synchronous rule = {m, u};
    if constexpr (WAY == THREAD) {
        for (int64 i = thread_in_grid(); i < count; i += threads_in_grid()) {
            Sum sum = {false, Value(0)};
            if (allowed(mask, i)) {
                int64 stop = m.indptr[i + 1];
                for (int64 entry = m.indptr[i]; entry < stop && !finished(sum); ++entry) add_entry(m, u, i, entry, sum);
            }
            write_row(sum, i, out.present, out.values, total);
        }
    } else if constexpr (WAY == WARP) {
        for (int64 i = warp_in_grid(); i < count; i += warps_in_grid()) {
            Sum sum = {false, Value(0)};
            if (allowed(mask, i)) sum = warp_sum(rule, i, m.indptr[i], m.indptr[i + 1]);
            if (lane() == 0) write_row(sum, i, out.present, out.values, total);
        }
    } else if constexpr (WAY == HYBRID) {
        pull_rows(rule, mask, rows, count, out, counters, total);
    } else {
        pull_edges(m, u, mask, rows, count, Sums{(uint8*)out.present, 1, out.values}, total);
    }
}

extern "C" __global__ void pull_kernel(
    OPERANDS, const RowId* rows, const int64* device_count, int64 host_count, int64* out_list, bool* out_present,
    Value* out_values, const Offset* next, int64* counters, volatile int64* host
) {
    Matrix m = {indptr, indices, matrix_values};
    Vector u = {present, vector_values};
    Tally total = {next, 0, 0};
    write_constant(m, u, out_values);
    Result out = {out_list, out_present, out_values};
    pull<BY>(m, u, {mask_present, mask_values}, rows, counted(device_count, host_count), out, counters, total);
    publish(total, counters, host);
}
