// mxm.bits: a sparse matrix times a dense one of which only the pattern matters, 64 columns at a time. A word of the result is the
// union of the words that its row leads to, until every column that the mask leaves open is in it. Generated: Offset, Column, MASK, and
//   ROW_PART  entries of a long row that a warp gets at a time
//
// A thread begins a row, its warp goes on with what is left, and of long rows all warps get parts.

#include "bit_words.cuh"

constexpr int PROBES = 8, BATCH = 4;

struct Union {
    const Column* indices;
    const uint64* words;
    int64 width;
    DEVICE uint64 word(int64 entry, int64 w) const { return words[int64(indices[entry]) * width + w]; }
};

// Entries of a row by a whole warp.
DEVICE uint64 warp_row(const Union& all, int64 start, int64 stop, int64 w, uint64 wanted) {
    uint64 found = 0;
    for (int64 base = start; base < stop && (found & wanted) != wanted; base += 32 * BATCH) {
        uint64 own = 0;
        UNROLLED for (int n = 0; n < BATCH; ++n) {
            int64 entry = base + 32 * n + lane();
            if (entry < stop) own |= all.word(entry, w);
        }
        found |= warp_union(own);
    }
    return found;
}

extern "C" __global__ void bits_rows_kernel(
    const Offset* indptr, const Column* indices, const uint64* words, const uint64* mask, int64 nrows, int64 columns,
    int64 width, uint64* out, int64* part_words, int64* part_starts, int64* parts
) {
    Union all = {indices, words, width};
    int64 groups = (nrows + 31) / 32;
    for (int64 item = warp_in_grid(); item < groups * width; item += warps_in_grid()) {
        int64 w = item / groups, row = (item - w * groups) * 32 + lane(), at = row * width + w;
        bool there = row < nrows;
        uint64 wanted = there ? open_columns(mask, at, all_columns(columns, w)) : 0, found = 0;
        int64 start = 0, stop = 0;
        if (wanted) {
            start = indptr[row];
            stop = indptr[row + 1];
        }
        for (int probe = 0; probe < PROBES && start < stop && (found & wanted) != wanted; probe += BATCH, start += BATCH) {
            UNROLLED for (int n = 0; n < BATCH; ++n)
                if (start + n < stop) found |= all.word(start + n, w);
        }
        bool open = start < stop && (found & wanted) != wanted;
        if (open && stop - start > ROW_PART) {
            int64 count = (stop - start + ROW_PART - 1) / ROW_PART, place = add_alone(parts, count);
            for (int64 part = 0; part < count; ++part) {
                part_words[place + part] = at;
                part_starts[place + part] = start + part * ROW_PART;
            }
            open = false;
        }
        unsigned left = __ballot_sync(FULL_WARP, open);
        while (left) {
            int owner = __ffs(left) - 1;
            left &= left - 1;
            uint64 more = from_lane(wanted & ~found, owner);
            more = warp_row(all, from_lane(start, owner), from_lane(stop, owner), w, more);
            if (lane() == owner) found |= more;
        }
        if (there) out[at] = found & wanted;
    }
}

extern "C" __global__ void bits_parts_kernel(
    const Offset* indptr, const Column* indices, const uint64* words, const uint64* mask, int64 columns, int64 width,
    uint64* out, const int64* part_words, const int64* part_starts, const int64* parts
) {
    Union all = {indices, words, width};
    for (int64 part = warp_in_grid(); part < *parts; part += warps_in_grid()) {
        int64 at = part_words[part], row = at / width, w = at - row * width;
        int64 start = part_starts[part], end = indptr[row + 1], stop = start + ROW_PART < end ? start + ROW_PART : end;
        uint64 wanted = open_columns(mask, at, all_columns(columns, w)) & ~*(volatile uint64*)(out + at);
        uint64 found = warp_row(all, start, stop, w, from_lane(wanted, 0)) & wanted;
        if (lane() == 0 && found) atomicOr(out + at, found);
    }
}
