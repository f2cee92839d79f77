// Lists that many warps fill together, and work that is distributed by lists. Generated: BLOCK_THREADS.

#include "slot.cuh"

// A short frontier in the shared memory of the team's blocks: every vertex with the first data that a push needs, the begin and number of
// its edges. Entries are distributed to the blocks in order of arrival, so that a warp finds its entries in its own block.

constexpr int SHARED_VERTICES = 8;                     // that a warp takes at a time: four lanes each
constexpr int SHARED_EACH = SMALL_ENTRIES / CLUSTER;   // entries in a block
constexpr int SHARED_LEVELS = 64;                      // one after another, before the loop looks at the clock again
constexpr int LONGEST_SHARED = 31;                     // edges of a vertex
constexpr int64 SHARED_EDGES = 2 * SMALL_EDGES;         // of all of them: up to here this is faster than all blocks ...
constexpr int64 SHARED_SUM_EDGES = SMALL_EDGES * 3 / 4; // ... and where they are added up: a level of betweenness took 5 us with 3,000, 11 with 9,000

struct alignas(16) FrontierEntry {
    int64 vertex;
    int64 edges;  // the first one, and in the last eight bits how many
};
struct SharedFrontier {
    // In block 0: entries that are reached, and their edges, by this level; by the next one; by the last one, which other blocks may still
    // read.
    unsigned reached[3], following[3];
    int turn;  // which of these is this level's
};
// Of this level, the next one, and the last one, which is cleaned by it. Queues (lists.cuh) use the same memory at other times.
struct FrontierEntries {
    FrontierEntry of[3][SHARED_EACH];
};
DEVICE SharedFrontier& shared_frontier() {
    __shared__ SharedFrontier shared;
    return shared;
}
// No rule: every frontier that fits stays in shared memory.
struct NoRule {
    DEVICE bool operator()(double, double, double, double) const { return true; }
};
DEVICE int after(int turn) { return turn == 2 ? 0 : turn + 1; }
// Called by all threads of the grid, first.
DEVICE void begin_shared_frontier() {
    if (thread() < 3) shared_frontier().reached[thread()] = shared_frontier().following[thread()] = 0;
    if (thread() == 0) shared_frontier().turn = 0;
    cluster_barrier();
}

// Shared memory of another block of the team, by the address of the same variable in this block.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
DEVICE unsigned in_block(const void* here, unsigned block) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(unsigned(__cvta_generic_to_shared(here))), "r"(block));
    return there;
}
#endif
// Adds to the counter of block 0 and returns its old value.
DEVICE unsigned add_in_team(unsigned* counter, unsigned number) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned before;
    asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;"
                 : "=r"(before) : "r"(in_block(counter, 0)), "r"(number) : "memory");
    return before;
#else
    return atomicAdd(counter, number);
#endif
}
DEVICE unsigned counted_in_team(const unsigned* counter) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned number;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(number) : "r"(in_block(counter, 0)) : "memory");
    return number;
#else
    return *counter;
#endif
}
DEVICE void put_in_block(FrontierEntry* here, unsigned block, const FrontierEntry& entry) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("st.shared::cluster.v2.u64 [%0], {%1, %2};"
                 ::"r"(in_block(here, block)), "l"(entry.vertex), "l"(entry.edges) : "memory");
#else
    *here = entry;
#endif
}
// Writes entry number `place` of a level to the block that owns it.
DEVICE void put_in_frontier(FrontierEntry* entries, int place, const FrontierEntry& entry) {
    int chunk = place / SHARED_VERTICES, at = chunk / int(CLUSTER) * SHARED_VERTICES + place % SHARED_VERTICES;
    if (place < SMALL_ENTRIES) put_in_block(entries + at, chunk % CLUSTER, entry);
}
// visit(place, entry) for the first `count` entries of a level that are in this block.
template <class Visit> DEVICE void for_each_in_block(const FrontierEntry* entries, int count, Visit visit) {
    for (int at = thread(); at < SHARED_EACH; at += blockDim.x) {
        int place = (at / SHARED_VERTICES * int(CLUSTER) + int(blockIdx.x)) * SHARED_VERTICES + at % SHARED_VERTICES;
        if (place >= count) return;  // and so are all after it
        visit(place, entries[at]);
    }
}
DEVICE void ask_for(const void* address) {
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

constexpr int64 PUSH_PART = 512, SMALL_PUSH_PART = 128;  // edges: a vertex with more than twice as many is shared by all warps in such parts
constexpr int64 LONG_ROW = 2048;  // entries: all warps share the rest of such a row, if a pull found nothing at its beginning
constexpr int64 PART = 2048;  // entries of such a row, for a warp at a time
constexpr int PART_BITS = 24;  // of a number that holds the row and the part

// Numbers that a warp keeps until there is one for every lane. All lanes call its functions together.
constexpr int QUEUED = 160;  // 31 and what four lots of 32 may add; or 31 and one, 31 and two
union Queues {
    int64 held[BLOCK_THREADS / 32 * QUEUED];
    FrontierEntries frontier;
};
DEVICE Queues& queues() {
    __shared__ Queues shared;
    return shared;
}
// What a warp has of it: for a moment, if it keeps no queue (row_products.cuh).
#define WARP_MEMORY
constexpr int WARP_WORDS = QUEUED;
DEVICE int64* warp_memory() { return queues().held + WARP_WORDS * (thread() >> 5); }
struct WarpQueue {
    int64* held;
    int many;
    DEVICE WarpQueue(int first = 0) : held(warp_memory() + first), many(0) {}
    DEVICE void put(int64 number, bool wanted) {
        unsigned wanting = __ballot_sync(FULL_WARP, wanted);
        if (wanted) held[many + __popc(wanting & ((1u << lane()) - 1))] = number;
        many += __popc(wanting);
    }
    // The last ones, up to one for each lane.
    DEVICE bool take(int64& number) {
        bool has = lane() < many;
        __syncwarp();
        number = has ? held[many - 1 - lane()] : 0;
        __syncwarp();
        many = many < 32 ? 0 : many - 32;
        return has;
    }
};

// Positions to append to the list of a vector's other buffer.
template <class T> struct Listing {
    const Slot<T>& out;
    int64* counters;
    WarpQueue queue;
    DEVICE void put(int64 i, bool wanted) { queue.put(i, wanted); }
    // Writes all positions, or full batches of one for every lane.
    DEVICE void flush(bool all) {
        while (queue.many >= 32 || (all && queue.many)) {
            int64 i;
            bool has = queue.take(i);
            int64 place = place_in_list(counters + LISTED_ENTRIES, has);
            if (has && place < out.capacity) out.other_list()[place] = i;
        }
    }
};

// The decisions of thread 0 of a block about a product, for all of its threads.
struct Plan {
    int64 edges;      // of the operand
    int64 length;     // of its list, or its size: the items of a push
    int width;        // items that a warp takes at a time
    int spread;       // or the number of warps, a power of two, that share one item
    bool push, few;   // few open rows: a pull will find little
    bool lists;       // a push lists the positions that it reaches
    bool sorts;       // products are sorted before they are reduced
    bool by_list;     // a push goes by the list
    bool spare;       // and has so few edges that other warps take the steps at the operand's entries
    bool ready;       // the list is there, and the other buffer of the result is clean
    bool in_shared;   // a push continues through several levels (loop_shared_frontier.cuh)
    bool marked;      // a pull that adds up has the operand's flags in its values (loop_operands.cuh)
};
DEVICE Plan& plan() {
    __shared__ Plan shared;
    return shared;
}
// The listed parts of items with too many edges for a warp.
DEVICE int64& parts_left() {
    __shared__ int64 shared;
    return shared;
}

// Parts of a row for all warps of the team. The list has room for the parts of all rows.
DEVICE void put_parts(int64* list, int64* counter, int64 row, int64 parts) {
    int64 place = int64(atomicAdd((uint64*)counter, uint64(parts)));
    for (int64 part = 0; part < parts; ++part) list[place + part] = row << PART_BITS | part;
}
DEVICE int64 number_of(int64 part) { return part & ((1 << PART_BITS) - 1); }
