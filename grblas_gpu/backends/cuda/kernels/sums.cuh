// Results that many threads add to at once: flags of what was touched, and sums (atomics.cuh). Generated: the type Value, and what
// atomics.cuh needs.

#include "atomics.cuh"

// Untouched sums hold initial(), and their bit is not set.
struct Sums {
    uint8* marks;
    unsigned bit;
    Value* values;
};

DEVICE bool touched(const Sums& sums, int64 i) { return ((volatile uint8*)sums.marks)[i] & sums.bit; }

// Sets the bit; true for the one thread that finds it unset. Marks are bytes, atomics work on the word around them.
DEVICE bool touch(const Sums& sums, int64 i) {
    uint64 address = uint64(sums.marks + i);
    unsigned bit = sums.bit << (address & 3) * 8;
    return !(atomicOr((unsigned*)(address & ~uint64(3)), bit) & bit);
}
// The same for those positions that are `wanted`, all in flight before the first arrives.
template <int COUNT, class Index> DEVICE void touch_wanted(bool (&wanted)[COUNT], const Sums& sums, const Index (&i)[COUNT]) {
#ifdef __CUDA_ARCH__
    unsigned bit[COUNT], before[COUNT];
    UNROLLED for (int n = 0; n < COUNT; ++n) {
        uint64 address = uint64(sums.marks + i[n]);
        bit[n] = sums.bit << (address & 3) * 8;
        asm volatile(
            "{ .reg .pred wanted; setp.ne.u32 wanted, %3, 0; mov.u32 %0, %2; @wanted atom.relaxed.gpu.global.or.b32 %0, [%1], %2; }"
            : "=r"(before[n]) : "l"(address & ~uint64(3)), "r"(bit[n]), "r"(unsigned(wanted[n])) : "memory");
    }
    UNROLLED for (int n = 0; n < COUNT; ++n) wanted[n] = !(before[n] & bit[n]);
#else
    for (int n = 0; n < COUNT; ++n) wanted[n] = wanted[n] && touch(sums, i[n]);
#endif
}
DEVICE bool first_touch(const Sums& sums, int64 i) { return !touched(sums, i) && touch(sums, i); }
