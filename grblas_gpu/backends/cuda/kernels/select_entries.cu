// The entries of a matrix for which op(x, i, j, thunk) is true and the mask is open: each warp stores bits of the entries that its chunk
// keeps, and then writes them, so that masks are searched once. Generated: Offset, Column, Stored, Left, Thunk, op, the mask, and
//   SELECT     there is an operator (otherwise the mask alone decides)
//   USES_ROW   the operator or the mask reads the row
//   READS      the operator reads values
//   RENAMED    columns have places, and those with a negative one are left out
//   FLAGGED    entries have flags, which alone decide
//   MATCHING   op gets a value of the row, and what it returns is compared with a value of the column: types Near and Far

#include "matrix_mask.cuh"
#include "tiles.cuh"
#include "row_starts.cuh"

struct Given {
    const Offset* indptr;
    const Column* indices;
    const Stored* values;
    int64 each, nrows, entries;  // each: 0 if one value stands for all
    Thunk thunk;
    const Column* places;
    const bool* flags;
    const Near* near;  // of rows
    const Far* far;    // of columns
    const bool *near_flags, *far_flags;  // null if all have a value
    Mask mask;
};
#define GIVEN                                                                                                 \
    const Offset *indptr, const Column *indices, const Stored *values, int64 each, int64 nrows, int64 entries,   \
        Thunk thunk, const Column *places, const bool *flags, const Near *near, const Far *far,                      \
        const bool *near_flags, const bool *far_flags, const MaskOffset *mask_indptr, const MaskColumn *mask_indices, \
        const MaskValue *mask_values

// The entries of a lane in a window, all in flight together.
struct Window {
    Column columns[ITEMS];
    Stored stored[ITEMS];
    bool flags[ITEMS];

    DEVICE void load(const Given& m, int64 base, int64 hi) {
        UNROLLED for (int k = 0; k < ITEMS; ++k) {
            int64 entry = base + 32 * k + lane();
            if (entry >= hi) continue;
            if constexpr (FLAGGED) {
                flags[k] = m.flags[entry];
            } else {
                columns[k] = m.indices[entry];
                if constexpr (READS) stored[k] = m.values[entry * m.each];
            }
        }
    }
};

// A template: code that is left out need not compile for records.
template <class Matrix, class Entries> DEVICE bool keeps(const Matrix& m, const Entries& window, int k, int64 i) {
    if constexpr (FLAGGED) return window.flags[k];
    bool kept = true;
    int64 j = window.columns[k];
    if constexpr (SELECT) kept = cast<bool>(op(READS ? cast<Left>(window.stored[k]) : Left(), i, j, m.thunk));
    if constexpr (RENAMED) kept = m.places[j] >= 0;
    if constexpr (MATCHING) {
        Thunk entry = Thunk();
        if constexpr (READS) entry = cast<Thunk>(window.stored[k]);
        kept = !m.near_flags || m.near_flags[i];
        kept = kept && cast<Far>(op(cast<Left>(m.near[i]), i, j, entry)) == m.far[j];
        kept = kept && (!m.far_flags || m.far_flags[j]);  // read of few entries only
    }
    if constexpr (MASK != EVERYWHERE) kept = kept && allowed(m.mask, i, j);
    return kept;
}

// row(k) for k = 0, 1, ...: the row of entry 32 k and lane() of a window.
struct RowsOfWindow {
    const Starts& starts;
    int64 first, open;  // that starts in the window, and before it
    int rank;           // of rows that have started so far
    DEVICE int64 operator()(int k) {
        if constexpr (!USES_ROW) return 0;
        unsigned bits = starts.bits[k];
        int own = rank + __popc(bits & (FULL_WARP >> (31 - lane())));
        rank += __popc(bits);
        return own ? first + starts.rows[own - 1] : open;
    }
};

// The windows of a chunk. look(window, base, hi, rows): rows(k) is the row of entry base + 32 k + lane(), called with k = 0, 1, ... in
// this order.
template <class Look> DEVICE void for_each_window(const Given& m, int64 chunk, Starts& starts, Look look) {
    int64 length = chunk_length(m.entries);
    int64 lo = chunk * length, hi = lo + length < m.entries ? lo + length : m.entries;
    int64 first = USES_ROW ? first_row_at(m.indptr, m.nrows, lo) : 0, open_row = first - 1;
    for (int64 base = lo; base < hi; base += WINDOW) {
        int64 window_first = first;
        Window window;
        window.load(m, base, hi);
        if (USES_ROW) list_starts(m.indptr, m.nrows, first, base, hi, starts);
        RowsOfWindow row = {starts, window_first, open_row, 0};
        look(window, base, hi, row);
        if (USES_ROW && row.rank) open_row = window_first + starts.rows[row.rank - 1];
        __syncwarp();
    }
}

// The data that counting leaves for filling: a bit for every kept entry, in words, and the number of bits before each word in its chunk.
// There are fewer than 2^32 words: the indices of more entries would not fit into memory.
template <class Words> struct Kept {
    Words bits, before;
    int64 words;

    DEVICE Kept(Words given, int64 entries) : bits(given), words((entries + 31) >> 5) { before = bits + words; }
};

// counts[chunk] = the number of kept entries of the chunk, in the end the sum over earlier chunks.
extern "C" __global__ void __launch_bounds__(256, 4) count_entries_kernel(
    GIVEN, unsigned* marks, int64* counts, unsigned* done, volatile int64* host
) {
    __shared__ Starts starts[WARPS_OF_BLOCK];
    Given m = {indptr, indices, values, each, nrows, entries, thunk, places, flags, near, far, near_flags, far_flags,
               {{mask_indptr, mask_indices}, mask_values}};
    Kept<unsigned*> kept(marks, entries);
    int64 length = chunk_length(entries), chunks = (entries + length - 1) / length;
    for (int64 chunk = warp_in_grid(); chunk < chunks; chunk += warps_in_grid()) {
        unsigned count = 0;
        auto look = [&](const Window& window, int64 base, int64 hi, RowsOfWindow& row) {
            unsigned word = 0, before = 0;
            UNROLLED for (int k = 0; k < ITEMS; ++k) {
                int64 i = row(k);
                bool stays = base + 32 * k + lane() < hi && keeps(m, window, k, i);
                unsigned all = __ballot_sync(FULL_WARP, stays);
                if (lane() == k) {
                    word = all;
                    before = count;
                }
                count += __popc(all);
            }
            if (lane() < ITEMS && base + 32 * lane() < hi) {
                kept.bits[(base >> 5) + lane()] = word;
                kept.before[(base >> 5) + lane()] = before;
            }
        };
        for_each_window(m, chunk, starts[threadIdx.x >> 5], look);
        if (lane() == 0) counts[chunk] = count;
    }
    publish_offsets(counts, chunks, done, 0, host);
}

// Warps take windows of entries, and threads take rows: where they start among the `total` kept entries.
extern "C" __global__ void __launch_bounds__(256, 4) fill_entries_kernel(
    GIVEN, const unsigned* marks, const int64* offsets, int64 total, Offset* out_indptr, Column* out_indices, Stored* out_values
) {
    Kept<const unsigned*> kept(marks, entries);
    unsigned words_of_chunk = unsigned(chunk_length(entries) >> 5);
    for (int64 base = warp_in_grid() * WINDOW; base < entries; base += warps_in_grid() * WINDOW) {
        int64 word = (base >> 5) + lane();
        bool own = lane() < ITEMS && word < kept.words;
        unsigned bits = own ? kept.bits[word] : 0, before = own ? kept.before[word] : 0;
        int64 place = offsets[unsigned(base >> 5) / words_of_chunk];
        Column columns[ITEMS];
        Stored stored[ITEMS];
        UNROLLED for (int k = 0; k < ITEMS; ++k) {  // loads of kept entries are in flight together, and no others are issued
            if (!(from_lane(bits, k) >> lane() & 1)) continue;
            columns[k] = indices[base + 32 * k + lane()];
            if (each) stored[k] = values[base + 32 * k + lane()];
        }
        UNROLLED for (int k = 0; k < ITEMS; ++k) {
            unsigned all = from_lane(bits, k);
            int64 to = place + from_lane(before, k) + __popc(all & ((1u << lane()) - 1));
            if (!(all >> lane() & 1)) continue;
            out_indices[to] = RENAMED ? places[columns[k]] : columns[k];
            if (each) out_values[to] = stored[k];
        }
    }
    UNROLLED_BY(2) for (int64 row = thread_in_grid(); row <= nrows; row += threads_in_grid()) {
        int64 start = indptr[row], place = total;
        if (start < entries) {
            unsigned word = unsigned(start >> 5), lower = kept.bits[word] & ((1u << (start & 31)) - 1);
            place = offsets[word / words_of_chunk] + kept.before[word] + __popc(lower);
        }
        out_indptr[row] = Offset(place);
    }
}
