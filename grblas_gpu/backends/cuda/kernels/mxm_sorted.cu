// mxm.gustavson, rows with few products: they are sorted by column in the registers of a group of lanes, and neighbours
// with the same column added up. The order of additions is that of the inner dimension, so sums are the same on every
// run. Generated: what mxm_rows.cuh needs, and WIDE_KEYS (columns need more than 23 bits, or 32 if nothing but the
// structure is wanted).

#include "mxm_rows.cuh"

// A column, and the number of the product among those of its row. All bits: no product. The host sees to it that columns
// are small enough.
using Key = either<WIDE_KEYS, uint64, unsigned>;
constexpr int NUMBER_BITS = STRUCTURE ? 0 : 9;
constexpr Key NOTHING = ~Key(0);
constexpr int THREADS = 256;

// Groups of LANES lanes take a row each, EACH_LANE keys to a lane. All lanes of a warp call these functions together; its
// groups do the same for different rows.
template <int LANES, int EACH_LANE> struct SortedRows {
    static constexpr int CAPACITY = LANES * EACH_LANE, GROUPS = 32 / LANES;
    // A row's part of shared memory: its products, then what leaves it.
    union Cell {
        Value value;
        Column column;
    };

    static DEVICE int rank() { return lane() & (LANES - 1); }
    static DEVICE int leader() { return lane() & ~(LANES - 1); }

    template <class T> static DEVICE T inclusive(T number) {
        UNROLLED for (int distance = 1; distance < LANES; distance <<= 1) {
            T lower = from_lower(number, distance);
            if (rank() >= distance) number += lower;
        }
        return number;
    }

    static DEVICE void exchange(Key& x, Key& y, bool ascending) {
        Key low = x < y ? x : y, high = x < y ? y : x;
        x = ascending ? low : high;
        y = ascending ? high : low;
    }
    // Strides below EACH_LANE of a bitonic merge; all of a lane's keys go in one direction.
    static DEVICE void merge_own(Key (&keys)[EACH_LANE], bool ascending) {
        UNROLLED for (int stride = EACH_LANE / 2; stride > 0; stride >>= 1)
            UNROLLED for (int r = 0; r < EACH_LANE; ++r)
                if (!(r & stride)) exchange(keys[r], keys[r | stride], ascending);
    }
    // Bitonic sort of the group's keys; afterwards lane by lane, EACH_LANE at a time, they ascend.
    static DEVICE void sort(Key (&keys)[EACH_LANE]) {
        UNROLLED for (int size = 2; size < EACH_LANE; size <<= 1)
            UNROLLED for (int stride = size / 2; stride > 0; stride >>= 1)
                UNROLLED for (int r = 0; r < EACH_LANE; ++r)
                    if (!(r & stride)) exchange(keys[r], keys[r | stride], !(r & size));
        merge_own(keys, !(rank() & 1));
        UNROLLED_BY(1) for (int lanes = 2; lanes <= LANES; lanes <<= 1) {
            bool ascending = lanes == LANES || !(rank() & lanes);
            UNROLLED_BY(1) for (int distance = lanes / 2; distance > 0; distance >>= 1) {
                bool keeps_low = ascending == !(rank() & distance);
                UNROLLED for (int r = 0; r < EACH_LANE; ++r) {
                    Key other = __shfl_xor_sync(FULL_WARP, keys[r], distance);
                    keys[r] = (other < keys[r]) == keeps_low ? other : keys[r];
                }
            }
            merge_own(keys, ascending);
        }
    }

    // Product number r * LANES + rank() of row i, for every r.
    static DEVICE void expand(const Operands& given, int64 i, bool exists, Key (&keys)[EACH_LANE], Cell* cells) {
        const LeftRows& a = given.a;
        const RightRows& b = given.b;
        UNROLLED for (int r = 0; r < EACH_LANE; ++r) keys[r] = NOTHING;
        int64 first = exists ? int64(a.indptr[i]) : 0, stop = exists ? int64(a.indptr[i + 1]) : 0;
        int before = 0;  // products of the entries before these
        for (; __any_sync(FULL_WARP, first < stop); first += LANES) {
            int64 k = 0;
            RightOffset begin = 0;
            int count = 0;
            if (first + rank() < stop) {
                k = a.indices[first + rank()];
                begin = b.indptr[k];
                count = int(b.indptr[k + 1] - begin);
            }
            int end = inclusive(count), total = from_lane(end, leader() + LANES - 1);
            RightOffset shift = begin - RightOffset(end - count);
            UNROLLED for (int r = 0; r < EACH_LANE; ++r) {
                if (EACH_LANE > 1 && (r * LANES >= before + total || (r + 1) * LANES <= before)) continue;  // a whole warp
                int number = r * LANES + rank() - before, owner = 0;
                UNROLLED for (int step = LANES / 2; step > 0; step >>= 1)
                    if (from_lane(end, leader() + owner + step - 1) <= number) owner += step;
                int64 q = int64(from_lane(shift, leader() + owner)) + number;
                int64 inner = from_lane(k, leader() + owner);
                if (number < 0 || number >= total) continue;
                int64 j = b.indices[q];
                if (!allowed(given.mask, i, j)) continue;
                int own = r * LANES + rank();
                keys[r] = Key(j) << NUMBER_BITS | Key(STRUCTURE ? 0 : own);
                if constexpr (!STRUCTURE) cells[own].value = product(given.values, i, inner, j, first + owner, q);
            }
            before += total;
        }
    }

    // Adds to the value of every first key those of the keys with the same column that follow.
    static DEVICE void add_up(const bool (&first)[EACH_LANE], const bool (&there)[EACH_LANE], Value (&sums)[EACH_LANE]) {
        bool any_first = first[EACH_LANE - 1];
        UNROLLED for (int r = EACH_LANE - 2; r >= 0; --r) {
            if (there[r + 1] && !first[r + 1]) sums[r] = add(sums[r], sums[r + 1]);
            any_first = any_first || first[r];
        }
        // What a lane begins with may belong to a key of a lane before.
        bool continues = there[0] && !first[0], passes = continues && !any_first;
        Value own = sums[0];
        UNROLLED_BY(1) for (int distance = 1; distance < LANES; distance <<= 1) {
            Value higher = from_higher(own, distance);
            bool higher_continues = from_higher(continues, distance), higher_passes = from_higher(passes, distance);
            bool inside = rank() + distance < LANES;
            if (passes) {
                if (inside && higher_continues) own = add(own, higher);
                passes = inside && higher_continues && higher_passes;
            }
        }
        Value next = from_higher(own, 1);
        bool taken = from_higher(continues, 1) && rank() + 1 < LANES;
        UNROLLED for (int r = EACH_LANE - 1; r >= 0; --r)
            if (taken && first[r]) {
                sums[r] = add(sums[r], next);
                taken = false;
            }
    }

    // The rows of a list. Where starts are given the result is written there, otherwise CAPACITY places a row.
    static DEVICE void run(
        const Operands& given, const int64* list, int64 count, const int64* starts, int64* counts, Column* out_indices,
        Value* out_values
    ) {
        __shared__ Cell shared[THREADS * EACH_LANE];
        if (out_indices != nullptr) write_constant(given.values, out_values);
        Cell* cells = shared + (threadIdx.x - rank()) * EACH_LANE;
        for (int64 base = warp_in_grid() * GROUPS; base < count; base += warps_in_grid() * GROUPS) {
            int64 number = base + lane() / LANES;
            bool exists = number < count;
            int64 i = exists ? list[number] : 0;
            Key keys[EACH_LANE];
            expand(given, i, exists, keys, cells);
            sort(keys);
            bool first[EACH_LANE], there[EACH_LANE];
            Key previous = from_lower(keys[EACH_LANE - 1], 1);
            int own = 0;
            bool repeated = false;
            UNROLLED for (int r = 0; r < EACH_LANE; ++r) {
                Key before = r ? keys[r ? r - 1 : 0] : previous;
                there[r] = keys[r] != NOTHING;
                first[r] = there[r] && ((r == 0 && rank() == 0) || keys[r] >> NUMBER_BITS != before >> NUMBER_BITS);
                own += first[r];
                repeated = repeated || (there[r] && !first[r]);
            }
            int place = inclusive(own), total = from_lane(place, leader() + LANES - 1);
            place -= own;
            Value sums[EACH_LANE];
            if constexpr (!STRUCTURE) {
                __syncwarp();
                UNROLLED for (int r = 0; r < EACH_LANE; ++r)
                    sums[r] = there[r] ? cells[keys[r] & ((1 << NUMBER_BITS) - 1)].value : Value(0);
                if (__any_sync(FULL_WARP, repeated)) add_up(first, there, sums);
            }
            int64 start = !exists ? 0 : starts ? starts[i] : number * CAPACITY;
            if (exists && counts && rank() == 0) counts[i] = total;
            if (out_indices == nullptr) continue;
            // Through shared memory, so that neighbours write to neighbours.
            __syncwarp();
            int at = place;
            UNROLLED for (int r = 0; r < EACH_LANE; ++r)
                if (first[r]) cells[at++].column = Column(keys[r] >> NUMBER_BITS);
            __syncwarp();
            for (int n = rank(); n < total; n += LANES) out_indices[start + n] = cells[n].column;
            __syncwarp();
            if constexpr (!STRUCTURE) {
                at = place;
                UNROLLED for (int r = 0; r < EACH_LANE; ++r)
                    if (first[r]) cells[at++].value = sums[r];
                __syncwarp();
                for (int n = rank(); n < total; n += LANES) out_values[start + n] = cells[n].value;
                __syncwarp();
            }
        }
    }
};

#define GIVEN                                                                                                    \
    OPERANDS, const int64 *list, int64 count, const int64 *starts, int64 *counts, Column *out_indices, Value *out_values
#define RUN(LANES, EACH_LANE)                                                                                    \
    MAKE_OPERANDS                                                                                                \
    SortedRows<LANES, EACH_LANE>::run(given, list, count, starts, counts, out_indices, out_values);

extern "C" __global__ void __launch_bounds__(256) sorted_8_kernel(GIVEN) { RUN(8, 1) }
extern "C" __global__ void __launch_bounds__(256) sorted_16_kernel(GIVEN) { RUN(16, 1) }
extern "C" __global__ void __launch_bounds__(256) sorted_32_kernel(GIVEN) { RUN(32, 1) }
extern "C" __global__ void __launch_bounds__(256) sorted_64_kernel(GIVEN) { RUN(32, 2) }
extern "C" __global__ void __launch_bounds__(256) sorted_128_kernel(GIVEN) { RUN(32, 4) }
extern "C" __global__ void __launch_bounds__(256) sorted_256_kernel(GIVEN) { RUN(32, 8) }
extern "C" __global__ void __launch_bounds__(256) sorted_512_kernel(GIVEN) { RUN(32, 16) }

constexpr int AT_ONCE = 4;

// From where rows were made, `capacity` places each, to where they belong; up to 32 lanes take a row.
extern "C" __global__ void copy_rows_kernel(
    const int64* list, int64 count, int64 capacity, const int64* starts, const int64* counts, const Column* indices,
    const Value* values, Column* out_indices, Value* out_values
) {
    int lanes = capacity < 32 ? int(capacity) : 32, rank = lane() & (lanes - 1);
    int64 groups = threads_in_grid() / lanes;
    if (STRUCTURE && thread_in_grid() == 0) out_values[0] = values[0];
    for (int64 number = thread_in_grid() / lanes; number < count; number += groups) {
        int64 i = list[number], from = number * capacity, start = starts[i], total = counts[i];
        for (int64 first = rank; first < total; first += AT_ONCE * lanes) {
            Column columns[AT_ONCE];
            Value sums[STRUCTURE ? 1 : AT_ONCE];
            UNROLLED for (int n = 0; n < AT_ONCE; ++n) {  // all are in flight before the first is written
                int64 place = first + n * lanes;
                if (place >= total) continue;
                columns[n] = indices[from + place];
                if constexpr (!STRUCTURE) sums[n] = values[from + place];
            }
            UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
                int64 place = first + n * lanes;
                if (place >= total) continue;
                out_indices[start + place] = columns[n];
                if constexpr (!STRUCTURE) out_values[start + place] = sums[n];
            }
        }
    }
}
