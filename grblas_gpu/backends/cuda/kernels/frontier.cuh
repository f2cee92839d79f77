// The entries in the columns of a frontier, shared out evenly: one vertex with 400,000 entries and 400,000 vertices with
// one entry each keep the whole grid equally busy. Entries are numbered through; offsets[t] is the number of the first
// entry of the t-th vertex, and a thread finds the vertex of an entry by bisection.
//   LISTED     the frontier is a list (otherwise it is every position)
//   BY_VERTEX  the vector's values are found at the vertex (otherwise at its place in the list)

#include "mxv.cuh"

constexpr int64 EDGES_PER_TILE = 1024;
constexpr int SMALL_FRONTIER = 1024;  // up to this size every block makes the offsets itself, in shared memory

struct Frontier {
    const int64* list;
    int64 count;
};

DEVICE int64 vertex(const Frontier& frontier, int64 t) { return LISTED ? frontier.list[t] : t; }

DEVICE int64 degree(const Matrix& m, const Frontier& frontier, int64 t) {
    int64 k = vertex(frontier, t);
    return int64(m.indptr[k + 1]) - int64(m.indptr[k]);
}

// offsets[0..count] of a small frontier; all threads of the block call it. `shared` holds 32 numbers.
DEVICE void small_offsets(const Matrix& m, const Frontier& frontier, int64* offsets, int64* shared) {
    int64 before = 0, total;
    for (int64 base = 0; base < frontier.count; base += blockDim.x) {
        int64 t = base + threadIdx.x;
        int64 mine = t < frontier.count ? degree(m, frontier, t) : 0;
        int64 place = before + block_offset(mine, total, shared);
        if (t < frontier.count) offsets[t] = place;
        before += total;
    }
    if (threadIdx.x == 0) offsets[frontier.count] = before;
    __syncthreads();
}

struct Edge {
    int64 number, k, entry, element;
};

// visit(edge, inside) for the entries of the tile that begins with this one; all threads of the block call it together,
// those beyond the end with inside = false.
template <class Visit>
DEVICE void for_each_edge_of_tile(
    const Matrix& m, const Frontier& frontier, const int64* offsets, int64 base, int64 total, Visit visit
) {
    int64 end = base + EDGES_PER_TILE < total ? base + EDGES_PER_TILE : total;
    int64 lo = upper_bound(offsets, 0, frontier.count, base) - 1;
    int64 hi = upper_bound(offsets, lo, frontier.count, end - 1);
    for (int64 number = base + threadIdx.x; number - threadIdx.x < end; number += blockDim.x) {
        Edge edge = {number, 0, 0, 0};
        bool inside = number < end;
        if (inside) {
            int64 t = upper_bound(offsets, lo, hi, number) - 1;
            edge.k = vertex(frontier, t);
            edge.entry = m.indptr[edge.k] + number - offsets[t];
            edge.element = BY_VERTEX ? edge.k : t;
        }
        visit(edge, inside);
    }
}

// The same for every entry.
template <class Visit>
DEVICE void for_each_edge(const Matrix& m, const Frontier& frontier, const int64* offsets, Visit visit) {
    int64 total = offsets[frontier.count];
    for (int64 base = blockIdx.x * EDGES_PER_TILE; base < total; base += BLOCK_COUNT * EDGES_PER_TILE)
        for_each_edge_of_tile(m, frontier, offsets, base, total, visit);
}
