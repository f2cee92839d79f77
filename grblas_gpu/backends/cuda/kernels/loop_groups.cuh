// The heaviest groups of rows (groups.cuh) in a loop: they go into the other buffer of a vector, which is clean, and to its list. Included once
// for each step, inside a namespace with the definitions of groups.cuh.

#include "groups.cuh"

// A position of the result; `has` is false where a thread has none. All lanes of a warp call it together.
template <class S, class Next>
DEVICE void put(const S& out, int64 i, bool has, int64 group, int64* counters, Count<Next>& count) {
    int64 place = place_in_list(counters + LISTED_ENTRIES, has);
    if (!has) return;
    out.other_flags()[i] = true;
    out.other_values()[i] = group;
    if (place < out.capacity) out.other_list()[place] = i;
    count.add(i);
}

// The parts of a long row whose groups do not fit a table; each part goes to a block.
constexpr int64 LEAST_SLOTS = 1024;  // with fewer, there would be more parts than the list has room for
DEVICE int64 parts_of(const Graph& graph, int64 row, int64 slots) {
    int64 length = int64(graph.indptr[row + 1]) - int64(graph.indptr[row]), parts = 1;
    while (slots >= LEAST_SLOTS && parts * slots < 2 * length) parts *= 2;
    return parts;
}

// Rows in parts: the best group of each part first, behind the list of parts, then that of each row.
template <class S, class OnWrong, class Next>
DEVICE void overflowed_rows(
    const Graph& graph, const Table& table, int64 slots, const S& out, int64* counters, int64* parts, OnWrong on_wrong, Count<Next>& count
) {
    grid_barrier([&] { ::parts_left() = fresh(counters + ::PARTS); });
    int64 total = ::parts_left();
    if (total == 0) return;
    double* worths = (double*)parts + total;
    int64* groups = parts + 2 * total;
    for (int64 n = blockIdx.x; n < total; n += BLOCK_COUNT) {
        int64 row = parts[n] >> ::PART_BITS;
        Best best = elect<BlockGroup>(
            graph, row, table, unsigned(slots), on_wrong, nullptr, ::number_of(parts[n]), parts_of(graph, row, slots)
        );
        if (thread() == 0) worths[n] = best.worth, groups[n] = best.group;
    }
    grid_barrier([] {});
    for (int64 base = thread_in_grid() - lane(); base < total; base += threads_in_grid()) {
        int64 n = base + lane(), row = n < total ? parts[n] >> ::PART_BITS : 0;
        Best best = {0.0, -1};
        if (n < total && ::number_of(parts[n]) == 0)
            for (int64 k = 0; k < parts_of(graph, row, slots); ++k) best.see(worths[n + k], groups[n + k]);
        put(out, row, best.group >= 0, best.group, counters, count);
    }
}

// The rows of a list, or all that are `wanted`. The blocks take them in turns: threads take the short ones at once; longer ones wait for a
// warp, and still longer ones for the whole block. Rows that overflow its table are done by all blocks at the end.
template <class R, class S, class Next, class Wanted>
DEVICE void heaviest_groups(
    const Graph& graph, int64 longest, const R& rows, bool by_list, const S& out, const Next* next, int64* counters, int64* parts,
    const Wrong& wrong, Wanted wanted
) {
    __shared__ int64 waiting[BLOCK_THREADS];  // for warps from the front, for the block from the back
    __shared__ unsigned for_warps, for_block;
    int warps = int(blockDim.x >> 5), warp = int(thread() >> 5);
    int64 bytes = dynamic_bytes(), in_block = Table::slots_in(bytes), in_warp = Table::slots_in(bytes / warps);
    Table of_block = Table::at(dynamic_shared(), in_block);
    Table of_warp = Table::at((Sum*)dynamic_shared() + warp * (bytes / warps / int64(sizeof(Sum))), in_warp);
    auto on_wrong = [&] { wrong.note(); };
    Count<Next> count = {next, 0, 0};
    int64 items = by_list ? rows.count : graph.nrows;
    for (int64 base = 0; base * BLOCK_COUNT < items; base += blockDim.x) {
        __syncthreads();  // those of before are done
        if (thread() == 0) for_warps = for_block = 0;
        __syncthreads();
        int64 t = (base + thread()) * BLOCK_COUNT + blockIdx.x, i = 0, start = 0, length = 0;
        bool open = false;
        if (t < items) {
            i = by_list ? rows.list()[t] : t;
            open = by_list || wanted(i);
            if (open) {
                start = graph.indptr[i];
                length = int64(graph.indptr[i + 1]) - start;
            }
        }
        Best best = {0.0, -1};
        if (length > ALONE) {
            if (2 * length <= in_warp) waiting[atomicAdd(&for_warps, 1u)] = i;
            else waiting[BLOCK_THREADS - 1 - atomicAdd(&for_block, 1u)] = i;
        } else if (open && (length > 0 || DIAGONAL_GIVEN) && !alone(graph, i, start, int(length), best)) {
            wrong.note();
        }
        put(out, i, best.group >= 0, best.group, counters, count);
        __syncthreads();
        for (int n = warp; n < int(for_warps); n += warps) {
            best = elect<WarpGroup>(graph, waiting[n], of_warp, unsigned(in_warp), on_wrong);
            put(out, waiting[n], lane() == 0 && best.group >= 0, best.group, counters, count);
        }
        __syncthreads();
        for (int n = 0; n < int(for_block); ++n) {
            int64 row = waiting[BLOCK_THREADS - 1 - n];
            int64 in_parts = parts_of(graph, row, in_block);
            bool overflows = false;
            best = elect<BlockGroup>(graph, row, of_block, unsigned(in_block), on_wrong, in_parts > 1 ? &overflows : nullptr);
            if (overflows && thread() == 0) ::put_parts(parts, counters + ::PARTS, row, in_parts);
            if (warp == 0) put(out, row, lane() == 0 && best.group >= 0, best.group, counters, count);
        }
    }
    if (2 * longest > in_block) overflowed_rows(graph, of_block, in_block, out, counters, parts, on_wrong, count);
    count.publish_edges(counters);
}
