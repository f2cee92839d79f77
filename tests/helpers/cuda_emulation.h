// CUDA's threads as fibers on one CPU thread: enough of it to run kernels, slowly, where there is no GPU.
// Blocks run one after another, so `static` memory is a block's shared memory. A fiber runs until it waits for others.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <utility>
#include <vector>

#define __device__
#define __global__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)

struct Index {
    unsigned x;
};
static Index threadIdx, blockIdx, blockDim, gridDim;

// --- bits ---
template <class To, class From> To same_bits(From from) {
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
inline float __int_as_float(int x) { return same_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return same_bits<float>(x); }
inline int __float_as_int(float x) { return same_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
inline double __longlong_as_double(long long x) { return same_bits<double>(x); }
inline long long __double_as_longlong(double x) { return same_bits<long long>(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(unsigned x) { return __builtin_ffs(int(x)); }
inline int __clz(unsigned x) { return x ? __builtin_clz(x) : 32; }

// --- atomics: nothing runs at the same time ---
template <class T, class F> T update(T* address, F f) {
    T old = *address;
    *address = f(old);
    return old;
}
template <class T> T atomicAdd(T* address, T value) { return update(address, [=](T old) { return T(old + value); }); }
template <class T> T atomicMin(T* address, T value) { return update(address, [=](T old) { return old < value ? old : value; }); }
template <class T> T atomicMax(T* address, T value) { return update(address, [=](T old) { return old > value ? old : value; }); }
template <class T> T atomicAnd(T* address, T value) { return update(address, [=](T old) { return T(old & value); }); }
template <class T> T atomicOr(T* address, T value) { return update(address, [=](T old) { return T(old | value); }); }
template <class T> T atomicXor(T* address, T value) { return update(address, [=](T old) { return T(old ^ value); }); }
template <class T> T atomicExch(T* address, T value) { return update(address, [=](T) { return value; }); }
template <class T> T atomicCAS(T* address, T expected, T value) {
    return update(address, [=](T old) { return old == expected ? value : old; });
}

// --- fibers ---
constexpr size_t STACK = 64 * 1024;
static ucontext_t scheduler;
static std::vector<ucontext_t> fibers;
static std::vector<char> done;
static long progress;

inline void yield() { swapcontext(&fibers[threadIdx.x], &scheduler); }

struct Meeting {
    unsigned arrived = 0, generation = 0;
    void wait(unsigned expected) {
        unsigned mine = generation;
        if (++arrived == expected) {
            arrived = 0;
            ++generation;
            ++progress;
        } else {
            while (generation == mine) yield();
        }
    }
};
struct Warp {
    Meeting meeting;
    unsigned long long slots[32];
};
static Meeting block_meeting;
static std::vector<Warp> warps;

inline void __syncthreads() { block_meeting.wait(blockDim.x); }
inline void __syncwarp(unsigned = 0xffffffffu) { warps[threadIdx.x / 32].meeting.wait(32); }
inline void __threadfence() {}
inline void __threadfence_system() {}

// What every lane of the warp puts in, as seen by use(slots).
template <class T, class Use> auto exchange(T value, Use use) {
    Warp& warp = warps[threadIdx.x / 32];
    memcpy(&warp.slots[threadIdx.x % 32], &value, sizeof value);
    warp.meeting.wait(32);
    auto result = use(warp.slots);
    warp.meeting.wait(32);
    return result;
}
template <class T> T from(T value, int lane) {
    int own = threadIdx.x % 32;
    return exchange(value, [=](unsigned long long* slots) {
        T result;
        memcpy(&result, &slots[lane < 0 || lane > 31 ? own : lane], sizeof result);
        return result;
    });
}
template <class T> T __shfl_sync(unsigned, T value, int lane) { return from(value, lane & 31); }
template <class T> T __shfl_up_sync(unsigned, T value, int distance) { return from(value, int(threadIdx.x % 32) - distance); }
template <class T> T __shfl_down_sync(unsigned, T value, int distance) { return from(value, int(threadIdx.x % 32) + distance); }
template <class T> T __shfl_xor_sync(unsigned, T value, int mask) { return from(value, int(threadIdx.x % 32) ^ mask); }
inline unsigned __ballot_sync(unsigned, bool vote) {
    return exchange((unsigned long long)(vote), [](unsigned long long* slots) {
        unsigned votes = 0;
        for (int lane = 0; lane < 32; ++lane) votes |= unsigned(slots[lane] != 0) << lane;
        return votes;
    });
}
inline bool __any_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) != 0; }
inline bool __all_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) == 0xffffffffu; }

struct Body {
    virtual void run() = 0;
};
static Body* body;
inline void fiber() {
    body->run();
    done[threadIdx.x] = 1;
    ++progress;
    swapcontext(&fibers[threadIdx.x], &scheduler);
}

inline void run_blocks(unsigned grid, unsigned threads, Body& kernel) {
    static std::vector<char> stacks;
    stacks.resize(threads * STACK);
    fibers.resize(threads);
    body = &kernel;
    blockDim = {threads};
    gridDim = {grid};
    for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x) {
        done.assign(threads, 0);
        warps.assign(threads / 32, Warp());
        block_meeting = Meeting();
        for (unsigned t = 0; t < threads; ++t) {
            getcontext(&fibers[t]);
            fibers[t].uc_stack.ss_sp = &stacks[t * STACK];
            fibers[t].uc_stack.ss_size = STACK;
            fibers[t].uc_link = &scheduler;
            makecontext(&fibers[t], fiber, 0);
        }
        for (bool running = true; running;) {
            running = false;
            long before = progress;
            for (unsigned t = 0; t < threads; ++t) {
                if (done[t]) continue;
                threadIdx = {t};
                swapcontext(&scheduler, &fibers[t]);
                running = running || !done[t];
            }
            if (running && progress == before) {
                fprintf(stderr, "threads wait for each other\n");
                exit(3);
            }
        }
    }
}

template <class... Parameters, size_t... Number>
int launch_with(
    void (*kernel)(Parameters...), unsigned grid, unsigned threads, void** arguments, int count,
    std::index_sequence<Number...>
) {
    if (count != int(sizeof...(Parameters))) return sizeof...(Parameters);
    struct Call : Body {
        void (*kernel)(Parameters...);
        void** arguments;
        void run() override { kernel(*(Parameters*)arguments[Number]...); }
    } call;
    call.kernel = kernel;
    call.arguments = arguments;
    run_blocks(grid, threads, call);
    return -1;
}
template <class... Parameters>
int launch(void (*kernel)(Parameters...), unsigned grid, unsigned threads, void** arguments, int count) {
    return launch_with(kernel, grid, threads, arguments, count, std::index_sequence_for<Parameters...>());
}
