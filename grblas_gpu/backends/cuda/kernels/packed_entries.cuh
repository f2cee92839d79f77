// An entry as one word to be written at once: a coordinate of 32 bits and its value. Generated: Bits (an unsigned type as
// wide as values), VALUED.

#include "grid.cuh"

struct alignas(4) CoordinateOnly {
    unsigned coordinate;
};
struct alignas(8) WithWord {
    unsigned coordinate, value;
};
struct alignas(16) WithLong {
    uint64 value;
    unsigned coordinate, unused;
};
using Packed = either<!VALUED, CoordinateOnly, either<sizeof(Bits) == 8, WithLong, WithWord>>;

// Templates, because an `if constexpr` outside of one must be valid in all its branches.
template <class T = Packed> DEVICE T pack(unsigned coordinate, Bits value) {
    T packed;
    packed.coordinate = coordinate;
    if constexpr (VALUED) packed.value = value;
    return packed;
}
template <class T> DEVICE Bits value_of(const T& packed) {
    if constexpr (VALUED) return Bits(packed.value);
    else return Bits(0);
}
