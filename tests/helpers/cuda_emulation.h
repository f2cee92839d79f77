// CUDA's threads as fibers on one CPU thread: enough of it to run kernels, slowly, where there is no GPU.
// `static` memory is the shared memory of the block that runs. Blocks run one after another, in every other launch from the last to the
// first, or, if they wait for each other, by turns: then every block has a copy of the memory, which is brought where it belongs. A fiber
// runs until it waits for others.

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
#define __noinline__ __attribute__((noinline))
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
static long* progress;  // of all blocks: whoever waits for something that nobody does any more waits for ever
template <class T, class F> T update(T* address, F f) {
    T old = *address;
    *address = f(old);
    ++*progress;
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
struct Meeting {
    unsigned arrived = 0, generation = 0;
    void wait(unsigned expected);
};
struct Warp {
    Meeting meeting;  // its generation says how often the lanes have met
    unsigned long long slots[32];
};
struct Body {
    virtual void run() = 0;
};
// On the heap, since it belongs to no block.
struct Machine {
    ucontext_t scheduler;
    std::vector<ucontext_t> fibers;  // of all blocks that run by turns
    std::vector<char> done, stacks;
    std::vector<Warp> warps;
    std::vector<Meeting> blocks;
    std::vector<std::vector<char>> shared;  // memory of the blocks
    unsigned first;  // of these blocks
    unsigned most_meetings;  // of the lanes of one warp
    Body* body;
};
static Machine* machine;
extern "C" unsigned most_meetings() { return machine->most_meetings; }
inline unsigned fiber_number() { return (blockIdx.x - machine->first) * blockDim.x + threadIdx.x; }
inline Warp& warp_here() { return machine->warps[fiber_number() / 32]; }
inline void yield() { swapcontext(&machine->fibers[fiber_number()], &machine->scheduler); }
inline void Meeting::wait(unsigned expected) {
    unsigned mine = generation;
    if (++arrived == expected) {
        arrived = 0;
        ++generation;
        ++*progress;
    } else {
        while (generation == mine) yield();
    }
}

inline void __syncthreads() { machine->blocks[blockIdx.x - machine->first].wait(blockDim.x); }
inline int __syncthreads_or(int flag) {
    static int found;
    __syncthreads();
    found = 0;
    __syncthreads();
    if (flag) found = 1;
    __syncthreads();
    return found;
}
inline void __syncwarp(unsigned = 0xffffffffu) { warp_here().meeting.wait(32); }
inline void __nanosleep(unsigned) { yield(); }
inline void __threadfence() {}
inline void __threadfence_system() {}

// What every lane of the warp puts in, as seen by use(slots).
template <class T, class Use> auto exchange(T value, Use use) {
    Warp& warp = warp_here();
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

inline void fiber() {
    machine->body->run();
    machine->done[fiber_number()] = 1;
    ++*progress;
    yield();
}

// All that is `static` and zero at first: the shared memory of the block whose turn it is.
extern char __bss_start[] __attribute__((visibility("hidden"))), _end[] __attribute__((visibility("hidden")));
inline void bring(std::vector<char>& from) { memcpy(__bss_start, from.data(), from.size()); }
inline void put_away(std::vector<char>& to) { to.assign(__bss_start, _end); }

// Some blocks, from `first` to before `last`, by turns. A block goes on until all of it waits for others, and every other turn begins with
// the last one: whoever reads what another block writes without waiting for it reads too early.
inline void run_together(unsigned first, unsigned last, unsigned threads) {
    Machine& here = *machine;
    unsigned count = last - first, fibers = count * threads;
    here.first = first;
    here.stacks.resize(fibers * STACK);
    here.fibers.resize(fibers);
    here.done.assign(fibers, 0);
    here.warps.assign(fibers / 32, Warp());
    here.blocks.assign(count, Meeting());
    here.shared.resize(count);
    for (unsigned f = 0; f < fibers; ++f) {
        ucontext_t& one = here.fibers[f];
        getcontext(&one);
        one.uc_stack.ss_sp = &here.stacks[f * STACK];
        one.uc_stack.ss_size = STACK;
        one.uc_link = &here.scheduler;
        makecontext(&one, fiber, 0);
    }
    if (count > 1)
        for (auto& each : here.shared) put_away(each);
    bool backwards = count > 1;  // a block alone begins with its first warp
    for (bool running = true; running; backwards = !backwards) {
        running = false;
        long before = *progress;
        for (unsigned b = 0; b < count; ++b) {
            unsigned block = backwards ? last - 1 - b : first + b;
            if (count > 1) bring(machine->shared[block - first]);
            blockIdx = {block};
            bool waits = false;
            for (long then = *progress - 1; *progress != then;) {
                then = *progress;
                waits = false;
                for (unsigned t = 0; t < threads; ++t) {
                    threadIdx = {backwards ? threads - 1 - t : t};
                    unsigned f = fiber_number();
                    if (machine->done[f]) continue;
                    swapcontext(&machine->scheduler, &machine->fibers[f]);
                    waits = waits || !machine->done[f];
                }
            }
            running = running || waits;
            if (count > 1) put_away(machine->shared[block - first]);
        }
        if (running && *progress == before) {
            fprintf(stderr, "threads wait for each other\n");
            exit(3);
        }
    }
    for (const Warp& warp : here.warps)
        if (warp.meeting.generation > here.most_meetings) here.most_meetings = warp.meeting.generation;
}

inline void run_blocks(unsigned grid, unsigned threads, bool together, Body& kernel) {
    if (!machine) machine = new Machine, progress = new long(0);
    machine->body = &kernel;
    machine->most_meetings = 0;
    blockDim = {threads};
    gridDim = {grid};
    if (together) return run_together(0, grid, threads);
    static long* launches = new long(0);  // which is no block's either
    bool backwards = ++*launches % 2 == 0;
    for (unsigned b = 0; b < grid; ++b) {
        unsigned block = backwards ? grid - 1 - b : b;
        run_together(block, block + 1, threads);
    }
}

template <class... Parameters, size_t... Number>
int launch_with(
    void (*kernel)(Parameters...), unsigned grid, unsigned threads, bool together, void** arguments, int count,
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
    run_blocks(grid, threads, together, call);
    return -1;
}
template <class... Parameters>
int launch(void (*kernel)(Parameters...), unsigned grid, unsigned threads, bool together, void** arguments, int count) {
    return launch_with(kernel, grid, threads, together, arguments, count, std::index_sequence_for<Parameters...>());
}
