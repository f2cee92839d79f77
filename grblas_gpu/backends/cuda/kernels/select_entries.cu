// The entries of a matrix for which op(x, i, j, thunk) is true, and that a mask lets through: each warp counts what its
// chunk keeps, and then writes it. Generated: Offset, Column, Stored, Left, Thunk, op, the mask, and
//   SELECT     there is an operator (otherwise the mask alone decides)
//   USES_ROW   somebody asks for the row
//   ISO        one value stands for all
//   RENAMED    columns have places, and those with a negative one are left out

#include "matrix_mask.cuh"
#include "offsets.cuh"
#include "row_starts.cuh"

struct Given {
    const Offset* indptr;
    const Column* indices;
    const Stored* values;
    int64 nrows, entries;
    Thunk thunk;
    const Column* places;
    Mask mask;
};
#define GIVEN                                                                                                 \
    const Offset *indptr, const Column *indices, const Stored *values, int64 nrows, int64 entries, Thunk thunk,  \
        const Column *places, const MaskOffset *mask_indptr, const MaskColumn *mask_indices, const MaskValue *mask_values

DEVICE bool keeps(const Given& m, int64 entry, int64 i) {
    bool kept = true;
    int64 j = m.indices[entry];
    if constexpr (SELECT) kept = cast<bool>(op(cast<Left>(m.values[ISO ? 0 : entry]), i, j, m.thunk));
    if constexpr (RENAMED) kept = m.places[j] >= 0;
    if constexpr (MASK != EVERYWHERE) kept = kept && allowed(m.mask, i, j);
    return kept;
}

// The windows of a chunk. look(base, rows): rows(k) is the row of entry base + 32 k + lane(); calls with k = 0, 1, ... only.
template <class Look> DEVICE void through_windows(const Given& m, int64 chunk, bool with_rows, Starts& starts, Look look) {
    int64 length = chunk_length(m.entries);
    int64 lo = chunk * length, hi = lo + length < m.entries ? lo + length : m.entries;
    int64 first = with_rows ? first_row_at(m.indptr, m.nrows, lo) : 0, open_row = first - 1;
    for (int64 base = lo; base < hi; base += WINDOW) {
        int64 window_first = first;
        if (with_rows)
            list_starts(m.indptr, m.nrows, first, base, end_for_rows(base, hi, m.entries), starts, [](int64, bool) {});
        int rank = 0;
        look(base, hi, window_first, first, [&](int k) {
            if constexpr (!USES_ROW) return int64(0);
            unsigned bits = starts.bits[k];
            int own = rank + __popc(bits & (FULL_WARP >> (31 - lane())));
            rank += __popc(bits);
            return own ? window_first + starts.rows[own - 1] : open_row;
        });
        if (USES_ROW && rank) open_row = window_first + starts.rows[rank - 1];
        __syncwarp();
    }
}

extern "C" __global__ void count_entries_kernel(GIVEN, int64* counts, unsigned* done, volatile int64* host) {
    __shared__ Starts starts[WARPS_OF_BLOCK];
    Given m = {indptr, indices, values, nrows, entries, thunk, places, {{mask_indptr, mask_indices}, mask_values}};
    int64 length = chunk_length(entries), chunks = (entries + length - 1) / length;
    for (int64 chunk = warp_in_grid(); chunk < chunks; chunk += warps_in_grid()) {
        int64 kept = 0;
        through_windows(m, chunk, USES_ROW, starts[threadIdx.x >> 5], [&](int64 base, int64 hi, int64, int64, auto row) {
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) {
                int64 entry = base + 32 * k + lane(), i = row(k);
                if (entry < hi) kept += keeps(m, entry, i);
            }
        });
        kept = warp_total(kept);
        if (lane() == 0) counts[chunk] = kept;
    }
    publish_offsets(counts, chunks, done, 0, host);
}

extern "C" __global__ void fill_entries_kernel(
    GIVEN, const int64* offsets, Offset* out_indptr, Column* out_indices, Stored* out_values
) {
    __shared__ Starts starts[WARPS_OF_BLOCK];
    __shared__ unsigned kept_of[WARPS_OF_BLOCK][ITEMS + 1], before_of[WARPS_OF_BLOCK][ITEMS + 1];
    Given m = {indptr, indices, values, nrows, entries, thunk, places, {{mask_indptr, mask_indices}, mask_values}};
    int64 length = chunk_length(entries), chunks = (entries + length - 1) / length;
    unsigned *kept = kept_of[threadIdx.x >> 5], *before = before_of[threadIdx.x >> 5];
    for (int64 chunk = warp_in_grid(); chunk < chunks; chunk += warps_in_grid()) {
        int64 place = offsets[chunk];
        through_windows(
            m, chunk, true, starts[threadIdx.x >> 5],
            [&](int64 base, int64 hi, int64 first, int64 end, auto row) {
                unsigned count = 0;
#pragma unroll
                for (int k = 0; k < ITEMS; ++k) {
                    int64 entry = base + 32 * k + lane(), i = row(k);
                    bool stays = entry < hi && keeps(m, entry, i);
                    unsigned all = __ballot_sync(FULL_WARP, stays);
                    if (stays) {
                        int64 to = place + count + __popc(all & ((1u << lane()) - 1));
                        out_indices[to] = RENAMED ? places[indices[entry]] : indices[entry];
                        if (!ISO) out_values[to] = values[entry];
                    }
                    if (lane() == 0) {
                        kept[k] = all;
                        before[k] = count;
                    }
                    count += __popc(all);
                }
                if (lane() == 0) {
                    kept[ITEMS] = 0;
                    before[ITEMS] = count;
                }
                __syncwarp();
                for (int64 own = first + lane(); own < end; own += 32) {
                    int at = int(int64(indptr[own]) - base);
                    out_indptr[own] = Offset(place + before[at >> 5] + __popc(kept[at >> 5] & ((1u << (at & 31)) - 1)));
                }
                place += count;
            }
        );
        if (chunk == chunks - 1 && lane() == 0) out_indptr[nrows] = Offset(place);
    }
}
