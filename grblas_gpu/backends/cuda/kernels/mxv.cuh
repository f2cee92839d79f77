// The product of one entry, and sums of the products of a row. Generated: what products.cuh needs, the types MatrixValue, VectorValue (as
// stored), Column, Offset; and
//   MATRIX, VECTOR how the values of an operand are read (products.cuh)
//   FULL           every position of the vector has an entry
//   FLIP           the vector is the left operand
//   REPEATED       the matrix stands several times along the diagonal: indices and values are stored once, offsets for all
//   OPERAND_MARKED pulls that add up may have the vector's flags in its values (loop_operands.cuh)

#include "grid.cuh"
#include "mask.cuh"
#include "products.cuh"

constexpr bool ENDS_EARLY = EARLY_EXIT && (STRUCTURE || EXIT_AT_FIRST || HAS_TERMINAL);  // a row may

struct Matrix {
    const Offset* indptr;
    const Column* indices;
    const MatrixValue* values;
    int64 size, entries;  // of one copy (REPEATED)
};
struct Vector {
    const bool* present;
    const VectorValue* values;
    const VectorValue* marked;  // the values of all positions, absent() where there is no entry; or null (OPERAND_MARKED)
};
// A reserved NaN; types without NaN have no mark.
constexpr uint64 ABSENT = 0x7ff80000a5a5a5a5;
constexpr unsigned ABSENT_FLOAT = 0x7fe5a5a5;
template <class T> DEVICE T absent() {
    if constexpr (same_type<T, double>) return __longlong_as_double(int64(ABSENT));
    else if constexpr (same_type<T, float>) return __uint_as_float(ABSENT_FLOAT);
    else return T();
}
template <class T> DEVICE bool is_absent(T value) {
    if constexpr (same_type<T, double>) return uint64(__double_as_longlong(value)) == ABSENT;
    else if constexpr (same_type<T, float>) return __float_as_uint(value) == ABSENT_FLOAT;
    else return false;
}

// Reads that bypass the first-level cache, which is left to the vector; FIRST_OUT ones are evicted first from the second level, too.
// Only for the matrix, which is constant while a kernel runs.
template <bool FIRST_OUT = false, class T> DEVICE T read_once(const T* from) {
#ifdef __CUDA_ARCH__
    uint64 policy;
    if constexpr (FIRST_OUT) asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if constexpr (sizeof(T) == 4) {
        unsigned bits;
        if constexpr (FIRST_OUT)
            asm("ld.global.nc.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(bits) : "l"(from), "l"(policy));
        else asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(bits) : "l"(from));
        if constexpr (is_float<T>) return __uint_as_float(bits);
        else return T(bits);
    } else if constexpr (sizeof(T) == 8) {
        uint64 bits;
        if constexpr (FIRST_OUT)
            asm("ld.global.nc.L1::no_allocate.L2::cache_hint.u64 %0, [%1], %2;" : "=l"(bits) : "l"(from), "l"(policy));
        else asm("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(bits) : "l"(from));
        if constexpr (is_float<T>) return __longlong_as_double(int64(bits));
        else return T(bits);
    }
#endif
    return *from;
}

// Row i is in one of the copies; its entries and columns are numbered from the first copy on.
DEVICE int64 copy_of(const Matrix& m, int64 i) { return uint32(i) / uint32(m.size); }
DEVICE int64 place_of(const Matrix& m, int64 i, int64 entry) {
    if constexpr (REPEATED) return entry - copy_of(m, i) * m.entries;
    else return entry;
}
DEVICE int64 column_of(const Matrix& m, int64 i, int64 entry) {
    int64 column = m.indices[place_of(m, i, entry)];
    if constexpr (REPEATED) column += copy_of(m, i) * m.size;
    return column;
}

using MatrixOperand = either<FLIP, Right, Left>;
using VectorOperand = either<FLIP, Left, Right>;
DEVICE VectorOperand element_of(const Vector& u, int64 element) {
    if constexpr (VECTOR == UNUSED) return VectorOperand(1);
    else return cast<VectorOperand>(u.values[VECTOR == ISO ? 0 : element]);
}
DEVICE Value product_of(MatrixOperand a, VectorOperand b, int64 i, int64 k) {
    // The vector on the left is a row, with positions (0, k); on the right a column, with positions (k, 0).
    if constexpr (FLIP) return cast<Value>(multiply(b, a, 0, k, k, i));
    else return cast<Value>(multiply(a, b, i, k, k, 0));
}
DEVICE Value product_with(const Matrix& m, VectorOperand b, int64 i, int64 k, int64 entry) {
    MatrixOperand a = MatrixOperand(1);
    if constexpr (MATRIX != UNUSED) a = cast<MatrixOperand>(m.values[MATRIX == ISO ? 0 : place_of(m, i, entry)]);
    return product_of(a, b, i, k);
}
DEVICE Value product(const Matrix& m, const Vector& u, int64 i, int64 k, int64 entry, int64 element) {
    return product_with(m, element_of(u, element), i, k, entry);
}

// The one value of a structural result, by a thread with little other work: its lookup takes a while.
DEVICE void write_constant(const Matrix& m, const Vector& u, Value* values) {
    if constexpr (STRUCTURE)
        if (thread_in_grid() == threads_in_grid() - 1) values[0] = product(m, u, 0, 0, 0, 0);
}

DEVICE void add_entry(const Matrix& m, const Vector& u, int64 i, int64 entry, Sum& sum) {
    int64 k = column_of(m, i, entry);
    if constexpr (!FULL)
        if (!u.present[k]) return;
    if constexpr (!STRUCTURE) {
        Value z = product(m, u, i, k, entry, k);
        sum.value = sum.found ? add(sum.value, z) : z;
    }
    sum.found = true;
}

// Some entries, STRIDE apart, in order: all loads are in flight before the first arrives.
constexpr int BATCH = 4;
template <int STRIDE, class K>
DEVICE void add_marked(const Matrix& m, const Vector& u, int64 i, int64 entry, const K (&k)[BATCH], const bool (&there)[BATCH], Sum& sum) {
    if constexpr (OPERAND_MARKED) {
        VectorValue values[BATCH];
        UNROLLED for (int n = 0; n < BATCH; ++n) values[n] = there[n] ? u.marked[k[n]] : absent<VectorValue>();
        UNROLLED for (int n = 0; n < BATCH; ++n) {
            if (is_absent(values[n])) continue;
            Value z = product_with(m, cast<VectorOperand>(values[n]), i, k[n], entry + n * STRIDE);
            sum.value = sum.found ? add(sum.value, z) : z;
            sum.found = true;
        }
    }
}
template <int STRIDE>
DEVICE void add_entries(const Matrix& m, const Vector& u, int64 i, int64 entry, int64 stop, Sum& sum) {
    either<REPEATED, int64, Column> k[BATCH];
    bool there[BATCH];
    UNROLLED for (int n = 0; n < BATCH; ++n) {
        there[n] = entry + n * STRIDE < stop;
        k[n] = there[n] ? column_of(m, i, entry + n * STRIDE) : 0;
    }
    if (OPERAND_MARKED && u.marked) {
        add_marked<STRIDE>(m, u, i, entry, k, there, sum);
        return;
    }
    if constexpr (!FULL) {
        UNROLLED for (int n = 0; n < BATCH; ++n) there[n] = there[n] && u.present[k[n]];
    }
    if constexpr (STRUCTURE) {
        UNROLLED for (int n = 0; n < BATCH; ++n) sum.found = sum.found || there[n];
    } else {
        Value products[BATCH];
        UNROLLED for (int n = 0; n < BATCH; ++n)
            products[n] = there[n] ? product(m, u, i, k[n], entry + n * STRIDE, k[n]) : Value(0);
        UNROLLED for (int n = 0; n < BATCH; ++n) {
            if (!there[n]) continue;
            sum.value = sum.found ? add(sum.value, products[n]) : products[n];
            sum.found = true;
        }
    }
}

// The slots of a call, numbered as in counters.py.
constexpr int COUNT = 0, TICKET = 1, LISTED_COUNT = 2, EDGES = 3;

// How the entries of a row are added, and when it is done. An asynchronous pull has another rule.
struct Synchronous {
    static constexpr bool MAY_END = ENDS_EARLY;
    const Matrix& m;
    const Vector& u;
    DEVICE void add(int64 i, int64 entry, Sum& sum) const { add_entry(m, u, i, entry, sum); }
    DEVICE bool is_done(const Sum& sum) const { return finished(sum); }
};

// Rows of an asynchronous pull: a row that reaches the final value becomes part of the operand at once, for all later reads. Such a row
// holds `final`, so a mark replaces its value, and it does not matter when other threads see the mark.
// Templates, because not all types of other pulls can be compared.
template <class T> struct Settled {
    uint8* marks;  // only the row's own thread writes its mark
    unsigned bit;
    T final;
    DEVICE bool has(int64 k) const { return ((volatile uint8*)marks)[k] & bit; }
};
template <class T> DEVICE Value settled_product(const Matrix& m, const Settled<T>& settled, int64 i, int64 k, int64 entry) {
    return product_with(m, cast<VectorOperand>(settled.final), i, k, entry);
}

template <class T> struct Asynchronous {
    static constexpr bool MAY_END = true;
    const Matrix& m;
    const Vector& u;
    Settled<T> settled;
    DEVICE void add(int64 i, int64 entry, Sum& sum) const {
        int64 k = m.indices[entry];
        if (FULL || u.present[k]) {
            sum = merged(sum, {true, product(m, u, i, k, entry, k)});
            if (is_done(sum)) return;
        }
        if (settled.has(k)) sum = merged(sum, {true, settled_product(m, settled, i, k, entry)});
    }
    DEVICE bool is_done(const Sum& sum) const { return sum.found && sum.value == settled.final; }
    DEVICE void settle(int64 i, const Sum& sum) const {
        if (is_done(sum)) ((volatile uint8*)settled.marks)[i] = settled.marks[i] | settled.bit;
    }
};

// A part of a row by a whole warp, combined in a fixed order; the result is in lane 0.
template <class Rule> DEVICE Sum warp_sum(const Rule& rule, int64 i, int64 start, int64 stop) {
    Sum sum = {false, Value(0)};
    if constexpr (Rule::MAY_END) {
        for (int64 base = start; base < stop; base += 32) {
            if (base + lane() < stop) rule.add(i, base + lane(), sum);
            if (__any_sync(FULL_WARP, rule.is_done(sum))) break;
        }
    } else {
        for (int64 entry = start + lane(); entry < stop; entry += 32 * BATCH) add_entries<32>(rule.m, rule.u, i, entry, stop, sum);
    }
    return warp_merged(sum);
}

// Rows by threads first, then by their warp: one row (or none: start == stop) for each lane. All lanes of the warp call it together.
constexpr int PROBES = 8;  // entries that a thread reads alone
template <class Rule> DEVICE Sum hybrid_sum(const Rule& rule, int64 i, int64 start, int64 stop) {
    Sum sum = {false, Value(0)};
    if constexpr (Rule::MAY_END) {
        for (int probe = 0; probe < PROBES && start < stop && !rule.is_done(sum); ++probe) rule.add(i, start++, sum);
    } else {
        for (int probe = 0; probe < PROBES && start < stop && !rule.is_done(sum); probe += BATCH, start += BATCH)
            add_entries<1>(rule.m, rule.u, i, start, stop, sum);
    }
    unsigned open = __ballot_sync(FULL_WARP, start < stop && !rule.is_done(sum));
    while (open) {
        int owner = __ffs(open) - 1;
        open &= open - 1;
        Sum rest = in_all_lanes(warp_sum(rule, from_lane(i, owner), from_lane(start, owner), from_lane(stop, owner)), 0);
        if (lane() == owner) sum = merged(sum, rest);
    }
    return sum;
}

// Rows, ROWS at a time. If there are many, idle warps fetch more, because the time of a row is unknown beforehand; a few rows are
// distributed statically, since an atomic takes longer.
template <int ROWS> struct Tickets {
    static constexpr int AT_A_TIME = 4;
    int64* counter;
    unsigned group;  // the last batch of ROWS rows that this warp got
    int left;        // batches left in the fetched range; negative: all are distributed
    DEVICE unsigned warps() const { return (blockDim.x >> 5) * BLOCK_COUNT; }
    DEVICE Tickets(int64 rows, int64* counters) : counter(counters + TICKET) {
        bool many = rows >= 2 * AT_A_TIME * ROWS * warps_in_grid();
        unsigned warp = (thread() >> 5) * BLOCK_COUNT + blockIdx.x;  // neighbours are in different blocks
        group = many ? warp * AT_A_TIME - 1 : warp - warps();
        left = many ? AT_A_TIME : -1;
    }
    // The first of the next rows; at least the number of rows if none are left.
    DEVICE int64 next() {
        if (left < 0) {
            group += warps();
        } else if (left-- > 0) {
            ++group;
        } else {
            int64 taken = 0;
            if (lane() == 0) taken = add_alone(counter, AT_A_TIME);
            left = AT_A_TIME - 1;
            group = warps() * AT_A_TIME + from_lane(unsigned(taken), 0);
        }
        return int64(group) * ROWS;
    }
};
template <int ROWS, class Visit> DEVICE void for_each_rows(int64 rows, int64* counters, Visit visit) {
    Tickets<ROWS> tickets(rows, counters);
    for (int64 first = tickets.next(); first < rows; first = tickets.next()) visit(first);
}

#define OPERANDS                                                                                             \
    const Offset *indptr, const Column *indices, const MatrixValue *matrix_values, const bool *present,       \
        const VectorValue *vector_values, const bool *mask_present, const MaskValue *mask_values
#define GIVEN {indptr, indices, matrix_values}, {present, vector_values}, {mask_present, mask_values}
