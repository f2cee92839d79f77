// Values that many threads add to at once: by the processor's atomics where the operator has one (NATIVE), by compare-and-swap for any
// other operator and type. Generated: NATIVE, and add.

constexpr int NATIVE_ADD = 1, NATIVE_MIN = 2, NATIVE_MAX = 3, NATIVE_AND = 4, NATIVE_OR = 5, NATIVE_XOR = 6;

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

// *address = add(*address, z). A value that changes nothing is not written. A template, as what follows: not all types fit a word.
template <class T> DEVICE void swap_in(T* address, T z) {
    using Word = either<sizeof(T) == 8, uint64, unsigned>;
    constexpr bool narrow = sizeof(T) < 4;
    uint64 place = uint64(address);
    Word* word = (Word*)(narrow ? place & ~uint64(3) : place);
    int shift = narrow ? int(place & 3) * 8 : 0;
    Word bits = narrow ? (Word(1) << sizeof(T) % 4 * 8) - 1 : ~Word(0);
    Word old = *(volatile Word*)word;
    while (true) {
        T current = from_bits<T>(Word(old >> shift & bits));
        Word wanted = (old & ~(bits << shift)) | to_bits<Word>(add(current, z)) << shift;
        if (wanted == old) return;
        Word seen = atomicCAS(word, old, wanted);
        if (seen == old) return;
        old = seen;
    }
}

// *address = min(*address, z) for floats; what was there. They are compared by their bits, negative ones in reverse order, and a
// positive NaN is above all: sums of min begin with it.
template <class T> DEVICE T lower_float(T* address, T z) {
    using Signed = either<sizeof(T) == 8, int64, int>;
    using Unsigned = either<sizeof(T) == 8, uint64, unsigned>;
    Unsigned bits = to_bits<Unsigned>(z);
    if (Signed(bits) < 0) return from_bits<T>(atomicMax((Unsigned*)address, bits));
    return from_bits<T>(Unsigned(atomicMin((Signed*)address, Signed(bits))));
}

template <int native, class T> DEVICE void add_natively(T* address, T z) {
    using Integer = either<sizeof(T) == 8, either<is_signed<T>, int64, uint64>, T>;
    using Bits = either<sizeof(T) == 8, uint64, T>;
    if constexpr (native == NATIVE_ADD && is_float<T>) atomicAdd(address, z);
    else if constexpr (native == NATIVE_ADD) atomicAdd((Bits*)address, Bits(z));
    else if constexpr (native == NATIVE_MIN && is_float<T>) {
        if (z == z) lower_float(address, z);
    } else if constexpr (native == NATIVE_MIN) atomicMin((Integer*)address, Integer(z));
    else if constexpr (native == NATIVE_MAX) atomicMax((Integer*)address, Integer(z));
    else if constexpr (native == NATIVE_AND) atomicAnd((Bits*)address, Bits(z));
    else if constexpr (native == NATIVE_OR) atomicOr((Bits*)address, Bits(z));
    else if constexpr (native == NATIVE_XOR) atomicXor((Bits*)address, Bits(z));
}

template <class T> DEVICE void add_atomically(T* address, T z) {
    if constexpr (NATIVE == 0) swap_in(address, z);
    else add_natively<NATIVE>(address, z);
}
