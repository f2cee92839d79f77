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

// One edge from k: true for the first one that reaches i.
DEVICE bool push_edge(const Operands& given, const Sums& sums, int64 k, int64 entry, int64& i) {
    i = column_of(given.columns, k, entry);
    bool open = is_open(given, i);
    if constexpr (STRUCTURE || EXIT_AT_FIRST) open = open & !touched(sums, i);  // both are on their way
    bool first = open && scatter(given.columns, given.u, sums, i, k, entry, k);
    if constexpr (EXIT_AT_FIRST && !STRUCTURE)
        if (first) sums.values[i] = product(given.columns, given.u, i, k, entry, k);
    return first;
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
            int64 number = first + threadIdx.x, i = 0;
            bool found = false;
            if (number < total) {
                int64 t = upper_bound(chunk.firsts, 0, width, number) - 1;
                found = push_edge(given, sums, chunk.vertices[t], chunk.starts[t] + number, i);
            }
            queue_entry(out, i, found, count, counters);
        }
    }
    flush_queue(out, counters);
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
        for (int64 number = thread_in_grid(); number - threadIdx.x < total; number += threads_in_grid()) {
            int64 i = 0;
            bool found = false;
            if (number < total) {
                int64 t = upper_bound(chunk.firsts, 0, width, number) - 1;
                found = push_edge(given, sums, chunk.vertices[t], chunk.starts[t] + number, i);
            }
            queue_entry(out, i, found, count, counters);
        }
    }
    flush_queue(out, counters);
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
            for (int64 first = given.columns.indptr[owner]; first < stop; first += 32) {
                int64 i = 0;
                bool found = first + lane() < stop && push_edge(given, sums, owner, first + lane(), i);
                int64 place = place_in_list(counters + ::LISTED_ENTRIES, found);
                if (!found) continue;
                if (place < out.capacity) out.other_list()[place] = i;
                count.add(i);
            }
        }
    }
    count.publish_edges(counters);
}

// The first entries of some rows, for each lane one in 32: waiting for memory is what takes long, and they wait together.
constexpr int AT_ONCE = STRUCTURE && ENDS_EARLY ? 2 : 1;
struct Begun {
    Offset start, stop;  // nothing, if the row is closed
    bool found;
};
DEVICE void begin_rows(const Operands& given, int64 first, int64 size, Begun* rows) {
    bool open[AT_ONCE];
    either<REPEATED, int64, Column> k[AT_ONCE];
#pragma unroll
    for (int n = 0; n < AT_ONCE; ++n) {
        int64 i = first + 32 * n + lane();
        open[n] = i < size && is_open(given, i);
    }
#pragma unroll
    for (int n = 0; n < AT_ONCE; ++n) {
        int64 i = first + 32 * n + lane();
        rows[n] = {0, 0, false};
        if (open[n]) rows[n] = {given.rows.indptr[i], given.rows.indptr[i + 1], false};
    }
    if constexpr (AT_ONCE == 1) return;
#pragma unroll
    for (int n = 0; n < AT_ONCE; ++n)
        k[n] = rows[n].start < rows[n].stop ? column_of(given.rows, first + 32 * n + lane(), rows[n].start) : 0;
#pragma unroll
    for (int n = 0; n < AT_ONCE; ++n) rows[n].found = rows[n].start < rows[n].stop && (FULL || given.u.present[k[n]]);
}

// Rows by threads and warps; what is left of a very long row is put on a list, for all warps of the team.
template <class S> DEVICE void pull_rows(const Operands& given, const S& out, int64* counters, int64* hubs) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    Value* values = (Value*)out.other_values();
    auto pull_row = [&](int64 i, int64 start, int64 stop, bool found) {
        bool is_long = CAN_SCATTER && BLOCK_COUNT > 1 && stop - start > ::LONG_ROW && !found;
        int64 next = start + (AT_ONCE > 1 && start < stop), end = found ? next : is_long ? start + PROBES : stop;
        Sum sum = {found, Value(0)};
        if (AT_ONCE == 1 || __any_sync(FULL_WARP, next < end)) sum = merged(sum, hybrid_sum(given.rows, given.u, i, next, end));
        if (is_long && !finished(sum)) {
            int64 place = int64(atomicAdd((uint64*)(counters + ::HUBS), uint64(1)));
            if (place < out.capacity) {
                hubs[place] = i;
                if constexpr (!STRUCTURE && !EXIT_AT_FIRST)
                    if (!sum.found) values[i] = initial();
                is_long = false;  // somebody will see to it
            }
        } else {
            is_long = false;
        }
        unsigned left = __ballot_sync(FULL_WARP, is_long);  // no room on the list
        while (left) {
            int owner = __ffs(left) - 1;
            left &= left - 1;
            Sum rest = warp_sum(given.rows, given.u, from_lane(i, owner), from_lane(start, owner) + PROBES, from_lane(stop, owner));
            Sum told = {from_lane(rest.found, 0), rest.value};
            if constexpr (!STRUCTURE) told.value = from_lane(rest.value, 0);
            if (lane() == owner) sum = merged(sum, told);
        }
        if (i < out.size) {
            flags[i] = sum.found;
            if constexpr (!STRUCTURE)
                if (sum.found) values[i] = sum.value;
        }
        if (sum.found) count.add(i);
    };
    for_each_rows<32 * AT_ONCE>(out.size, counters + ::ROWS_GIVEN - TICKET, [&](int64 first) {
        Begun rows[AT_ONCE];
        begin_rows(given, first, out.size, rows);
#pragma unroll
        for (int n = 0; n < AT_ONCE; ++n) pull_row(first + 32 * n + lane(), rows[n].start, rows[n].stop, rows[n].found);
    });
    count.publish(counters);
}

// The rest of the long rows: a warp takes some hundred entries at a time and adds what it finds.
template <class S>
DEVICE void pull_long_rows(const Operands& given, const int64* hubs, int64 length, const S& out, int64* counters) {
    ::Chunk& chunk = ::chunk_of_block();
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    for (int64 base = 0; base < length; base += blockDim.x) {
        int64 width = length - base < blockDim.x ? length - base : blockDim.x;
        int64 i = 0, parts = 0, total;
        if (threadIdx.x < width) {
            i = *(const volatile int64*)(hubs + base + threadIdx.x);
            parts = (int64(given.rows.indptr[i + 1]) - int64(given.rows.indptr[i]) - PROBES + ::PART - 1) / ::PART;
        }
        int64 before = block_offset(parts, total, chunk.shared);
        if (threadIdx.x < width) {
            chunk.vertices[threadIdx.x] = i;
            chunk.firsts[threadIdx.x] = before;
        }
        __syncthreads();
        for (int64 part = warp_in_grid(); part < total; part += warps_in_grid()) {
            int64 t = upper_bound(chunk.firsts, 0, width, part) - 1, row = chunk.vertices[t];
            if constexpr (EARLY_EXIT && (STRUCTURE || EXIT_AT_FIRST))
                if (from_lane(touched(sums, row), 0)) continue;  // others set it meanwhile: one lane decides for all
            int64 stop = given.rows.indptr[row + 1];
            int64 start = int64(given.rows.indptr[row]) + PROBES + (part - chunk.firsts[t]) * ::PART;
            Sum sum = warp_sum(given.rows, given.u, row, start, start + ::PART < stop ? start + ::PART : stop);
            if (lane() != 0 || !sum.found) continue;
            if constexpr (!STRUCTURE && !EXIT_AT_FIRST) add_atomically(sums.values + row, sum.value);
            if (!first_touch(sums, row)) continue;
            if constexpr (!STRUCTURE && EXIT_AT_FIRST) sums.values[row] = sum.value;
            count.add(row);
        }
        __syncthreads();  // before the next rows take the places of these
    }
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
        pull_rows(given, out, counters, hubs);
    }
    meet([&] {
        int64 found = fresh(counters + (push ? ::LISTED_ENTRIES : ::ENTRIES)), edges = fresh(counters + ::EDGES_NEXT);
        hub_count = fresh(counters + ::HUBS);  // all three are on their way together
        if (!push && hub_count > out.capacity) hub_count = out.capacity;
        if (hub_count != 0) return;
        out.template overwritten<!STRUCTURE>(found, edges, push);
        note();
    });
    if (hub_count == 0) return;
    if (push) push_hubs(given, hubs, hub_count, out, counters);
    else pull_long_rows(given, hubs, hub_count, out, counters);
    meet([&] {
        out.template overwritten<!STRUCTURE>(counters, push);
        note();
    });
}
