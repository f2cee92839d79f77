// The entries of a matrix for which op(x, i, j, thunk) is true, and that a mask lets through: each warp notes in bits what
// its chunk keeps, and then writes it, so that masks are searched once. Generated: Offset, Column, Stored, Left, Thunk, op, the mask, and
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

// The entries of a window that a lane has, all of them in flight together.
struct Window {
    Column columns[ITEMS];
    Stored stored[ITEMS];

    DEVICE void load(const Given& m, int64 base, int64 hi) {
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            int64 entry = base + 32 * k + lane();
            if (entry >= hi) continue;
            columns[k] = m.indices[entry];
            stored[k] = m.values[ISO ? 0 : entry];
        }
    }
};

DEVICE bool keeps(const Given& m, const Window& window, int k, int64 i) {
    bool kept = true;
    int64 j = window.columns[k];
    if constexpr (SELECT) kept = cast<bool>(op(cast<Left>(window.stored[k]), i, j, m.thunk));
    if constexpr (RENAMED) kept = m.places[j] >= 0;
    if constexpr (MASK != EVERYWHERE) kept = kept && allowed(m.mask, i, j);
    return kept;
}

// The windows of a chunk, with the rows that start there where somebody asks. look(window, base, hi, first, end, rows): these
// rows are from first to end, and rows(k) is that of entry base + 32 k + lane(); calls with k = 0, 1, ... only.
template <bool WITH_ROWS, class Look> DEVICE void for_each_window(const Given& m, int64 chunk, Starts& starts, Look look) {
    int64 length = chunk_length(m.entries);
    int64 lo = chunk * length, hi = lo + length < m.entries ? lo + length : m.entries;
    int64 first = WITH_ROWS ? first_row_at(m.indptr, m.nrows, lo) : 0, open_row = first - 1;
    for (int64 base = lo; base < hi; base += WINDOW) {
        int64 window_first = first;
        Window window;
        window.load(m, base, hi);
        if (WITH_ROWS)
            list_starts(m.indptr, m.nrows, first, base, end_for_rows(base, hi, m.entries), starts, [](int64, bool) {});
        int rank = 0;
        look(window, base, hi, window_first, first, [&](int k) {
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

// A bit for every entry that stays, and counts[chunk] = how many of the chunk do, in the end of those before.
extern "C" __global__ void __launch_bounds__(256, 4) count_entries_kernel(
    GIVEN, unsigned* kept, int64* counts, unsigned* done, volatile int64* host
) {
    __shared__ Starts starts[WARPS_OF_BLOCK];
    Given m = {indptr, indices, values, nrows, entries, thunk, places, {{mask_indptr, mask_indices}, mask_values}};
    int64 length = chunk_length(entries), chunks = (entries + length - 1) / length;
    for (int64 chunk = warp_in_grid(); chunk < chunks; chunk += warps_in_grid()) {
        int64 count = 0;
        auto look = [&](const Window& window, int64 base, int64 hi, int64, int64, auto row) {
            unsigned word = 0;
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) {
                int64 i = row(k);
                bool stays = base + 32 * k + lane() < hi && keeps(m, window, k, i);
                unsigned all = __ballot_sync(FULL_WARP, stays);
                if (lane() == k) word = all;
                count += __popc(all);
            }
            if (lane() < ITEMS && base + 32 * lane() < hi) kept[(base >> 5) + lane()] = word;
        };
        for_each_window<USES_ROW>(m, chunk, starts[threadIdx.x >> 5], look);
        if (lane() == 0) counts[chunk] = count;
    }
    publish_offsets(counts, chunks, done, 0, host);
}

extern "C" __global__ void __launch_bounds__(256, 4) fill_entries_kernel(
    GIVEN, const unsigned* kept, const int64* offsets, Offset* out_indptr, Column* out_indices, Stored* out_values
) {
    __shared__ Starts starts[WARPS_OF_BLOCK];
    __shared__ unsigned kept_of[WARPS_OF_BLOCK][ITEMS + 1], before_of[WARPS_OF_BLOCK][ITEMS + 1];
    Given m = {indptr, indices, values, nrows, entries, thunk, places, {{mask_indptr, mask_indices}, mask_values}};
    int64 length = chunk_length(entries), chunks = (entries + length - 1) / length;
    unsigned *own_kept = kept_of[threadIdx.x >> 5], *own_before = before_of[threadIdx.x >> 5];
    for (int64 chunk = warp_in_grid(); chunk < chunks; chunk += warps_in_grid()) {
        int64 place = offsets[chunk];
        auto look = [&](const Window& window, int64 base, int64 hi, int64 first, int64 end, auto) {
            unsigned word = lane() < ITEMS && base + 32 * lane() < hi ? kept[(base >> 5) + lane()] : 0;
            unsigned before = __popc(word);  // up to this word, then before it
#pragma unroll
            for (int distance = 1; distance <= ITEMS; distance <<= 1) {
                unsigned lower = from_lower(before, distance);
                if (lane() >= distance) before += lower;
            }
            before -= __popc(word);
            if (lane() <= ITEMS) {
                own_kept[lane()] = word;
                own_before[lane()] = before;
            }
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) {
                unsigned all = from_lane(word, k);
                int64 to = place + from_lane(before, k) + __popc(all & ((1u << lane()) - 1));
                if (!(all >> lane() & 1)) continue;
                out_indices[to] = RENAMED ? places[window.columns[k]] : window.columns[k];
                if (!ISO) out_values[to] = window.stored[k];
            }
            __syncwarp();
            for (int64 own = first + lane(); own < end; own += 32) {
                int at = int(int64(indptr[own]) - base);
                unsigned lower = own_kept[at >> 5] & ((1u << (at & 31)) - 1);
                out_indptr[own] = Offset(place + own_before[at >> 5] + __popc(lower));
            }
            place += from_lane(before, ITEMS);
        };
        for_each_window<true>(m, chunk, starts[threadIdx.x >> 5], look);
        if (chunk == chunks - 1 && lane() == 0) out_indptr[nrows] = Offset(place);
    }
}
