// A step of a breadth-first search over bit maps: vertices of all ranks as positions, `words` words of them for each rank. A launch is
// for one rank's part of the graph, or for those of several ranks that follow each other, each in memory of its own process. Kernels mark
// what they find in `visited` and `out`, note its parent, and publish how much it is.
// Generated: Offset (of the rows that are pushed), Start (of those that are pulled), Column (the columns of the block).

#include "publish.cuh"

constexpr int SLOT_PARTS = 2;      // how many parts of long rows were put aside
constexpr int ALONE = 8;           // entries that a thread looks at alone
constexpr int LONG_PUSH = 256;     // a row with more entries is put aside
constexpr int PUSH_PIECE = 1024;   // entries of a long row that a block takes

// What a rank has of the graph and of the search; as in search.py.
struct Part {
    const Offset* indptr;    // rows of all ranks
    const Column* indices;   // the vertices of this rank that they lead to
    const Start* starts;     // for every vertex of this rank a list
    const int32* neighbours; // positions of those that lead to it
    const uint32* closed;
    uint32* visited;
    int32* parents;
    const int64* degrees;
    int64 size;              // vertices
};

// Where a warp begins in a part, with so many pieces of work in the parts before it: those of all parts are dealt out to warps in turn.
DEVICE int64 first_turn(int64 before) {
    int64 taken = before % warps_in_grid(), mine = warp_in_grid() - taken;
    return mine < 0 ? mine + warps_in_grid() : mine;
}

DEVICE bool bit_at(const uint32* words, int64 position) { return words[position >> 5] >> (position & 31) & 1; }

// The writes of all threads reach other devices and the host before what is counted does.
DEVICE void publish_beyond(int64 entries, int64 edges, int64* counters, volatile int64* host) {
    __threadfence_system();
    publish(entries, edges, counters, host);
}

// Nothing is visited but what no search can find (`closed`), and the source, if it is in one of these parts: bit `seed` of `out`, or < 0.
extern "C" __global__ void search_begin(
    const Part* parts, int64 count, int64 words, uint32* out, int64 seed, int64 seed_position, int64* counters, volatile int64* host
) {
    int64 edges = 0;
    for (int64 p = 0; p < count; ++p) {
        Part part = parts[p];
        int64 here = seed - p * words * 32;  // where the source is in this part
        for (int64 w = thread_in_grid(); w < words; w += threads_in_grid()) {
            uint32 mark = seed >= 0 && here >> 5 == w ? 1u << (here & 31) : 0u;
            part.visited[w] = part.closed[w] | mark;
            out[p * words + w] = mark;
            if (mark) edges = part.degrees[here];
        }
        for (int64 v = thread_in_grid(); v < part.size; v += threads_in_grid())
            part.parents[v] = seed >= 0 && v == here ? int32(seed_position) : -1;
    }
    publish_beyond(thread_in_grid() == 0 && seed >= 0, edges, counters, host);
}

struct Reached {
    Part part;
    uint32* out;
    int64 entries, edges;
    // Vertex v, from a vertex at this position. Of several threads that come here the first one is its parent.
    DEVICE void reach(int64 v, int64 position) {
        uint32 mark = 1u << (v & 31);
        if (part.visited[v >> 5] & mark) return;
        if (atomicOr(part.visited + (v >> 5), mark) & mark) return;
        atomicOr(out + (v >> 5), mark);
        part.parents[v] = int32(position);
        entries += 1;
        edges += part.degrees[v];
    }
};

// Top-down. `out` is empty. A lane takes a short row, its warp a longer one; long ones are put aside in parts.
extern "C" __global__ void search_push(
    const Part* parts, int64 count, int64 words, const uint32* frontier, int64 ranks, const int64* first_rows, uint32* out, int64* aside,
    int64* counters
) {
    int64 entries_found = 0, edges_found = 0, all_words = ranks * words, chunks = (all_words + 31) / 32;
    for (int64 p = 0; p < count; ++p) {
        Part part = parts[p];
        Reached reached = {part, out + p * words, 0, 0};
        for (int64 chunk = first_turn(p * chunks); chunk < chunks; chunk += warps_in_grid()) {
            int64 base = chunk * 32;
            uint32 word = base + lane() < all_words ? frontier[base + lane()] : 0u;
            for (unsigned some = __ballot_sync(FULL_WARP, word != 0); some; some &= some - 1) {
                int at = __ffs(some) - 1;
                uint32 marks = uint32(__shfl_sync(FULL_WARP, int(word), at));
                int64 w = base + at, rank = w / words, position = w * 32 + lane();
                int64 row = first_rows[rank] + (w - rank * words) * 32 + lane(), start = 0, stop = 0;
                if (marks >> lane() & 1) {
                    start = part.indptr[row];
                    stop = part.indptr[row + 1];
                }
                int64 entries = stop - start;
                if (entries <= ALONE) {
                    for (int64 e = start; e < stop; ++e) reached.reach(part.indices[e], position);
                } else if (entries > LONG_PUSH) {
                    int64 pieces = (entries + PUSH_PIECE - 1) / PUSH_PIECE;
                    int64 place = int64(atomicAdd((uint64*)(counters + SLOT_PARTS), uint64(pieces)));
                    for (int64 piece = 0; piece < pieces; ++piece) {
                        int64* note = aside + 3 * (place + piece);
                        note[0] = p << 32 | position;
                        note[1] = start + piece * PUSH_PIECE;
                        note[2] = stop < note[1] + PUSH_PIECE ? stop : note[1] + PUSH_PIECE;
                    }
                }
                __syncwarp();
                unsigned longer = __ballot_sync(FULL_WARP, entries > ALONE && entries <= LONG_PUSH);
                for (; longer; longer &= longer - 1) {
                    int owner = __ffs(longer) - 1;
                    int64 end = from_lane(stop, owner);
                    for (int64 e = from_lane(start, owner) + lane(); e < end; e += 32) reached.reach(part.indices[e], w * 32 + owner);
                }
            }
        }
        entries_found += reached.entries;
        edges_found += reached.edges;
    }
    add_to_counter(counters + SLOT_COUNT, entries_found);
    add_to_counter(counters + SLOT_EDGES, edges_found);
}

// What was put aside, a piece for each block.
extern "C" __global__ void search_push_aside(
    const Part* parts, int64 words, uint32* out, const int64* aside, int64* counters, volatile int64* host
) {
    int64 entries = 0, edges = 0, pieces = counters[SLOT_PARTS];
    for (int64 piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        const int64* note = aside + 3 * piece;
        int64 p = note[0] >> 32, position = note[0] & 0x7fffffff;
        Reached reached = {parts[p], out + p * words, 0, 0};
        for (int64 e = note[1] + threadIdx.x; e < note[2]; e += blockDim.x) reached.reach(reached.part.indices[e], position);
        entries += reached.entries;
        edges += reached.edges;
    }
    publish_beyond(entries, edges, counters, host);
}

// Bottom-up: a warp looks for the parents of 32 neighbouring vertices. Their lists begin with the neighbours that have most edges.
extern "C" __global__ void search_pull(
    const Part* parts, int64 count, int64 words, const uint32* frontier, uint32* out, int64* counters, volatile int64* host
) {
    int64 found = 0, edges = 0;
    for (int64 p = 0; p < count; ++p) {
        Part part = parts[p];
        for (int64 w = first_turn(p * words); w < words; w += warps_in_grid()) {
            uint32 before = part.visited[w];
            int64 v = w * 32 + lane(), start = 0, stop = 0;
            int parent = -1;
            if (!(before >> lane() & 1)) {
                start = part.starts[v];
                stop = part.starts[v + 1];
            }
            for (int looked = 0; looked < ALONE && start < stop && parent < 0; ++looked, ++start) {
                int position = part.neighbours[start];
                if (bit_at(frontier, position)) parent = position;
            }
            for (unsigned open = __ballot_sync(FULL_WARP, parent < 0 && start < stop); open; open &= open - 1) {
                int owner = __ffs(open) - 1, first = -1;
                int64 end = from_lane(stop, owner);
                for (int64 from = from_lane(start, owner); from < end && first < 0; from += 32) {
                    int position = from + lane() < end ? part.neighbours[from + lane()] : -1;
                    unsigned hits = __ballot_sync(FULL_WARP, position >= 0 && bit_at(frontier, position >= 0 ? position : 0));
                    if (hits) first = from_lane(position, __ffs(hits) - 1);
                }
                if (lane() == owner) parent = first;
            }
            uint32 news = __ballot_sync(FULL_WARP, parent >= 0);
            if (parent >= 0) {
                part.parents[v] = parent;
                found += 1;
                edges += part.degrees[v];
            }
            if (lane() == 0) {
                out[p * words + w] = news;
                if (news) part.visited[w] = before | news;
            }
        }
    }
    publish_beyond(found, edges, counters, host);
}

// Parents as the rest of the library has them: flags, and numbers of vertices instead of positions.
extern "C" __global__ void search_result(
    const int32* parents, int64 size, int64 stride, const int64* first_rows, bool* present, int64* values, int64* counters,
    volatile int64* host
) {
    int64 found = 0;
    for (int64 v = thread_in_grid(); v < size; v += threads_in_grid()) {
        int64 position = parents[v];
        present[v] = position >= 0;
        int64 rank = position >= 0 ? position / stride : 0;
        values[v] = position >= 0 ? first_rows[rank] + position - rank * stride : 0;
        found += position >= 0;
    }
    publish(found, 0, counters, host);
}
