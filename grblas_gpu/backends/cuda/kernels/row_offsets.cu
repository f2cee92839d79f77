// What the offsets of a matrix tell. Generated: Offset.

#include "publish.cuh"
#include "tiles.cuh"

constexpr int ROWS = 4;  // rows whose offsets a thread reads before its first write

// How many entries each row has, where it has any: flags and numbers by position.
extern "C" __global__ void count_rows_kernel(
    const Offset* indptr, int64 nrows, bool* present, int64* out, int64* counters, volatile int64* host
) {
    int64 found = 0, step = threads_in_grid();
    for (int64 first = thread_in_grid(); first < nrows; first += ROWS * step) {
        Offset length[ROWS];
        UNROLLED for (int k = 0; k < ROWS; ++k) {
            int64 i = first + k * step < nrows ? first + k * step : first;
            length[k] = indptr[i + 1] - indptr[i];
        }
        UNROLLED for (int k = 0; k < ROWS; ++k) {
            int64 i = first + k * step;
            if (i >= nrows) continue;
            present[i] = length[k] > 0;
            out[i] = length[k];
            found += length[k] > 0;
        }
    }
    publish_one(found, counters, host);
}

// Offsets of rows that follow each other in a matrix; the host is told where their entries begin, and how many there are.
extern "C" __global__ void cut_rows_kernel(
    const Offset* indptr, int64 first, int64 nrows, Offset* out_indptr, volatile int64* host
) {
    Offset begin = indptr[first];
    for (int64 p = thread_in_grid(); p <= nrows; p += threads_in_grid()) {
        Offset offset = indptr[first + p] - begin;
        out_indptr[p] = offset;
        if (p < nrows) continue;
        host[SLOT_EDGES] = int64(begin) + 1;
        host[SLOT_COUNT] = int64(offset) + 1;
    }
}

// How many entries the rows have that a vector lists, or flags.
extern "C" __global__ void count_edges_kernel(
    const Offset* indptr, const int64* list, const bool* present, const int64* device_count, int64 host_count,
    int64* counters, volatile int64* host
) {
    int64 items = counted(device_count, host_count), sum = 0;
    for (int64 t = thread_in_grid(); t < items; t += threads_in_grid()) {
        if (present && !present[t]) continue;
        int64 k = list ? list[t] : t;
        sum += int64(indptr[k + 1]) - int64(indptr[k]);
    }
    publish(0, sum, counters, host);
}

// The offsets of a large frontier (frontier.cuh), in two passes.
struct Vertices {
    const Offset* indptr;
    const int64* list;  // or null: all of them
    DEVICE int64 degree(int64 t) const {
        int64 k = list ? list[t] : t;
        return int64(indptr[k + 1]) - int64(indptr[k]);
    }
};

extern "C" __global__ void sum_degrees_kernel(
    const Offset* indptr, const int64* list, const int64* device_count, int64 host_count, int64* tile_sums
) {
    Vertices vertices = {indptr, list};
    sum_tiles(counted(device_count, host_count), tile_sums, [&](int64 t) { return vertices.degree(t); });
}

extern "C" __global__ void offsets_kernel(
    const Offset* indptr, const int64* list, const int64* device_count, int64 host_count, const int64* tile_sums,
    int64* offsets
) {
    Vertices vertices = {indptr, list};
    int64 count = counted(device_count, host_count);
    with_offsets(
        count, tile_sums, offsets + count, [&](int64 t) { return vertices.degree(t); },
        [&](int64 t, int64 offset, int64) { offsets[t] = offset; }
    );
}
