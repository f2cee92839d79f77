// push.sort: list every product that the mask allows with the number of its output, sort the list, and reduce each run of equal outputs
// (reduce_runs.cu). The result does not depend on timing: if values matter, the products of an output stay in the order of the frontier's
// entries. Generated besides the definitions for the headers: Key, an unsigned type for outputs.

#include "frontier.cuh"
#include "tiles.cuh"

constexpr bool ORDERED = MASKED && !STRUCTURE;  // open entries are counted first, so that they keep their order

// For each tile of entries, the number of open ones.
DEVICE void count_open(Matrix m, Mask mask, Frontier frontier, const int64* offsets, int64* open) {
    __shared__ int64 shared[32];
    int64 entries = offsets[frontier.count];
    for (int64 tile = blockIdx.x; tile * EDGES_PER_TILE < entries; tile += gridDim.x) {
        int64 count = 0, total;
        for_each_edge_of_tile(m, frontier, offsets, tile * EDGES_PER_TILE, entries, [&](const Edge& edge, bool inside) {
            count += inside && allowed(mask, m.indices[edge.entry]);
        });
        block_offset(count, total, shared);
        if (threadIdx.x == 0) open[tile] = total;
    }
}

extern "C" __global__ void count_open_kernel(
    OPERANDS, const int64* list, const int64* device_count, int64 host_count, const int64* offsets, int64* open
) {
    Frontier frontier = {list, counted(device_count, host_count)};
    count_open({indptr, indices, matrix_values}, {mask_present, mask_values}, frontier, offsets, open);
}

DEVICE int64 tiles_of(const Frontier& frontier, const int64* offsets) {
    return (offsets[frontier.count] + EDGES_PER_TILE - 1) / EDGES_PER_TILE;
}

// open[tile] = the number of open entries in earlier tiles, in two passes; *kept = their total.
extern "C" __global__ void sum_open_kernel(
    const int64* list, const int64* device_count, int64 host_count, const int64* offsets, const int64* open,
    int64* tile_sums
) {
    Frontier frontier = {list, counted(device_count, host_count)};
    sum_tiles(tiles_of(frontier, offsets), tile_sums, [&](int64 tile) { return open[tile]; });
}
extern "C" __global__ void add_up_open_kernel(
    const int64* list, const int64* device_count, int64 host_count, const int64* offsets, const int64* tile_sums,
    int64* open, int64* kept
) {
    Frontier frontier = {list, counted(device_count, host_count)};
    with_offsets(
        tiles_of(frontier, offsets), tile_sums, kept, [&](int64 tile) { return open[tile]; },
        [&](int64 tile, int64 before, int64) { open[tile] = before; }
    );
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
