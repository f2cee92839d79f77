// A product in a loop: t = m u where the mask allows, by a push from the entries of u or a pull by the rows of t. Pasted once for
// each product, inside a namespace with the pieces of mxv.cuh. The result goes to the other buffer of `out`.

#include "atomics.cuh"
#include "hybrid.cuh"

struct Operands {
    Matrix columns, rows;  // of the same matrix: for pushes, for pulls
    Vector u;
    Mask mask;
    const bool* closing;  // flags of entries that the mask's vector is getting while this runs (CLOSING)
    const Offset* next;   // offsets of the matrix that the result meets next, or null
};

DEVICE bool is_open(const Operands& given, int64 i) {
    if constexpr (CLOSING) return allowed(given.mask, i) & !given.closing[i];
    else return allowed(given.mask, i);
}

// One edge from k (or none); all lanes of the warp call it together.
template <class S>
DEVICE void push_edge(
    const Operands& given, const Sums& sums, const S& out, int64 k, int64 entry, bool inside, ::Count<Offset>& count,
    int64* counters
) {
    int64 i = 0;
    bool first = false;
    if (inside) {
        i = given.columns.indices[entry];
        bool open = is_open(given, i);
        if constexpr (STRUCTURE || EXIT_AT_FIRST) open = open & !touched(sums, i);  // both are on their way
        first = open && scatter(given.columns, given.u, sums, i, k, entry, k);
        if constexpr (EXIT_AT_FIRST && !STRUCTURE)
            if (first) sums.values[i] = product(given.columns, given.u, i, k, entry, k);
    }
    int64 place = place_in_list(counters + ::LISTED_ENTRIES, first);
    if (!first) return;
    if (place < out.capacity) out.other_list()[place] = i;
    count.add(i);
}

template <class S> DEVICE Sums sums_of(const S& out) { return {(uint8*)out.other_flags(), 1, (Value*)out.other_values()}; }

// The edges of listed vertices. A block takes some vertices at a time and shares out their edges among its threads; vertices
// with very many edges are put on a list of their own.
template <class S>
DEVICE void push_list(const Operands& given, const int64* list, int64 length, const S& out, int64* counters, int64* hubs) {
    ::Chunk& chunk = ::chunk_of_block();
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    int64 width = (length + BLOCK_COUNT - 1) / BLOCK_COUNT;
    width = width < 1 ? 1 : width > blockDim.x ? blockDim.x : width;
    for (int64 base = blockIdx.x * width; base < length; base += BLOCK_COUNT * width) {
        bool mine = threadIdx.x < width && base + threadIdx.x < length;
        int64 k = 0, start = 0, degree = 0, total;
        if (mine) {
            k = list[base + threadIdx.x];
            start = given.columns.indptr[k];
            degree = int64(given.columns.indptr[k + 1]) - start;
            if (degree > ::HUB && BLOCK_COUNT > 1) {
                hubs[atomicAdd((uint64*)(counters + ::HUBS), uint64(1))] = k;
                degree = 0;
            }
        }
        int64 before = block_offset(degree, total, chunk.shared);
        if (threadIdx.x < width) {
            chunk.firsts[threadIdx.x] = before;
            chunk.starts[threadIdx.x] = start - before;
            chunk.vertices[threadIdx.x] = k;
        }
        __syncthreads();
        for (int64 first = 0; first < total; first += blockDim.x) {
            int64 number = first + threadIdx.x;
            int64 t = number < total ? upper_bound(chunk.firsts, 0, width, number) - 1 : 0;
            push_edge(given, sums, out, chunk.vertices[t], chunk.starts[t] + number, number < total, count, counters);
        }
    }
    count.publish_edges(counters);
}

// The edges of a few vertices by all threads of the team: each block numbers them through for itself.
template <class S>
DEVICE void push_hubs(const Operands& given, const int64* hubs, int64 length, const S& out, int64* counters) {
    ::Chunk& chunk = ::chunk_of_block();
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    for (int64 base = 0; base < length; base += blockDim.x) {
        int64 width = length - base < blockDim.x ? length - base : blockDim.x;
        int64 k = 0, start = 0, degree = 0, total;
        if (threadIdx.x < width) {
            k = *(const volatile int64*)(hubs + base + threadIdx.x);
            start = given.columns.indptr[k];
            degree = int64(given.columns.indptr[k + 1]) - start;
        }
        int64 before = block_offset(degree, total, chunk.shared);
        if (threadIdx.x < width) {
            chunk.starts[threadIdx.x] = start - before;
            chunk.vertices[threadIdx.x] = k;
            chunk.firsts[threadIdx.x] = before;
        }
        __syncthreads();
        for (int64 number = thread_in_grid(); number - lane() < total; number += threads_in_grid()) {
            int64 t = number < total ? upper_bound(chunk.firsts, 0, width, number) - 1 : 0;
            push_edge(given, sums, out, chunk.vertices[t], chunk.starts[t] + number, number < total, count, counters);
        }
    }
    count.publish_edges(counters);
}

// A vector without a list: a warp takes 32 positions and the edges of each entry among them.
template <class S> DEVICE void push_positions(const Operands& given, int64 size, const S& out, int64* counters) {
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    for (int64 base = warp_in_grid() * 32; base < size; base += threads_in_grid()) {
        int64 k = base + lane();
        unsigned open = __ballot_sync(FULL_WARP, k < size && (FULL || given.u.present[k]));
        while (open) {
            int64 owner = base + __ffs(open) - 1;
            open &= open - 1;
            int64 stop = given.columns.indptr[owner + 1];
            for (int64 first = given.columns.indptr[owner]; first < stop; first += 32)
                push_edge(given, sums, out, owner, first + lane(), first + lane() < stop, count, counters);
        }
    }
    count.publish_edges(counters);
}

template <class S> DEVICE void pull_rows(const Operands& given, const S& out, int64* counters) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    Value* values = (Value*)out.other_values();
    for_each_32_rows(out.size, counters + ::ROWS_GIVEN - TICKET, [&](int64 first) {
        int64 i = first + lane(), start = 0, stop = 0;
        if (i < out.size && is_open(given, i)) {
            start = given.rows.indptr[i];
            stop = given.rows.indptr[i + 1];
        }
        Sum sum = hybrid_sum(given.rows, given.u, i, start, stop);
        if (i < out.size) {
            flags[i] = sum.found;
            if constexpr (!STRUCTURE)
                if (sum.found) values[i] = sum.value;
        }
        if (sum.found) count.add(i);
    });
    count.publish(counters);
}

// The product by a push or a pull; `out` holds the result afterwards. `note` is run by thread 0 of every block at the last meeting.
template <class U, class S, class Note>
DEVICE void multiply_into(
    const Operands& given, bool push, U& u, S& out, Value initial, int64* counters, int64* hubs, Note note
) {
    write_constant(given.columns, given.u, (Value*)out.other_values());
    int64& hub_count = ::chunk_of_block().hubs;
    if (push) {
        if (out.other_is_dirty()) {
            clean_all<!STRUCTURE>(out, out.next_buffer(), initial);
            meet([&] { out.other_is_clean(); });
        }
        if (!u.listed && u.count <= u.capacity && !u.full()) {
            make_list(u, counters);
            meet([&] { u.listed = 1; });
        }
        if (u.listed) push_list(given, u.list(), u.count, out, counters, hubs);
        else push_positions(given, u.size, out, counters);
    } else {
        pull_rows(given, out, counters);
    }
    meet([&] {
        int64 found = fresh(counters + (push ? ::LISTED_ENTRIES : ::ENTRIES)), edges = fresh(counters + ::EDGES_NEXT);
        hub_count = fresh(counters + ::HUBS);  // all three are on their way together
        if (hub_count != 0) return;
        out.overwritten(found, edges, push);
        note();
    });
    if (hub_count == 0) return;
    push_hubs(given, hubs, hub_count, out, counters);
    meet([&] {
        out.overwritten(fresh(counters + ::LISTED_ENTRIES), fresh(counters + ::EDGES_NEXT), push);
        note();
    });
}
