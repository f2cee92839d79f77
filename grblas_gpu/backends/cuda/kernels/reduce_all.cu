// All values combined, as fast as memory gives them. Generated: Value, ALIGNED (whether they begin at a multiple of 16
// bytes), and add: of a monoid, so associative and commutative.
//
// The values are cut into chunks, one for each warp. How many there are, and which lane adds which values in what order,
// depends on the number of values only, neither on the launch nor on where the values lie, so a sum of floats is the
// same every time. A lane reads 16 bytes at a time, and so much LOADS times before it adds any of it: what is asked of
// memory while others add keeps it busy. The last block joins the chunks, and tells the host the bits of the result in two
// halves: a word of the host holds one more than a number, so a whole result does not fit.

#include "cooperate.cuh"
#include "parts.cuh"
#include "publish.cuh"

constexpr int64 CHUNKS = 8192;
constexpr int WIDTH = sizeof(Value), PACK = 16 / WIDTH, LOADS = 4;
constexpr int64 STEP = 32 * LOADS;                       // packs that a warp reads at a time
constexpr int GROUPS = 32, PER_GROUP = CHUNKS / GROUPS;  // of chunks, when they are joined

using Bits = either<WIDTH == 1, uint8, either<WIDTH == 2, uint16, either<WIDTH == 4, uint32, uint64>>>;

DEVICE Value of_bits(Bits bits) {
    if constexpr (same_type<Value, float>) return __uint_as_float(bits);
    else if constexpr (same_type<Value, double>) return __longlong_as_double(bits);
    else return Value(bits);
}

DEVICE void tell(Value value, volatile int64* host) {
    uint64 bits = 0;
    if constexpr (same_type<Value, float>) bits = __float_as_uint(value);
    else if constexpr (same_type<Value, double>) bits = uint64(__double_as_longlong(value));
    else bits = Bits(value);
    host[SLOT_EDGES] = int64(bits >> 32) + 1;
    host[SLOT_COUNT] = int64(bits & 0xffffffffull) + 1;
}

// 16 bytes in two registers: an array of small values would not stay in registers.
struct alignas(16) Pack {
    uint64 words[2];

    DEVICE Value value(int k) const { return of_bits(Bits(words[k * WIDTH / 8] >> k * WIDTH % 8 * 8)); }
    // Pairs, then pairs of pairs: additions that do not wait for each other.
    template <int COUNT = PACK> DEVICE Value sum(int first = 0) const {
        if constexpr (COUNT == 1) return value(first);
        else return add(sum<COUNT / 2>(first), sum<COUNT / 2>(first + COUNT / 2));
    }
};
DEVICE Pack pack_at(const Value* values) {
    if constexpr (ALIGNED) return *(const Pack*)values;
    Pack pack = {};
#pragma unroll
    for (int k = 0; k < PACK; ++k) pack.words[k * WIDTH / 8] |= uint64(((const Bits*)values)[k]) << k * WIDTH % 8 * 8;
    return pack;
}

DEVICE int64 chunk_length(int64 packs) {
    int64 length = (packs + CHUNKS - 1) / CHUNKS;
    return length < STEP ? STEP : (length + STEP - 1) / STEP * STEP;
}

// The packs from lo to hi by a warp, what each lane has.
DEVICE Part lane_joined(const Value* values, int64 lo, int64 hi) {
    Part parts[LOADS] = {};
    for (int64 base = lo; base < hi; base += STEP) {
        Pack packs[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            int64 at = base + 32 * k + lane();
            packs[k] = pack_at(values + (at < hi ? at : hi - 1) * PACK);  // no branch between loads
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
            parts[k] = joined(parts[k], {base + 32 * k + lane() < hi, packs[k].sum()});
    }
    for (int k = 1; k < LOADS; ++k) parts[0] = joined(parts[0], parts[k]);
    return parts[0];
}

// One block joins the chunks: a group by each warp, then the groups.
DEVICE void join_chunks(volatile const Value* of_chunks, int64 chunks, volatile int64* host) {
    __shared__ Value of_groups[GROUPS];
    for (int group = threadIdx.x >> 5; group < GROUPS; group += blockDim.x >> 5) {
        Part part = {false, Value(0)};
#pragma unroll
        for (int k = 0; k < PER_GROUP; k += 32) {
            int64 chunk = group * PER_GROUP + k + lane();
            part = joined(part, {chunk < chunks, of_chunks[chunk < chunks ? chunk : chunks - 1]});
        }
        part = warp_joined(part);
        if (lane() == 0) of_groups[group] = part.value;
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    Part part = warp_joined({lane() * PER_GROUP < chunks, of_groups[lane()]});
    if (lane() == 0) tell(part.value, host);
}

extern "C" __global__ void reduce_all_kernel(
    const Value* values, int64 count, Value* of_chunks, unsigned* done, volatile int64* host
) {
    int64 packs = count / PACK, length = chunk_length(packs), chunks = packs > length ? (packs + length - 1) / length : 1;
    for (int64 chunk = warp_in_grid(); chunk < chunks; chunk += warps_in_grid()) {
        int64 lo = chunk * length, hi = lo + length < packs ? lo + length : packs;
        Part part = lane_joined(values, lo, hi);
        if (chunk == chunks - 1) {  // and the values that do not fill a pack
            int64 at = packs * PACK + lane();
            part = joined(part, {at < count, values[at < count ? at : count - 1]});
        }
        part = warp_joined(part);
        if (lane() != 0) continue;
        if (chunks > 1) of_chunks[chunk] = part.value;
        else tell(part.value, host);
    }
    if (chunks > 1 && last_block(done)) join_chunks(of_chunks, chunks, host);
}

// The same where one value stands for all.
extern "C" __global__ void reduce_same_kernel(const Value* value, int64 count, volatile int64* host) {
    if (thread_in_grid() == 0) tell(repeated(*value, count), host);
}
