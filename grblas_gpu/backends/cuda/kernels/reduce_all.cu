// All values combined at the speed of memory. Generated: Value, ALIGNED (whether they begin at a multiple of 16 bytes), and add: of a
// monoid, so associative and commutative.
//
// Packs of 16 bytes are assigned to shares in rows of 32, one for each lane of a warp: share s has the rows s, s + shares, ... The number
// of shares, and which lane adds which values in what order, depend only on the number of values, neither on the launch nor on alignment,
// so a sum of floats is reproducible. A lane issues LOADS packs before it adds any of them, and the number of shares is chosen so that all
// lanes do so equally often: an H200 has registers for SHARES warps, which read memory side by side and end together. The last block joins
// the shares and publishes the bits of the result in two halves: a word of the host holds a number plus one, so a whole result does not
// fit.

#include "grid.cuh"
#include "parts.cuh"
#include "publish.cuh"

constexpr int64 SHARES = 4096;  // at most
constexpr int WIDTH = sizeof(Value), PACK = 16 / WIDTH, LOADS = 8;
constexpr int GROUPS = 32, PLACES = 32 * GROUPS, PER_PLACE = SHARES / PLACES;  // how shares are joined

using Bits = either<WIDTH == 1, uint8, either<WIDTH == 2, uint16, either<WIDTH == 4, uint32, uint64>>>;


DEVICE void tell(Value value, volatile int64* host) {
    uint64 bits = bits_of(value);
    host[SLOT_EDGES] = int64(bits >> 32) + 1;
    host[SLOT_COUNT] = int64(bits & 0xffffffffull) + 1;
}

// 16 bytes in two registers: an array of small values would not stay in registers.
struct alignas(16) Pack {
    uint64 words[2];

    DEVICE Value value(int k) const { return value_of<Value>(Bits(words[k * WIDTH / 8] >> k * WIDTH % 8 * 8)); }
    // Pairs, then pairs of pairs: independent additions.
    template <int COUNT = PACK> DEVICE Value sum(int first = 0) const {
        if constexpr (COUNT == 1) return value(first);
        else return add(sum<COUNT / 2>(first), sum<COUNT / 2>(first + COUNT / 2));
    }
};
DEVICE Pack pack_at(const Value* values) {
    if constexpr (ALIGNED) return *(const Pack*)values;
    Pack pack = {};
    UNROLLED for (int k = 0; k < PACK; ++k) pack.words[k * WIDTH / 8] |= uint64(((const Bits*)values)[k]) << k * WIDTH % 8 * 8;
    return pack;
}

// Pairs, then pairs of pairs.
template <int COUNT> DEVICE Value sum_of(const Pack* packs) {
    if constexpr (COUNT == 1) return packs->sum();
    else return add(sum_of<COUNT / 2>(packs), sum_of<COUNT - COUNT / 2>(packs + COUNT / 2));
}

// The part of a lane in a share: so many packs at a time while there are as many, then one less (which some shares have), then fewer and
// fewer.
template <int COUNT> DEVICE void join_packs(Part& part, const Value* values, int64 packs, int64 at, int64 step) {
    for (; at + (COUNT - 1) * step < packs; at += COUNT * step) {
        Pack read[COUNT];
        UNROLLED for (int k = 0; k < COUNT; ++k) read[k] = pack_at(values + (at + k * step) * PACK);
        part = joined(part, {true, sum_of<COUNT>(read)});
    }
    if constexpr (COUNT > 1) join_packs<COUNT == LOADS ? LOADS - 1 : (COUNT + 1) / 2>(part, values, packs, at, step);
}

// One block joins the shares: PER_PLACE of them at each place, the places of a group by a warp, then the groups. A warp loads those of
// AT_A_TIME groups before it joins any.
DEVICE void join_shares(volatile const Value* of_shares, int64 shares, volatile int64* host) {
    constexpr int AT_A_TIME = 4;
    __shared__ Value of_groups[GROUPS];
    int warps = int(blockDim.x >> 5);
    for (int first = int(threadIdx.x >> 5); first < GROUPS; first += AT_A_TIME * warps) {
        Value read[AT_A_TIME][PER_PLACE];
        UNROLLED for (int k = 0; k < AT_A_TIME * PER_PLACE; ++k) {
            int64 share = (first + k / PER_PLACE * warps) * 32 + lane() + k % PER_PLACE * PLACES;
            read[k / PER_PLACE][k % PER_PLACE] = of_shares[share < shares ? share : shares - 1];
        }
        UNROLLED for (int k = 0; k < AT_A_TIME; ++k) {
            int group = first + k * warps;
            Part part = {false, Value(0)};
            UNROLLED for (int n = 0; n < PER_PLACE; ++n)
                part = joined(part, {group * 32 + lane() + n * PLACES < shares, read[k][n]});
            part = warp_joined(part);
            if (lane() == 0 && group < GROUPS) of_groups[group] = part.value;
        }
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    Part part = warp_joined({lane() * 32 < shares, of_groups[lane()]});
    if (lane() == 0) tell(part.value, host);
}

extern "C" __global__ void __launch_bounds__(256, 4) reduce_all_kernel(
    const Value* values, int64 count, Value* of_shares, unsigned* done, volatile int64* host
) {
    int64 packs = count / PACK, rows = (packs + 31) / 32;
    int64 times = (rows + SHARES * LOADS - 1) / (SHARES * LOADS), length = (times < 1 ? 1 : times) * LOADS;
    int64 shares = rows <= length ? 1 : (rows + length - 1) / length;
    for (int64 share = warp_in_grid(); share < shares; share += warps_in_grid()) {
        Part part = {false, Value(0)};
        join_packs<LOADS>(part, values, packs, share * 32 + lane(), shares * 32);
        if (share == shares - 1) {  // and the values that do not fill a pack
            int64 at = packs * PACK + lane();
            part = joined(part, {at < count, values[at < count ? at : count - 1]});
        }
        part = warp_joined(part);
        if (lane() != 0) continue;
        if (shares > 1) of_shares[share] = part.value;
        else tell(part.value, host);
    }
    if (shares > 1 && last_block(done)) join_shares(of_shares, shares, host);
}

// The same where one value stands for all.
extern "C" __global__ void reduce_same_kernel(const Value* value, int64 count, volatile int64* host) {
    if (thread_in_grid() == 0) tell(repeated(*value, count), host);
}
