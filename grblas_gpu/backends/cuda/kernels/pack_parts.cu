// The entries of a vector as messages, one for each part of its positions (messages.cuh): two launches. The first counts the entries of
// every tile and then, in the block that ends last, adds up the tiles of each part and decides how it is sent. The second writes: to
// memory of the host that MPI reads, or for the part that stays to memory of the device, or both.
// Generated: Stored, Sent, VALUED; FULL: every position has an entry; ISO: one value stands for all.

#include "messages.cuh"

struct Part {
    int64 first, length;   // positions of the vector
    int64 first_tile;
    char* target;          // or null
    char* mirror;          // another copy, or null
};

DEVICE int64 part_of(const Part* parts, int64 tile) {
    int64 p = 0;
    while (tile >= parts[p].first_tile + tiles_of(parts[p].length)) ++p;
    return p;
}

// before[tile] = the entries of its part in the tiles ahead of it; plan[part] = how it is sent.
extern "C" __global__ void count_parts_kernel(
    const bool* present, const Part* parts, int64 count, int64 tiles, int64* before, int64* plan, int64* counters
) {
    __shared__ int64 shared[32];
    __shared__ bool last;
    for (int64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        Part part = parts[part_of(parts, tile)];
        int64 lo = (tile - part.first_tile) * TILE, found = 0, total;
        int64 hi = lo + TILE < part.length ? lo + TILE : part.length;
        for (int64 i = lo + threadIdx.x; i < hi; i += blockDim.x) found += FULL || present[part.first + i];
        block_offset(found, total, shared);
        if (threadIdx.x == 0) before[tile] = total;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd((uint64*)counters + SLOT_DONE, uint64(1)) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (threadIdx.x == 0) counters[SLOT_DONE] = 0;
    volatile int64* sums = before;
    for (int64 p = 0; p < count; ++p) {
        int64 first = parts[p].first_tile, end = first + tiles_of(parts[p].length), sum = 0, total;
        for (int64 base = first; base < end; base += blockDim.x) {
            int64 tile = base + threadIdx.x;
            int64 mine = tile < end ? sums[tile] : 0;
            int64 place = sum + block_offset(mine, total, shared);
            if (tile < end) sums[tile] = place;
            sum += total;
        }
        if (threadIdx.x == 0) plan[p] = code_of(sum, parts[p].length, ISO);
    }
}

struct Writer {
    char *target, *mirror;
    template <class T> DEVICE void put(int64 place, T value) const {
        if (target) *(T*)(target + place) = value;
        if (mirror) *(T*)(mirror + place) = value;
    }
    DEVICE void put_index(int64 list, int bytes, int64 k, int64 position) const {
        if (bytes == 2) put(list + 2 * k, uint16(position));
        else if (bytes == 4) put(list + 4 * k, uint32(position));
        else put(list + 8 * k, position);
    }
};

// known[2 p] and known[2 p + 1] = the header of part p and, where one value stands for all, its bits.
extern "C" __global__ void fill_parts_kernel(
    const bool* present, const Stored* values, const Part* parts, int64 count, int64 tiles, const int64* before,
    const int64* plan, volatile int64* known, int64* counters, volatile int64* host
) {
    __shared__ unsigned words[WORDS];
    int warp = int(threadIdx.x >> 5), warps = int(blockDim.x >> 5);
    for (int64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int64 p = part_of(parts, tile);
        Part part = parts[p];
        Contents sent = contents_of(plan[p], part.length);
        Writer out = {part.target, part.mirror};
        int64 lo = (tile - part.first_tile) * TILE;
        for (int w = warp; w < WORDS; w += warps) {
            int64 i = lo + w * 32 + lane();
            unsigned bits = __ballot_sync(FULL_WARP, i < part.length && (FULL || present[part.first + i]));
            if (lane() == 0) words[w] = bits;
        }
        __syncthreads();
        if (sent.how == BITS) {
            int64 word = lo / 32 + threadIdx.x;
            if (threadIdx.x < WORDS && word < (part.length + 63) / 64 * 2) out.put(sent.places + 4 * word, uint32(words[threadIdx.x]));
            if (threadIdx.x == 0 && sent.kind == EACH) out.put(sent.ranks + 8 * (lo / TILE), before[tile]);
        }
        int ahead = bits_before(words[lane()]);
        for (int w = warp; w < WORDS; w += warps) {
            int64 first = before[tile] + from_lane(ahead, w);
            unsigned bits = words[w];
            if (!(bits >> lane() & 1)) continue;
            int64 i = lo + w * 32 + lane(), k = first + bits_below(bits);
            if (sent.how == LIST) out.put_index(sent.places, sent.index, k, i);
            if (sent.kind == EACH || (sent.kind == ONE && k == 0)) {
                Sent value = cast<Sent>(values[ISO ? 0 : part.first + i]);
                out.put(sent.values + k * int64(sizeof(Sent)), value);
                if (sent.kind == ONE) *(volatile Sent*)(known + 2 * p + 1) = value;
            }
        }
        __syncthreads();
    }
    // Parts without positions have a header, too; and all bytes of a message are written before it is sent.
    for (int64 p = thread_in_grid(); p < count; p += threads_in_grid()) {
        Contents sent = contents_of(plan[p], parts[p].length);
        Writer out = {parts[p].target, parts[p].mirror};
        out.put(0, plan[p]);
        int64 listed = sent.how == LIST ? sent.places + sent.count * sent.index : sent.ranks;
        for (int64 at = listed; at < sent.ranks; ++at) out.put(at, char(0));
        for (int64 at = sent.end; at < padded(sent.end); ++at) out.put(at, char(0));
        known[2 * p] = plan[p];
    }
    __threadfence_system();  // the host reads messages as soon as it sees the count
    publish(0, 0, counters, host);
}
