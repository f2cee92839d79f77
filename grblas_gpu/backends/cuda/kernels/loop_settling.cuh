// Rounds of a loop that lowers values in any order (fusion/settling.py), several of them between two barriers: a warp takes some vertices
// of the frontier's list and follows their edges for some hops, without waiting for other warps. The remaining vertices are the next
// frontier. For short frontiers and rows: a hop takes the time of two dependent lookups, a barrier that of four.

#include "loop_mxv.cuh"

constexpr int HOPS = 8;
constexpr int SETTLED_VERTICES = 8;  // vertices that a warp takes at a time: four lanes each
constexpr int MOST_WAITING = 48;     // vertices that a warp keeps for its next hops; others go to the list

struct Lowered {
    int64 vertex;
    int64 edges;   // the first one, and in the last eight bits how many
    uint64 value;  // that it was lowered to
};
static_assert(sizeof(Lowered) * MOST_WAITING <= sizeof(int64) * ::QUEUED, "a warp's share of the queues");

// Reads a value and prefetches the 256 bytes around it into the second-level cache: the next step reads its neighbours. For the
// matrix, and (`now`) for values that other threads write meanwhile.
constexpr int AROUND = 2;
template <bool NOW, class T> DEVICE T read_around(const T* from) {
#ifdef __CUDA_ARCH__
    if constexpr (AROUND > int(NOW) && sizeof(T) == 4) {
        unsigned bits;
        if constexpr (NOW) asm volatile("ld.relaxed.gpu.global.L2::256B.u32 %0, [%1];" : "=r"(bits) : "l"(from));
        else asm("ld.global.nc.L2::256B.u32 %0, [%1];" : "=r"(bits) : "l"(from));
        return from_bits<T>(bits);
    } else if constexpr (AROUND > int(NOW) && sizeof(T) == 8) {
        uint64 bits;
        if constexpr (NOW) asm volatile("ld.relaxed.gpu.global.L2::256B.u64 %0, [%1];" : "=l"(bits) : "l"(from));
        else asm("ld.global.nc.L2::256B.u64 %0, [%1];" : "=l"(bits) : "l"(from));
        return from_bits<T>(bits);
    }
#endif
    if constexpr (NOW) return *(const volatile T*)from;
    else return *from;
}

// *address = min(*address, z); whether that lowered it. Values not lowered yet hold initial(), the largest integer or a NaN.
template <class T> DEVICE bool lower(T* address, T z) {
    if constexpr (is_float<T>) return !(lower_float(address, z + T(0)) <= z);  // there is one zero
    else {
        using Integer = either<sizeof(T) == 8, either<is_signed<T>, int64, uint64>, either<is_signed<T>, int, unsigned>>;
        return Integer(z) < atomicMin((Integer*)address, Integer(z));
    }
}

// Positions without an entry hold the identity of min.
template <class D> DEVICE void fill_where_absent(const D& values, Value initial) {
    for (int64 i = thread_in_grid(); i < values.size; i += threads_in_grid())
        if (!values.has(i)) values.values()[i] = initial;
}

template <class U> struct Settling {
    const Operands& given;
    const U& u;
    Sums known, next;  // the values, and the frontier's other buffer
    Value limit;
    int64* counters;
    Lowered* waiting;  // in a ring, in order of arrival
    int first, many;
    int entries;  // that are new among the values
    int64 edges;  // of the next frontier

    DEVICE static int ring(int at) { return at < MOST_WAITING ? at : at - MOST_WAITING; }

    // Appends to the next frontier. Its least value counts: another thread that lowered the vertex further may have listed or expanded it.
    DEVICE void list(bool wanted, const Lowered& found) {
        Value value = ::value_of<Value>(found.value);
        if (wanted) lower(next.values + found.vertex, value);
        wanted = wanted && touch(next, found.vertex);
        edges += wanted ? found.edges & 255 : 0;
        int64 place = place_in_list(counters + ::LISTED_ENTRIES, wanted);
        if (wanted && place < u.capacity) u.other_list()[place] = found.vertex;
    }
    DEVICE void keep(bool wanted, const Lowered& found) {
        unsigned wanting = __ballot_sync(FULL_WARP, wanted);
        int place = many + __popc(wanting & ((1u << lane()) - 1));
        if (wanted && place < MOST_WAITING) waiting[ring(first + place)] = found;
        many += __popc(wanting);
        if (many <= MOST_WAITING) return;
        list(wanted && place >= MOST_WAITING, found);
        many = MOST_WAITING;
    }
    // An edge for each lane, if it is `there`. A vertex that another thread has lowered since belongs to that thread; vertices from the
    // list are always processed (`sure`). All lookups but the first two are in flight together.
    DEVICE void follow(bool there, const Lowered& from, int number, bool sure) {
        int64 k = there ? from.vertex : 0, entry = there ? (from.edges >> 8) + number : 0;
        const Matrix& m = given.columns;
        Value value = ::value_of<Value>(from.value), now = read_around<true>(known.values + k);
        int64 place = place_of(m, k, entry), i = read_around<false>(m.indices + place);
        MatrixOperand length = MatrixOperand(1);
        if constexpr (MATRIX != UNUSED) length = cast<MatrixOperand>(read_around<false>(m.values + (MATRIX == ISO ? 0 : place)));
        if constexpr (REPEATED) i += copy_of(m, k) * m.size;
        Value z = product_of(length, cast<VectorOperand>(value), i, k);
        there = there && (sure || !(now < value));
        Offset start = read_around<false>(m.indptr + i), stop = read_around<false>(m.indptr + i + 1);
        bool had = touched(known, i);
        bool less = there && lower(known.values + i, z);
        bool comes = there && !had && touch(known, i);
        entries += comes;
        keep((less || comes) && z <= limit, {i, int64(start) << 8 | int64(stop - start), ::bits_of(z)});
    }
    // The waiting vertices, up to so many hops.
    DEVICE void go_on() {
        constexpr int LANES = 32 / SETTLED_VERTICES;
        UNROLLED_BY(1) for (int hop = 0; hop < HOPS && many > 0; ++hop) {
            int taken = many < SETTLED_VERTICES ? many : SETTLED_VERTICES, of = lane() / LANES;
            Lowered from = {0, 0, 0};
            __syncwarp();
            if (of < taken) from = waiting[ring(first + of)];
            __syncwarp();
            first = ring(first + taken), many -= taken;
            int length = int(from.edges & 255);
            UNROLLED_BY(1) for (int number = lane() % LANES; __any_sync(FULL_WARP, number < length); number += LANES)
                follow(number < length, from, number, hop == 0);
        }
        UNROLLED_BY(1) while (many > 0) {
            int taken = many < 32 ? many : 32;
            Lowered left = {0, 0, 0};
            __syncwarp();
            if (lane() < taken) left = waiting[ring(first + lane())];
            __syncwarp();
            first = ring(first + taken), many -= taken;
            bool ours = lane() < taken && !(((volatile Value*)known.values)[left.vertex] < ::value_of<Value>(left.value));
            list(ours, left);
        }
    }
};

// Lowers `values` from the entries of `u`, which has a list; the lowered vertices of at most `limit` go to its other buffer.
template <class U, class D>
DEVICE void settle(const Operands& given, const U& u, const D& values, Value limit, int64* counters, int64* value_counters) {
    int64 length = u.count, width = (length - 1) / warps_in_grid() + 1;
    Lowered* waiting = (Lowered*)(::queues().held + ::QUEUED * (thread() >> 5));
    Settling<U> settling = {given, u, {(uint8*)values.flags(), 1, (Value*)values.values()}, sums_of(u), limit, counters, waiting, 0, 0, 0, 0};
    for (int64 base = scattered_warp() * width; base < length; base += warps_in_grid() * width) {
        int64 left = length - base;
        settling.first = 0, settling.many = int(left < width ? left : width);
        __syncwarp();
        if (lane() < settling.many) {
            int64 k = u.list()[base + lane()];
            Offset start = given.columns.indptr[k], stop = given.columns.indptr[k + 1];
            waiting[lane()] = {k, int64(start) << 8 | int64(stop - start), ::bits_of(u.values()[k])};
        }
        settling.go_on();
    }
    add_to_counter(value_counters + ::ENTRIES, settling.entries);
    add_to_counter(counters + ::EDGES_NEXT, settling.edges);
}
// Whether a frontier is short enough for this: a warp takes all its vertices at once.
template <class U> DEVICE bool is_short(const U& u) {
    return u.listed && !u.dirty && u.count * ::MANY < u.size && u.count <= SETTLED_VERTICES * warps_in_grid();
}
