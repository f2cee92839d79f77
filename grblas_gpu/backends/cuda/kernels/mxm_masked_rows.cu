// mxm.gustavson inside of a mask: row i of the mask becomes a table in shared memory with a sum for every entry, and the
// products of row i are looked up there; but where a row of the right factor is far longer than the mask's, the mask's
// entries are searched in it. One pass, and nothing to count: the result has its places in the mask. A warp takes a row of
// the mask that is short and has few products, a block any other, in pieces if it is very long.
// Generated: what mxm_rows.cuh needs, and COUNTS (all products are 1, and adding them up is counting).

#include "mxm_lookup.cuh"
#include "mxm_rows.cuh"
#include "thread_groups.cuh"

constexpr int WARP_ROW = 128;              // entries of a row of the mask in the table of a warp
constexpr int BLOCK_ROW = sizeof(MaskColumn) == 8 ? 1024 : 2048;  // and of a block
constexpr int64 WARP_PRODUCTS = 1 << 14;   // a row with more is for a block
constexpr int64 FAR_LONGER = 16;           // times as long as the mask's row, so that to search is better
constexpr int ALONE = 8;                   // entries of the mask that a thread searches alone
constexpr int WARPS = 8;                   // of a block, at most
constexpr int SPARSE = 2, FILTER = 8;      // slots for every entry, bits for every slot
using MaskLookup = Lookup<MaskColumn, true, SPARSE, FILTER>;
using Total = either<COUNTS, unsigned, Word>;  // a number of products, where adding them up is counting
enum Counter { WARP_ITEMS, BLOCK_ITEMS, NEXT_FOR_WARP, NEXT_FOR_BLOCK };

// The longest row of the right factor that is looked up in a row of the mask entry by entry.
DEVICE int64 most_looked_up(int64 mask_length) { return FAR_LONGER * mask_length + WIDE_ROW; }

// list = rows for warps from the front, rows for blocks from the back.
extern "C" __global__ void list_masked_kernel(
    const int64* products, const LeftOffset* a_indptr, const MaskOffset* mask_indptr, int64 nrows, int64* list,
    int64* counters
) {
    for (int64 base = warp_in_grid() * 32; base < nrows; base += warps_in_grid() * 32) {
        int64 i = base + lane(), length = i < nrows ? int64(mask_indptr[i + 1]) - int64(mask_indptr[i]) : 0;
        bool any = length > 0 && products[i] > 0;
        bool by_block = any && length > WARP_ROW;
        if (any && products[i] > WARP_PRODUCTS)
            by_block |= int64(a_indptr[i + 1] - a_indptr[i]) * most_looked_up(length) > WARP_PRODUCTS;
        int64 place = place_in_list(counters + WARP_ITEMS, any && !by_block);
        if (any && !by_block) list[place] = i;
        place = place_in_list(counters + BLOCK_ITEMS, by_block);
        if (by_block) list[nrows - 1 - place] = i;
    }
}

struct Sums {
    Total* words;
    unsigned* found;  // bits; not where products are counted
};

// use(k, p, q, t) where entry t of the mask's row is entry q of a row of the right factor that has more than `most` entries.
template <class Group, class Use>
DEVICE void search_long_rows(
    const Operands& given, int64 i, int64 start, int length, int64 most, Use use
) {
    int64 stop = given.a.indptr[i + 1];
    for (int64 first = int64(given.a.indptr[i]) + (Group::rank() >> 5 << 5); first < stop; first += Group::size()) {
        int64 p = first + lane(), k = 0, begin = 0, end = 0;
        if (p < stop) {
            k = given.a.indices[p];
            begin = given.b.indptr[k];
            end = given.b.indptr[k + 1];
        }
        auto search = [&](int64 inner, int64 entry, int64 from, int64 to, int t) {
            if (!counts(given.mask, start + t)) return;
            int64 j = given.mask.rows.indices[start + t], q = lower_bound(given.b.indices, from, to, j);
            if (q < to && given.b.indices[q] == j) use(inner, entry, q, t);
        };
        bool is_long = end - begin > most;
        if (is_long && length <= ALONE)
            for (int t = 0; t < length; ++t) search(k, p, begin, end, t);
        for (unsigned open = __ballot_sync(FULL_WARP, is_long && length > ALONE); open; open &= open - 1) {
            int owner = __ffs(open) - 1;
            int64 inner = from_lane(k, owner), from = from_lane(begin, owner), to = from_lane(end, owner);
            for (int t = lane(); t < length; t += 32) search(inner, first + owner, from, to, t);
        }
    }
}

// Some entries of row i of the mask, from `start` on.
template <class Group>
DEVICE void add_row(
    const Operands& given, int64 i, int64 start, int length,
    MaskLookup& lookup, const Sums& sums, bool* present, Value* out_values
) {
    for (int t = Group::rank(); t < length; t += Group::size()) {
        if constexpr (COUNTS) sums.words[t] = 0;
        else if constexpr (ADDS) sums.words[t] = to_word(initial());
        if (!(t & 31)) sums.found[t >> 5] = 0;
    }
    lookup.build<Group>(given.mask.rows.indices + start, length, [&](int t) { return counts(given.mask, start + t); });
    auto add = [&](int64 k, int64 p, int64 q, int t) {
        if constexpr (COUNTS) {
            atomicAdd(sums.words + t, Total(1));
            return;
        }
        unsigned bit = 1u << (t & 31);
        if (!(((volatile unsigned*)sums.found)[t >> 5] & bit)) atomicOr(sums.found + (t >> 5), bit);
        int64 j = given.b.indices[q];
        if constexpr (ADDS && !COUNTS) add_atomically((Word*)sums.words + t, product(given.values, i, k, j, p, q));
        else if constexpr (!STRUCTURE && !COUNTS) sums.words[t] = to_word(product(given.values, i, k, j, p, q));
    };
    int64 most = most_looked_up(length);
    auto look_up = [&](int64 k, int64 p, int64 q) {
        int t = lookup.find(MaskColumn(given.b.indices[q]));
        if (t >= 0) add(k, p, q, t);
    };
    if constexpr (same_type<Group, WarpGroup>) share_row_by_warp(given, i, most, look_up);
    else share_products(given, i, look_up, most);
    search_long_rows<Group>(given, i, start, length, most, add);
    Group::sync();
    for (int t = Group::rank(); t < length; t += Group::size()) {
        bool found = COUNTS ? sums.words[t] > 0 : bool(sums.found[t >> 5] >> (t & 31) & 1);
        present[start + t] = found;
        if (!found) continue;
        if constexpr (COUNTS) out_values[start + t] = Value(sums.words[t]);
        else if constexpr (!STRUCTURE) out_values[start + t] = from_word(sums.words[t]);
    }
    Group::sync();  // the table is free again
}

#define GIVEN OPERANDS, int64 nrows, const int64 *list, int64 *counters, bool *present, Value *out_values

extern "C" __global__ void __launch_bounds__(256) masked_by_warp_kernel(GIVEN) {
    __shared__ MaskColumn keys[WARPS][SPARSE * WARP_ROW];
    __shared__ uint16 places[WARPS][SPARSE * WARP_ROW];
    __shared__ unsigned filter[WARPS][SPARSE * WARP_ROW * FILTER / 32];
    __shared__ Total words[WARPS][STRUCTURE ? 1 : WARP_ROW];
    __shared__ unsigned found[WARPS][WARP_ROW / 32];
    MAKE_OPERANDS
    write_constant(given.values, out_values);
    int warp = threadIdx.x >> 5;
    MaskLookup lookup = {keys[warp], places[warp], filter[warp], 5};
    for (int64 n = WarpGroup::ticket(counters + NEXT_FOR_WARP, 1); n < counters[WARP_ITEMS];
         n = WarpGroup::ticket(counters + NEXT_FOR_WARP, 1)) {
        int64 i = list[n], start = mask_indptr[i];
        int length = int(int64(mask_indptr[i + 1]) - start);
        add_row<WarpGroup>(given, i, start, length, lookup, {words[warp], found[warp]}, present, out_values);
    }
}

extern "C" __global__ void __launch_bounds__(256) masked_by_block_kernel(GIVEN) {
    __shared__ MaskColumn keys[SPARSE * BLOCK_ROW];
    __shared__ uint16 places[SPARSE * BLOCK_ROW];
    __shared__ unsigned filter[SPARSE * BLOCK_ROW * FILTER / 32];
    __shared__ Total words[STRUCTURE ? 1 : BLOCK_ROW];
    __shared__ unsigned found[BLOCK_ROW / 32];
    MAKE_OPERANDS
    MaskLookup lookup = {keys, places, filter, 5};
    for (int64 n = BlockGroup::ticket(counters + NEXT_FOR_BLOCK, 1); n < counters[BLOCK_ITEMS];
         n = BlockGroup::ticket(counters + NEXT_FOR_BLOCK, 1)) {
        int64 i = list[nrows - 1 - n], stop = mask_indptr[i + 1];
        for (int64 start = mask_indptr[i]; start < stop; start += BLOCK_ROW) {
            int length = int(stop - start < BLOCK_ROW ? stop - start : BLOCK_ROW);
            add_row<BlockGroup>(given, i, start, length, lookup, {words, found}, present, out_values);
        }
    }
}
