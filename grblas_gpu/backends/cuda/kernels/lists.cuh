// Lists that many warps fill together, and work that is distributed by lists. Generated: BLOCK_THREADS.

#include "shared_frontier.cuh"

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
// The part of a warp: temporary, if it keeps no queue (row_stage.cuh).
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
    bool ready;       // the list is there, and the other buffer of the result is clean
    bool in_shared;   // a push continues through several levels (loop_shared_frontier.cuh)
    bool marked;      // a pull that sums has the operand's flags in its values (marked_operand.cuh)
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
