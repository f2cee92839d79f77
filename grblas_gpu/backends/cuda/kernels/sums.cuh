// Results that many threads add to at once: flags of what was touched, and sums by the processor's atomics where the
// operator has one (NATIVE), by compare-and-swap for any other operator and type. Generated: the type Value, NATIVE, and add.

constexpr int NATIVE_ADD = 1, NATIVE_MIN = 2, NATIVE_MAX = 3, NATIVE_AND = 4, NATIVE_OR = 5, NATIVE_XOR = 6;

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
#pragma unroll
    for (int n = 0; n < COUNT; ++n) {
        uint64 address = uint64(sums.marks + i[n]);
        bit[n] = sums.bit << (address & 3) * 8;
        asm volatile(
            "{ .reg .pred wanted; setp.ne.u32 wanted, %3, 0; mov.u32 %0, %2; @wanted atom.relaxed.gpu.global.or.b32 %0, [%1], %2; }"
            : "=r"(before[n]) : "l"(address & ~uint64(3)), "r"(bit[n]), "r"(unsigned(wanted[n])) : "memory");
    }
#pragma unroll
    for (int n = 0; n < COUNT; ++n) wanted[n] = !(before[n] & bit[n]);
#else
    for (int n = 0; n < COUNT; ++n) wanted[n] = wanted[n] && touch(sums, i[n]);
#endif
}
DEVICE bool first_touch(const Sums& sums, int64 i) { return !touched(sums, i) && touch(sums, i); }

template <class T, class Word> DEVICE T from_bits(Word word) {
    if constexpr (same_type<T, float>) return __uint_as_float(word);
    else if constexpr (same_type<T, double>) return __longlong_as_double(word);
    else return T(word);
}
template <class Word, class T> DEVICE Word to_bits(T value) {
    if constexpr (same_type<T, float>) return __float_as_uint(value);
    else if constexpr (same_type<T, double>) return Word(__double_as_longlong(value));
    else if constexpr (sizeof(T) == 1) return Word(uint8(value));
    else if constexpr (sizeof(T) == 2) return Word(uint16(value));
    else return Word(value);
}

// *address = add(*address, z). A value that changes nothing is not written.
DEVICE void swap_in(Value* address, Value z) {
    using Word = either<sizeof(Value) == 8, uint64, unsigned>;
    constexpr bool narrow = sizeof(Value) < 4;
    uint64 place = uint64(address);
    Word* word = (Word*)(narrow ? place & ~uint64(3) : place);
    int shift = narrow ? int(place & 3) * 8 : 0;
    Word bits = narrow ? (Word(1) << sizeof(Value) % 4 * 8) - 1 : ~Word(0);
    Word old = *(volatile Word*)word;
    while (true) {
        Value current = from_bits<Value>(Word(old >> shift & bits));
        Word wanted = (old & ~(bits << shift)) | to_bits<Word>(add(current, z)) << shift;
        if (wanted == old) return;
        Word seen = atomicCAS(word, old, wanted);
        if (seen == old) return;
        old = seen;
    }
}

// A template, because an `if constexpr` outside of one must be valid in all its branches.
template <int native, class T> DEVICE void add_natively(T* address, T z) {
    using Integer = either<sizeof(T) == 8, either<is_signed<T>, int64, uint64>, T>;
    using Bits = either<sizeof(T) == 8, uint64, T>;
    if constexpr (native == NATIVE_ADD && is_float<T>) atomicAdd(address, z);
    else if constexpr (native == NATIVE_ADD) atomicAdd((Bits*)address, Bits(z));
    else if constexpr (native == NATIVE_MIN) atomicMin((Integer*)address, Integer(z));
    else if constexpr (native == NATIVE_MAX) atomicMax((Integer*)address, Integer(z));
    else if constexpr (native == NATIVE_AND) atomicAnd((Bits*)address, Bits(z));
    else if constexpr (native == NATIVE_OR) atomicOr((Bits*)address, Bits(z));
    else if constexpr (native == NATIVE_XOR) atomicXor((Bits*)address, Bits(z));
}

DEVICE void add_atomically(Value* address, Value z) {
    if constexpr (NATIVE == 0) swap_in(address, z);
    else add_natively<NATIVE>(address, z);
}
