// Rows whose entries are in any order, each brought into order: short ones in registers, long ones by the rank of each
// column among the bits of all. Counts columns that a row has twice. Generated: Bits, VALUED (packed_entries.cuh), Column,
// and WIDE_KEYS (columns need more than 23 bits).

#include "packed_entries.cuh"
#include "sorted_lanes.cuh"

using Key = either<WIDE_KEYS, uint64, unsigned>;
constexpr int NUMBER_BITS = 9;
constexpr Key NOTHING = ~Key(0);
constexpr int THREADS = 256;

template <int LANES, int EACH_LANE>
DEVICE void sort_short_rows(
    const int64* list, int64 count, const int* starts, const Packed* packed, Column* columns, Bits* values, int64* repeated
) {
    using Lanes = SortedLanes<LANES, EACH_LANE, Key>;
    __shared__ Bits shared[VALUED ? THREADS * EACH_LANE : 1];
    __shared__ unsigned shared_columns[THREADS * EACH_LANE];
    int rank = Lanes::rank(), group = int(threadIdx.x - rank) * EACH_LANE;
    Bits* own_values = shared + (VALUED ? group : 0);
    unsigned* own_columns = shared_columns + group;
    int64 found = 0;
    constexpr int GROUPS = 32 / LANES;
    for (int64 base = warp_in_grid() * GROUPS; base < count; base += warps_in_grid() * GROUPS) {
        int64 number = base + lane() / LANES, i = number < count ? list[number] : -1;
        int64 start = i < 0 ? 0 : starts[i];
        int length = i < 0 ? 0 : int(starts[i + 1] - start);
        Key keys[EACH_LANE];
#pragma unroll
        for (int r = 0; r < EACH_LANE; ++r) {
            int place = r * LANES + rank;
            keys[r] = NOTHING;
            if (place >= length) continue;
            Packed entry = packed[start + place];
            keys[r] = Key(entry.coordinate) << NUMBER_BITS | Key(place);
            if constexpr (VALUED) own_values[place] = value_of(entry);
        }
        Lanes::sort(keys);
        Key before = from_lower(keys[EACH_LANE - 1], 1);
        __syncwarp();
        Bits sorted[EACH_LANE];
#pragma unroll
        for (int r = 0; r < EACH_LANE; ++r) {
            bool there = keys[r] != NOTHING;
            if constexpr (VALUED) sorted[r] = there ? own_values[keys[r] & ((1 << NUMBER_BITS) - 1)] : Bits(0);
            found += there && (r > 0 || rank > 0) && before >> NUMBER_BITS == keys[r] >> NUMBER_BITS;
            before = keys[r];
        }
        __syncwarp();
        // Through shared memory, so that neighbours write to neighbours.
#pragma unroll
        for (int r = 0; r < EACH_LANE; ++r) {
            int place = rank * EACH_LANE + r;
            if (place >= length) continue;
            own_columns[place] = unsigned(keys[r] >> NUMBER_BITS);
            if constexpr (VALUED) own_values[place] = sorted[r];
        }
        __syncwarp();
        for (int place = rank; place < length; place += LANES) {
            columns[start + place] = Column(own_columns[place]);
            if constexpr (VALUED) values[start + place] = own_values[place];
        }
        __syncwarp();
    }
    add_to_counter(repeated, found);
}

#define GIVEN                                                                                                    \
    const int64 *list, int64 count, const int *starts, const Packed *packed, Column *columns, Bits *values, int64 *repeated
#define UNPACKED list, count, starts, packed, columns, values, repeated

extern "C" __global__ void __launch_bounds__(256) sort_8_kernel(GIVEN) { sort_short_rows<8, 1>(UNPACKED); }
extern "C" __global__ void __launch_bounds__(256) sort_16_kernel(GIVEN) { sort_short_rows<16, 1>(UNPACKED); }
extern "C" __global__ void __launch_bounds__(256) sort_32_kernel(GIVEN) { sort_short_rows<32, 1>(UNPACKED); }
extern "C" __global__ void __launch_bounds__(256) sort_64_kernel(GIVEN) { sort_short_rows<32, 2>(UNPACKED); }
extern "C" __global__ void __launch_bounds__(256) sort_128_kernel(GIVEN) { sort_short_rows<32, 4>(UNPACKED); }
extern "C" __global__ void __launch_bounds__(256) sort_256_kernel(GIVEN) { sort_short_rows<32, 8>(UNPACKED); }
extern "C" __global__ void __launch_bounds__(256) sort_512_kernel(GIVEN) { sort_short_rows<32, 16>(UNPACKED); }

#ifdef __CUDA_ARCH__
extern __shared__ unsigned dynamic_memory[];
#else
static unsigned dynamic_memory[16384];  // an emulation
#endif
constexpr int WORDS_TOGETHER = 4;  // whose bits before are counted once

// A block takes a row, and of that so many columns at a time as `window`, a multiple of 128.
extern "C" __global__ void __launch_bounds__(1024, 1) rank_rows_kernel(GIVEN, int64 ncols, int64 window) {
    __shared__ int64 shared[32];
    unsigned* bits = dynamic_memory;
    int words = int(window >> 5), groups = words / WORDS_TOGETHER;
    unsigned* before = bits + words;
    int64 found = 0;
    for (int64 number = blockIdx.x; number < count; number += gridDim.x) {
        int64 i = list[number], start = starts[i], stop = starts[i + 1], out = start;
        for (int64 lo = 0; lo < ncols; lo += window) {
            for (int word = threadIdx.x; word < words; word += blockDim.x) bits[word] = 0;
            __syncthreads();
#pragma unroll 4
            for (int64 p = start + threadIdx.x; p < stop; p += blockDim.x) {
                uint64 j = uint64(packed[p].coordinate) - uint64(lo);
                if (j >= uint64(window)) continue;
                unsigned bit = 1u << (j & 31);
                found += (atomicOr(bits + (j >> 5), bit) & bit) != 0;
            }
            __syncthreads();
            for (int base = 0; base < groups; base += blockDim.x) {
                int group = base + threadIdx.x, own = 0;
                if (group < groups)
                    for (int n = 0; n < WORDS_TOGETHER; ++n) own += __popc(bits[group * WORDS_TOGETHER + n]);
                int64 total, place = block_offset(own, total, shared);
                if (group < groups) before[group] = unsigned(out - start + place);
                out += total;
            }
            __syncthreads();
#pragma unroll 2
            for (int64 p = start + threadIdx.x; p < stop; p += blockDim.x) {
                Packed entry = packed[p];
                uint64 j = uint64(entry.coordinate) - uint64(lo);
                if (j >= uint64(window)) continue;
                int word = int(j >> 5);
                int64 place = start + before[word / WORDS_TOGETHER] + __popc(bits[word] & ((1u << (j & 31)) - 1));
                for (int n = word & ~(WORDS_TOGETHER - 1); n < word; ++n) place += __popc(bits[n]);
                columns[place] = Column(entry.coordinate);
                if constexpr (VALUED) values[place] = value_of(entry);
            }
            __syncthreads();
        }
    }
    add_to_counter(repeated, found);
}
