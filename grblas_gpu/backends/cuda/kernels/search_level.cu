// A rank's part of a breadth-first search over bit maps: vertices of all ranks as positions, `stride` of them for each rank, of which
// this rank owns one range. Kernels mark what they find in `visited` and `out`, note its parent, and tell the host how much it is.
// Generated: Offset (of the rows that are pushed), Start (of those that are pulled), Column (the columns of the block).

#include "publish.cuh"

constexpr int SLOT_PARTS = 2;      // how many parts of long rows were put aside
constexpr int ALONE = 8;           // entries that a thread looks at alone
constexpr int LONG_PUSH = 256;     // a row with more entries is put aside
constexpr int PUSH_PIECE = 1024;   // entries of a long row that a block takes

DEVICE bool bit_at(const uint32* words, int64 position) { return words[position >> 5] >> (position & 31) & 1; }

// The writes of all threads reach other devices and the host before what is counted does.
DEVICE void tell(int64 entries, int64 edges, int64* counters, volatile int64* host) {
    __threadfence_system();
    publish(entries, edges, counters, host);
}

// Nothing is visited but what no search can find (`closed`), and the source, if this rank owns it (seed < 0: another one does).
extern "C" __global__ void search_begin(
    const uint32* closed, uint32* visited, uint32* out, int32* parents, const int64* degrees, int64 words, int64 size,
    int64 seed, int64 seed_position, int64* counters, volatile int64* host
) {
    for (int64 w = thread_in_grid(); w < words; w += threads_in_grid()) {
        uint32 mark = seed >= 0 && seed >> 5 == w ? 1u << (seed & 31) : 0u;
        visited[w] = closed[w] | mark;
        out[w] = mark;
    }
    for (int64 v = thread_in_grid(); v < size; v += threads_in_grid()) parents[v] = v == seed ? int32(seed_position) : -1;
    bool first = thread_in_grid() == 0 && seed >= 0;
    tell(first, first ? degrees[seed] : 0, counters, host);
}

struct Reached {
    uint32 *visited, *out;
    int32* parents;
    const int64* degrees;
    int64 entries, edges;
    // Vertex v, from a vertex at this position. Of several threads that come here the first one is its parent.
    DEVICE void reach(int64 v, int64 position) {
        uint32 mark = 1u << (v & 31);
        if (visited[v >> 5] & mark) return;
        if (atomicOr(visited + (v >> 5), mark) & mark) return;
        atomicOr(out + (v >> 5), mark);
        parents[v] = int32(position);
        entries += 1;
        edges += degrees[v];
    }
};

// Top-down. `out` is empty. A lane takes a short row, its warp a longer one; long ones are put aside in parts.
extern "C" __global__ void search_push(
    const uint32* frontier, int64 words, int64 words_of_rank, const int64* first_rows, const Offset* indptr,
    const Column* indices, uint32* visited, uint32* out, int32* parents, const int64* degrees, int64* aside, int64* counters
) {
    Reached reached = {visited, out, parents, degrees, 0, 0};
    for (int64 base = warp_in_grid() * 32; base < words; base += warps_in_grid() * 32) {
        uint32 word = base + lane() < words ? frontier[base + lane()] : 0u;
        for (unsigned some = __ballot_sync(FULL_WARP, word != 0); some; some &= some - 1) {
            int at = __ffs(some) - 1;
            uint32 marks = uint32(__shfl_sync(FULL_WARP, int(word), at));
            int64 w = base + at, rank = w / words_of_rank, position = w * 32 + lane();
            int64 row = first_rows[rank] + (w - rank * words_of_rank) * 32 + lane(), start = 0, stop = 0;
            if (marks >> lane() & 1) {
                start = indptr[row];
                stop = indptr[row + 1];
            }
            int64 entries = stop - start;
            if (entries <= ALONE) {
                for (int64 e = start; e < stop; ++e) reached.reach(indices[e], position);
            } else if (entries > LONG_PUSH) {
                int64 parts = (entries + PUSH_PIECE - 1) / PUSH_PIECE;
                int64 place = int64(atomicAdd((uint64*)(counters + SLOT_PARTS), uint64(parts)));
                for (int64 part = 0; part < parts; ++part) {
                    int64* note = aside + 3 * (place + part);
                    note[0] = position;
                    note[1] = start + part * PUSH_PIECE;
                    note[2] = stop < note[1] + PUSH_PIECE ? stop : note[1] + PUSH_PIECE;
                }
            }
            __syncwarp();
            unsigned longer = __ballot_sync(FULL_WARP, entries > ALONE && entries <= LONG_PUSH);
            for (; longer; longer &= longer - 1) {
                int owner = __ffs(longer) - 1;
                int64 end = from_lane(stop, owner);
                for (int64 e = from_lane(start, owner) + lane(); e < end; e += 32) reached.reach(indices[e], w * 32 + owner);
            }
        }
    }
    add_to_counter(counters + SLOT_COUNT, reached.entries);
    add_to_counter(counters + SLOT_EDGES, reached.edges);
}

// What was put aside, a part for each block.
extern "C" __global__ void search_push_aside(
    const Column* indices, uint32* visited, uint32* out, int32* parents, const int64* degrees, const int64* aside,
    int64* counters, volatile int64* host
) {
    Reached reached = {visited, out, parents, degrees, 0, 0};
    int64 parts = counters[SLOT_PARTS];
    for (int64 part = blockIdx.x; part < parts; part += gridDim.x) {
        const int64* note = aside + 3 * part;
        for (int64 e = note[1] + threadIdx.x; e < note[2]; e += blockDim.x) reached.reach(indices[e], note[0]);
    }
    tell(reached.entries, reached.edges, counters, host);
}

// Bottom-up: a warp looks for the parents of 32 neighbouring vertices. Their lists begin with the neighbours that have most edges.
extern "C" __global__ void search_pull(
    const uint32* frontier, int64 words, const Start* starts, const int32* neighbours, uint32* visited, uint32* out,
    int32* parents, const int64* degrees, int64* counters, volatile int64* host
) {
    int64 found = 0, edges = 0;
    for (int64 w = warp_in_grid(); w < words; w += warps_in_grid()) {
        uint32 before = visited[w];
        int64 v = w * 32 + lane(), start = 0, stop = 0;
        int parent = -1;
        if (!(before >> lane() & 1)) {
            start = starts[v];
            stop = starts[v + 1];
        }
        for (int looked = 0; looked < ALONE && start < stop && parent < 0; ++looked, ++start) {
            int position = neighbours[start];
            if (bit_at(frontier, position)) parent = position;
        }
        for (unsigned open = __ballot_sync(FULL_WARP, parent < 0 && start < stop); open; open &= open - 1) {
            int owner = __ffs(open) - 1, first = -1;
            int64 end = from_lane(stop, owner);
            for (int64 from = from_lane(start, owner); from < end && first < 0; from += 32) {
                int position = from + lane() < end ? neighbours[from + lane()] : -1;
                unsigned hits = __ballot_sync(FULL_WARP, position >= 0 && bit_at(frontier, position >= 0 ? position : 0));
                if (hits) first = from_lane(position, __ffs(hits) - 1);
            }
            if (lane() == owner) parent = first;
        }
        uint32 news = __ballot_sync(FULL_WARP, parent >= 0);
        if (parent >= 0) {
            parents[v] = parent;
            found += 1;
            edges += degrees[v];
        }
        if (lane() == 0) {
            out[w] = news;
            if (news) visited[w] = before | news;
        }
    }
    tell(found, edges, counters, host);
}

// Parents as the rest of the library has them: flags, and numbers of vertices instead of positions.
extern "C" __global__ void search_result(
    const int32* parents, int64 size, int64 stride, const int64* first_rows, bool* present, int64* values
) {
    for (int64 v = thread_in_grid(); v < size; v += threads_in_grid()) {
        int64 position = parents[v];
        present[v] = position >= 0;
        int64 rank = position >= 0 ? position / stride : 0;
        values[v] = position >= 0 ? first_rows[rank] + position - rank * stride : 0;
    }
}
