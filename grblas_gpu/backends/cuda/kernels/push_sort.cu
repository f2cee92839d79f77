// push.sort: list every product by its output, sort, and add up each run of equal outputs. Nothing depends on timing.
// The products of a masked output have the key `size`, which sorts behind all others.
//   PACKED  a sorted word is the key above 32 bits that say where its product is (otherwise two arrays say so)

#include "frontier.cuh"
#include "tiles.cuh"

extern "C" __global__ void gather_kernel(
    OPERANDS, const int64* list, const int64* device_count, int64 host_count, const int64* offsets, int64 size,
    Key* keys, Value* products, Value* single
) {
    Matrix m = {indptr, indices, matrix_values};
    Vector u = {present, vector_values};
    Mask mask = {mask_present, mask_values};
    Frontier frontier = {list, counted(device_count, host_count)};
    write_constant(m, u, single);
    for_each_edge(m, frontier, offsets, [&](const Edge& edge, bool inside) {
        if (!inside) return;
        int64 i = m.indices[edge.entry];
        bool open = allowed(mask, i);
        int64 key = open ? i : size;
        keys[edge.number] = PACKED ? Key(uint64(key) << 32 | uint64(edge.number)) : Key(key);
        if constexpr (!STRUCTURE)
            if (open) products[edge.number] = product(m, u, i, edge.k, edge.entry, edge.element);
    });
}

DEVICE int64 key_at(const Key* keys, int64 place) { return PACKED ? int64(uint64(keys[place]) >> 32) : int64(keys[place]); }

DEVICE bool starts_run(const Key* keys, int64 place, int64 size) {
    int64 key = key_at(keys, place);
    return key < size && (place == 0 || key_at(keys, place - 1) != key);
}

extern "C" __global__ void count_runs_kernel(const Key* keys, int64 edges, int64 size, int64* tile_sums) {
    sum_tiles(edges, tile_sums, [&](int64 place) { return int64(starts_run(keys, place, size)); });
}

extern "C" __global__ void list_runs_kernel(
    const Key* keys, int64 edges, int64 size, const int64* tile_sums, int64* starts, int64* count
) {
    with_offsets(
        edges, tile_sums, count, [&](int64 place) { return int64(starts_run(keys, place, size)); },
        [&](int64 place, int64 run, int64 first) {
            if (first) starts[run] = place;
        }
    );
}

DEVICE Value product_at(const Key* keys, const int64* order, const Value* products, int64 place) {
    return products[PACKED ? int64(uint64(keys[place]) & 0xffffffffu) : order[place]];
}

// Eight products by a thread, more by its warp; the order in which a run is added up depends on its length only.
extern "C" __global__ void add_runs_kernel(
    const Key* keys, const int64* order, const Value* products, int64 edges, int64 size, const int64* starts,
    const int64* device_count, int64 host_count, int64* out_list, Value* out_values
) {
    constexpr int64 ALONE = 8;
    int64 count = counted(device_count, host_count);
    for (int64 base = warp_in_grid() * 32; base < count; base += warps_in_grid() * 32) {
        int64 run = base + lane(), start = 0, stop = 0;
        if (run < count) {
            start = starts[run];
            out_list[run] = key_at(keys, start);
            if (run + 1 < count) {
                stop = starts[run + 1];
            } else {  // behind the last run come the masked products
                int64 lo = start, hi = edges;
                while (lo < hi) {
                    int64 middle = (lo + hi) >> 1;
                    if (key_at(keys, middle) < size) lo = middle + 1;
                    else hi = middle;
                }
                stop = lo;
            }
        }
        if constexpr (STRUCTURE) continue;
        Value sum = Value(0);
        int64 place = start;
        if (place < stop) sum = product_at(keys, order, products, place++);
        if constexpr (EXIT_AT_FIRST) place = stop;
        for (; place < stop && place < start + ALONE; ++place) sum = add(sum, product_at(keys, order, products, place));
        unsigned open = __ballot_sync(FULL_WARP, place < stop);
        while (open) {
            int owner = __ffs(open) - 1;
            open &= open - 1;
            int64 from = from_lane(place, owner), to = from_lane(stop, owner);
            Sum part = {false, Value(0)};
            for (int64 other = from + lane(); other < to; other += 32)
                part = merged(part, {true, product_at(keys, order, products, other)});
            for (int distance = 16; distance > 0; distance >>= 1) {
                Sum higher = {from_higher(part.found, distance), from_higher(part.value, distance)};
                if (lane() + distance < 32) part = merged(part, higher);
            }
            Value whole = from_lane(part.value, 0);
            if (lane() == owner) sum = add(sum, whole);
        }
        if (run < count) out_values[run] = sum;
    }
}
