// push.sort: list every product that the mask allows with the number of its output, sort the list, and reduce each run of equal outputs
// (reduce_runs.cu). The result does not depend on timing: if values matter, the products of an output stay in the order of the frontier's
// entries. Generated besides the definitions for the headers: Key, an unsigned type for outputs.

#include "frontier.cuh"
#include "tiles.cuh"

constexpr bool ORDERED = MASKED && !STRUCTURE;  // open entries are counted first, so that they keep their order

// open[tile] = the number of open entries in earlier tiles of entries; *kept = their total, which the last block knows.
extern "C" __global__ void count_open_kernel(
    OPERANDS, const int64* list, const int64* device_count, int64 host_count, const int64* offsets, int64* open, int64* kept,
    unsigned* done
) {
    __shared__ int64 shared[32];
    Matrix m = {indptr, indices, matrix_values};
    Mask mask = {mask_present, mask_values};
    Frontier frontier = {list, counted(device_count, host_count)};
    int64 entries = offsets[frontier.count], tiles = (entries + EDGES_PER_TILE - 1) / EDGES_PER_TILE;
    for (int64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int64 count = 0, total;
        for_each_edge_of_tile(m, frontier, offsets, tile * EDGES_PER_TILE, entries, [&](const Edge& edge, bool inside) {
            count += inside && allowed(mask, m.indices[edge.entry]);
        });
        block_offset(count, total, shared);
        if (threadIdx.x == 0) open[tile] = total;
    }
    if (!last_block(done)) return;
    int64 all = add_up(open, tiles);
    if (threadIdx.x == 0) *kept = all;
}

// keys[] and, where values matter, products[]; *kept is their number.
DEVICE void gather(
    Matrix m, Vector u, Mask mask, Frontier frontier, const int64* offsets, const int64* open, Key* keys,
    Value* products, int64* kept
) {
    __shared__ int64 shared[32], appended;
    int64 entries = offsets[frontier.count];
    if (!MASKED && thread_in_grid() == 0) *kept = entries;
    for (int64 tile = blockIdx.x; tile * EDGES_PER_TILE < entries; tile += gridDim.x) {
        int64 before = ORDERED ? open[tile] : 0;
        for_each_edge_of_tile(m, frontier, offsets, tile * EDGES_PER_TILE, entries, [&](const Edge& edge, bool inside) {
            int64 i = inside ? int64(m.indices[edge.entry]) : 0, place = edge.number, total;
            bool wanted = inside && allowed(mask, i);
            if constexpr (MASKED) {
                place = before + block_offset(wanted, total, shared);
                before += total;
                if constexpr (!ORDERED) {
                    if (threadIdx.x == 0) appended = int64(atomicAdd((uint64*)kept, uint64(total)));
                    __syncthreads();
                    place += appended - (before - total);
                }
            }
            if (!wanted) return;
            keys[place] = Key(i);
            if constexpr (!STRUCTURE) products[place] = product(m, u, i, edge.k, edge.entry, edge.element);
        });
    }
}

extern "C" __global__ void gather_kernel(
    OPERANDS, const int64* list, const int64* device_count, int64 host_count, const int64* offsets, const int64* open,
    Key* keys, Value* products, Value* single, int64* kept
) {
    Frontier frontier = {list, counted(device_count, host_count)};
    write_constant({indptr, indices, matrix_values}, {present, vector_values}, single);
    gather(GIVEN, frontier, offsets, open, keys, products, kept);
}

DEVICE bool starts_run(const Key* keys, int64 place) { return place == 0 || keys[place - 1] != keys[place]; }

extern "C" __global__ void count_runs_kernel(const Key* keys, const int64* kept, int64* tile_sums) {
    sum_tiles(*kept, tile_sums, [&](int64 place) { return int64(starts_run(keys, place)); });
}

// The outputs, the begin of each run, and its value if any product is the result.
extern "C" __global__ void list_runs_kernel(
    const Key* keys, const Value* products, const int64* kept, const int64* tile_sums, int64* out_list,
    Value* out_values, int64* starts, int64* count
) {
    with_offsets(
        *kept, tile_sums, count, [&](int64 place) { return int64(starts_run(keys, place)); },
        [&](int64 place, int64 run, int64 first) {
            if (!first) return;
            out_list[run] = int64(keys[place]);
            if constexpr (EXIT_AT_FIRST && !STRUCTURE) out_values[run] = products[place];
            else if constexpr (!STRUCTURE) starts[run] = place;
        }
    );
}
