// Where a thread stands in the grid, and sums and lists made by whole warps and blocks. Blocks have whole warps.

#ifndef BLOCK_COUNT
#define BLOCK_COUNT gridDim.x  // how many blocks share the work (grid_barrier.cuh may say fewer)
#endif

constexpr unsigned FULL_WARP = 0xffffffffu;

// Read at each use: a compiler that knows that it is constant spills it to memory, which takes far longer.
DEVICE unsigned thread() {
#ifdef __CUDA_ARCH__
    unsigned number;
    asm volatile("mov.u32 %0, %tid.x;" : "=r"(number));
    return number;
#else
    return threadIdx.x;
#endif
}
DEVICE int lane() { return threadIdx.x & 31; }
DEVICE int64 thread_in_grid() { return int64(blockIdx.x) * blockDim.x + thread(); }
DEVICE int64 threads_in_grid() { return int64(BLOCK_COUNT) * blockDim.x; }
DEVICE int64 warp_in_grid() { return thread_in_grid() >> 5; }
DEVICE int64 warps_in_grid() { return threads_in_grid() >> 5; }

// The number of a thread for `items` of work beside a step: the first warps of all blocks have the step's work, so few items go to the last
// ones, in works of different `place` to different ones. Many items go to whole blocks.
DEVICE int64 spare_thread(int64 items, int place) {
    if (8 * items > threads_in_grid()) return thread_in_grid();
    unsigned warps = (blockDim.x >> 5) * BLOCK_COUNT, before = (thread() >> 5) * BLOCK_COUNT + blockIdx.x + place * (warps >> 3);
    unsigned number = warps - 1 - (before < warps ? before : before - warps);
    return int64(number) * 32 + lane();
}

// A pointer that was kept in shared memory: the compiler then assumes that it may point to shared memory, too.
template <class T> DEVICE T* global(T* address) {
#ifdef __CUDA_ARCH__
    __builtin_assume(__isGlobal(address));
#endif
    return address;
}

// Data in shared memory, for a function that is not inlined, whose compiler does not know the address space.
template <class T> DEVICE T& in_block(T& object) {
#ifdef __CUDA_ARCH__
    __builtin_assume(__isShared(&object));
#endif
    return object;
}

// A count: on the device if a pointer is given, otherwise known by the host.
DEVICE int64 counted(const int64* on_device, int64 from_host) { return on_device ? *on_device : from_host; }

template <class T> DEVICE T from_lane(T value, int source) {
    if constexpr (is_float<T> || sizeof(T) == 8) return __shfl_sync(FULL_WARP, value, source);
    else return T(__shfl_sync(FULL_WARP, int(value), source));
}
template <class T> DEVICE T from_lower(T value, int distance) {
    if constexpr (is_float<T> || sizeof(T) == 8) return __shfl_up_sync(FULL_WARP, value, distance);
    else return T(__shfl_up_sync(FULL_WARP, int(value), distance));
}
template <class T> DEVICE T from_higher(T value, int distance) {
    if constexpr (is_float<T> || sizeof(T) == 8) return __shfl_down_sync(FULL_WARP, value, distance);
    else return T(__shfl_down_sync(FULL_WARP, int(value), distance));
}

// The sum of a number over the lanes up to this one.
template <class T> DEVICE T inclusive_sum(T number) {
    UNROLLED for (int distance = 1; distance < 32; distance <<= 1) {
        T lower = from_lower(number, distance);
        if (lane() >= distance) number += lower;
    }
    return number;
}

// The union over a warp, in all lanes.
DEVICE unsigned warp_union(unsigned bits) {
#ifdef __CUDA_ARCH__
    return __reduce_or_sync(FULL_WARP, bits);
#else
    for (int distance = 16; distance > 0; distance >>= 1) bits |= __shfl_xor_sync(FULL_WARP, bits, distance);
    return bits;
#endif
}

// The sum over a warp, in all lanes.
DEVICE unsigned sum_of_lanes(unsigned number) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(FULL_WARP, number);
#else
    for (int distance = 16; distance > 0; distance >>= 1) number += __shfl_xor_sync(FULL_WARP, number, distance);
    return number;
#endif
}

// The sum over a warp, in lane 0.
DEVICE int64 warp_total(int64 number) {
    for (int distance = 16; distance > 0; distance >>= 1) number += from_higher(number, distance);
    return number;
}

// Atomic add by one thread of a warp; returns the old value. Hidden from the compiler, which would aggregate over the warp first.
DEVICE int64 add_alone(int64* counter, int64 number) {
#ifdef __CUDA_ARCH__
    int64 before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(counter), "l"(number) : "memory");
    return before;
#else
    return int64(atomicAdd((uint64*)counter, uint64(number)));
#endif
}

// Every thread of the grid calls it once, after its loop: one atomic per warp.
CALLABLE void add_to_counter(int64* counter, int64 number) {
    if (!__any_sync(FULL_WARP, number != 0)) return;
    number = warp_total(number);
    if (lane() == 0 && number != 0) add_alone(counter, number);
}

// The next free places of a list for the lanes that want one; all lanes of the warp call it together.
DEVICE int64 place_in_list(int64* counter, bool wanted) {
    unsigned wanting = __ballot_sync(FULL_WARP, wanted);
    int64 first = 0;
    if (lane() == 0 && wanting) first = add_alone(counter, __popc(wanting));
    return from_lane(first, 0) + __popc(wanting & ((1u << lane()) - 1));
}

// The exclusive sum over the threads of a block, and the total; `shared` holds 32 numbers. All threads call it.
CALLABLE int64 block_offset(int64 number, int64& total, int64* shared) {
    int64 inclusive = inclusive_sum(number);
    int warps = int(blockDim.x >> 5), mine = int(threadIdx.x >> 5);
    __syncthreads();  // threads may still read the numbers of an earlier call
    if (lane() == 31) shared[mine] = inclusive;
    __syncthreads();
    int64 before = 0;
    total = 0;
    for (int warp = 0; warp < warps; ++warp) {
        if (warp < mine) before += shared[warp];
        total += shared[warp];
    }
    return before + inclusive - number;
}

// The first place from lo on that does not pass, or hi; no place behind it passes.
template <class Passes> DEVICE int64 first_above(int64 lo, int64 hi, Passes passes) {
    while (lo < hi) {
        int64 middle = (lo + hi) >> 1;
        if (passes(middle)) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}
// How many of the ascending numbers[lo..hi) are at most `wanted`, counted from 0.
template <class T> DEVICE int64 upper_bound(const T* numbers, int64 lo, int64 hi, T wanted) {
    return first_above(lo, hi, [&](int64 at) { return numbers[at] <= wanted; });
}
// The first place in [lo, hi) whose number is at least `wanted`, or hi.
template <class T> DEVICE int64 lower_bound(const T* numbers, int64 lo, int64 hi, int64 wanted) {
    return first_above(lo, hi, [&](int64 at) { return numbers[at] < wanted; });
}

// Flags of a byte each, which several threads may set at once.

// Sets a flag; true for the one thread that changed it. Atomics work on the word that contains it.
DEVICE bool first_to_set(bool* flag) {
    uint64 address = uint64(flag);
    unsigned bit = 1u << (address & 3) * 8;
    return !(atomicOr((unsigned*)(address & ~uint64(3)), bit) & bit);
}

// Clears a flag; whether it was set before.
DEVICE bool first_to_clear(bool* flag) {
    uint64 address = uint64(flag);
    unsigned bit = 1u << (address & 3) * 8;
    return atomicAnd((unsigned*)(address & ~uint64(3)), ~bit) & bit;
}

// The dynamic shared memory of a launch, if it has any.

DEVICE uint64* dynamic_shared() {
#ifdef __CUDA_ARCH__
    extern __shared__ uint64 dynamic_memory[];
#else
    static uint64 dynamic_memory[8192];  // an emulation
#endif
    return dynamic_memory;
}
DEVICE unsigned dynamic_bytes() {
    unsigned bytes = 64;
#ifdef __CUDA_ARCH__
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
#endif
    return bytes;
}

// A position as the user gave it, of any type: negative ones count from the end. It may be outside of 0 ... size.

template <class Given> DEVICE int64 given_position(Given number, int64 size) {
    return int64(number) + (is_signed<Given> && number < Given(0) ? size : 0);
}

// Cooperation of warps and blocks besides sums and lists: searches by a whole warp, and work for the last block.

// As first_above. All lanes of the warp pass the same arguments and probe 32 places at a time, so that a million places take four steps
// instead of twenty.
template <class Passes> DEVICE int64 warp_first_above(int64 lo, int64 hi, Passes passes) {
    while (lo < hi) {
        int64 step = (hi - lo + 31) >> 5, probe = lo + (lane() + 1) * step - 1;
        int passed = __popc(__ballot_sync(FULL_WARP, probe < hi && passes(probe)));
        int64 end = lo + (passed + 1) * step - 1;  // this place is known not to pass, or is beyond the end
        lo += passed * step;
        if (end < hi) hi = end;
    }
    return lo;
}
// The number of the ascending numbers[0..count) that are at most `wanted`.
template <class T> DEVICE int64 warp_upper_bound(const T* numbers, int64 count, int64 wanted) {
    return warp_first_above(0, count, [&](int64 at) { return int64(numbers[at]) <= wanted; });
}

// True in the block that calls it last, which sees all earlier writes of the other blocks. All threads of all blocks call it once. `done`
// is 0 before and after.
DEVICE bool last_block(unsigned* done) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(done, 1u) == gridDim.x - 1;
        if (last) *done = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}
