// A product in a loop: t = m u where the mask allows, by a push from the entries of u or a pull by the rows of t. Pasted once for
// each product, inside a namespace with the pieces of mxv.cuh. The result goes to the other buffer of `out`.

#include "atomics.cuh"
#include "hybrid.cuh"

constexpr bool FOUR_ROWS = STRUCTURE && ENDS_EARLY;  // at a time, of a pull

struct Operands {
    Matrix columns, rows;  // of the same matrix: for pushes, for pulls
    Vector u;
    Mask mask;
    const bool* closing;  // flags of entries that the mask's vector is getting while this runs (CLOSING)
    const Offset* next;   // offsets of the matrix that the result meets next, or null
    const Column* likeliest;  // for each row of a pull, an entry that is likely to be met, or -1 if it has none; or null
};

DEVICE bool is_open(const Operands& given, int64 i) {
    if constexpr (CLOSING) return allowed(given.mask, i) & !given.closing[i];
    else return allowed(given.mask, i);
}

// One edge from k: true for the first one that reaches i. How many edges i has is on its way before that is known. Of many edges
// most lead where others were before: then the rest need not be looked up. A few had better look up everything at once.
DEVICE bool push_edge(
    const Operands& given, const Sums& sums, const ::Count<Offset>& count, bool many, int64 k, int64 entry, int64& i, int64& edges
) {
    i = column_of(given.columns, k, entry);
    if constexpr (STRUCTURE || EXIT_AT_FIRST) {
        bool open = !touched(sums, i);
        if (!many || open) open = open & is_open(given, i);
        if (open) edges = count.edges_of(i);
        bool first = open && touch(sums, i);
        if constexpr (!STRUCTURE)
            if (first) sums.values[i] = product(given.columns, given.u, i, k, entry, k);
        return first;
    } else {
        if (!is_open(given, i)) return false;
        edges = count.edges_of(i);
        return scatter(given.columns, given.u, sums, i, k, entry, k);
    }
}

template <class S> DEVICE Sums sums_of(const S& out) { return {(uint8*)out.other_flags(), 1, (Value*)out.other_values()}; }

// The edges of listed vertices. A block takes some vertices at a time and shares out their edges among its threads; vertices
// with very many edges are put on a list of their own. Whatever else is to be done at these vertices is done on the way.
constexpr int64 SHARE = 128;  // edges, about, that are worth a block
constexpr int64 MANY_EDGES = 1 << 20;
template <class S, class C>
DEVICE void push_list(
    const Operands& given, const int64* list, int64 length, int64 edges, const S& out, int64* counters, int64* hubs, C& change
) {
    ::Chunk& chunk = ::chunk_of_block();
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    bool many = edges > MANY_EDGES;
    int width = int(blockDim.x);  // vertices for a block: so many that all blocks have some, and what they have is worth it
    if (length < int64(BLOCK_COUNT) * width) {
        int even = int((unsigned(length) + BLOCK_COUNT - 1) / BLOCK_COUNT), worth = int(float(length) * SHARE / float(edges + 1));
        even = even < worth ? worth : even;
        width = even < 1 ? 1 : even > width ? width : even;
    }
    for (int64 base = int64(blockIdx.x) * width; base < length; base += int64(BLOCK_COUNT) * width) {
        bool mine = threadIdx.x < width && base + threadIdx.x < length;
        int64 k = 0, start = 0, degree = 0, total;
        if (mine) {
            k = list[base + threadIdx.x];
            start = given.columns.indptr[k];
            degree = int64(given.columns.indptr[k + 1]) - start;
            change.visit(k);
            if (degree > ::HUB && BLOCK_COUNT > 1) {
                hubs[atomicAdd((uint64*)(counters + ::HUBS), uint64(1))] = k;
                degree = 0;
            }
        }
        int64 before = block_offset(degree, total, chunk.shared, int(width + 31) >> 5);
        if (threadIdx.x < width) {
            chunk.firsts[threadIdx.x] = before;
            chunk.starts[threadIdx.x] = start - before;
            chunk.vertices[threadIdx.x] = k;
        }
        __syncthreads();
        for (int64 first = 0; first < total; first += blockDim.x) {
            int64 number = first + threadIdx.x, i = 0, edges = 0;
            bool found = false;
            if (number < total) {
                int64 t = upper_bound(chunk.firsts, 0, width, number) - 1;
                found = push_edge(given, sums, count, many, chunk.vertices[t], chunk.starts[t] + number, i, edges);
            }
            queue_entry(out, i, edges, found, count, counters);
        }
    }
    flush_queue(out, counters);
    count.publish_edges(counters);
}

// The edges of a few vertices by all threads of the team: each block numbers them through for itself.
template <class S>
DEVICE void push_hubs(const Operands& given, const int64* hubs, int64 length, int64 edges, const S& out, int64* counters) {
    ::Chunk& chunk = ::chunk_of_block();
    bool many = edges > MANY_EDGES;
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
        int64 before = block_offset(degree, total, chunk.shared, int(width + 31) >> 5);
        if (threadIdx.x < width) {
            chunk.starts[threadIdx.x] = start - before;
            chunk.vertices[threadIdx.x] = k;
            chunk.firsts[threadIdx.x] = before;
        }
        __syncthreads();
        for (int64 number = thread_in_grid(); number - threadIdx.x < total; number += threads_in_grid()) {
            int64 i = 0, edges = 0;
            bool found = false;
            if (number < total) {
                int64 t = upper_bound(chunk.firsts, 0, width, number) - 1;
                found = push_edge(given, sums, count, many, chunk.vertices[t], chunk.starts[t] + number, i, edges);
            }
            queue_entry(out, i, edges, found, count, counters);
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
                int64 i = 0, edges = 0;
                bool found = first + lane() < stop && push_edge(given, sums, count, true, owner, first + lane(), i, edges);
                int64 place = place_in_list(counters + ::LISTED_ENTRIES, found);
                if (!found) continue;
                if (place < out.capacity) out.other_list()[place] = i;
                count.edges += edges;
            }
        }
    }
    count.publish_edges(counters);
}

// One row (or none: start == stop) for each lane. What is left of a very long one is put on a list in parts, for all warps of the team.
template <class S>
DEVICE Sum pull_row(const Operands& given, const S& out, int64* counters, int64* hubs, int64 i, int64 start, int64 stop) {
    bool is_long = CAN_SCATTER && BLOCK_COUNT > 1 && stop - start > ::LONG_ROW;
    Sum sum = hybrid_sum<FOUR_ROWS>(given.rows, given.u, i, start, is_long ? start + PROBES : stop);
    is_long = is_long && !finished(sum);
    if (is_long) {
        int64 parts = (stop - start - PROBES + ::PART - 1) / ::PART;
        int64 place = int64(atomicAdd((uint64*)(counters + ::HUBS), uint64(parts)));
        bool fits = place + parts <= out.capacity;
        for (int64 part = 0; part < parts && place + part < out.capacity; ++part)
            hubs[place + part] = fits ? i << ::PART_BITS | part : -1;
        if constexpr (!STRUCTURE && !EXIT_AT_FIRST)
            if (fits && !sum.found) ((Value*)out.other_values())[i] = initial();
        is_long = !fits;  // or else somebody will see to it
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
    return sum;
}

// A lane takes a row at a time.
template <class S> DEVICE void pull_rows(const Operands& given, const S& out, int64* counters, int64* hubs) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    Value* values = (Value*)out.other_values();
    for_each_rows<32>(out.size, counters + ::ROWS_GIVEN - TICKET, [&](int64 first) {
        int64 i = first + lane(), start = 0, stop = 0;
        if (i < out.size && is_open(given, i)) start = given.rows.indptr[i], stop = given.rows.indptr[i + 1];
        Sum sum = pull_row(given, out, counters, hubs, i, start, stop);
        if (i >= out.size) return;
        flags[i] = sum.found;
        if constexpr (!STRUCTURE)
            if (sum.found) values[i] = sum.value;
        if (sum.found) count.add(i);
    });
    count.publish(counters);
}

// Which of the four rows from i on are open: the lowest bits of four bytes.
DEVICE unsigned open_rows(const Operands& given, int64 i, int64 size) {
    unsigned open = ~0u;
    if constexpr (MASKED && (MASK_VALUED || !MASK_PRESENT)) {
        open = 0;
        for (int n = 0; n < 4 && i + n < size; ++n) open |= unsigned(is_open(given, i + n)) << 8 * n;
    } else {
        if constexpr (MASKED) open = *(const unsigned*)(given.mask.present + i) ^ (COMPLEMENT ? ~0u : 0u);
        if constexpr (CLOSING) open &= ~*(const unsigned*)(given.closing + i);
        if (i + 4 > size) open &= (1u << (size - i) * 8) - 1;
    }
    return open & 0x01010101u;
}

// A lane takes four rows at a time, flags and all: for most of them an entry or none decides, and that is soon seen. The others
// wait until there is one for every lane.
struct alignas(4 * sizeof(Column)) FourColumns {
    Column of[4];
};
template <class S, class C>
DEVICE void pull_four_rows(const Operands& given, const S& out, int64* counters, int64* hubs, C& change) {
    ::Count<Offset> count = {given.next, 0, 0};
    bool* flags = out.other_flags();
    int64* waiting = ::chunk_of_block().queue + 64 * (threadIdx.x >> 5);  // of this warp
    int many = 0;
    auto pull_waiting = [&] {
        __syncwarp();
        int64 i = lane() < many ? waiting[lane()] : 0, start = 0, stop = 0;
        if (lane() < many) start = given.rows.indptr[i], stop = given.rows.indptr[i + 1];
        bool found = pull_row(given, out, counters, hubs, i, start, stop).found;
        if (found) {
            flags[i] = true;
            count.add(i);
        }
        int64 next = lane() + 32 < many ? waiting[lane() + 32] : 0;
        __syncwarp();
        many = many < 32 ? 0 : many - 32;
        if (lane() < many) waiting[lane()] = next;
    };
    for_each_rows<128>(out.size, counters + ::ROWS_GIVEN - TICKET, [&](int64 first) {
        int64 i = first + 4 * lane();
        unsigned open = i < out.size ? open_rows(given, i, out.size) : 0, found = 0;
        unsigned closing = CLOSING && i < out.size ? ::four_flags(given.closing, i, out.size) & 0x01010101u : 0;
        if (LIKELIEST && given.likeliest && open) {
            FourColumns k = *(const FourColumns*)(given.likeliest + i);
            bool hit[4];
#pragma unroll
            for (int n = 0; n < 4; ++n)
                if (k.of[n] < 0) open &= ~(1u << 8 * n);  // there are no entries
#pragma unroll
            for (int n = 0; n < 4; ++n) hit[n] = open >> 8 * n & 1 ? FULL || given.u.present[k.of[n]] : false;
#pragma unroll
            for (int n = 0; n < 4; ++n) found |= unsigned(hit[n]) << 8 * n;
        }
        if (i + 4 <= out.size) *(unsigned*)(flags + i) = found;
        else for (int n = 0; i + n < out.size; ++n) flags[i + n] = found >> 8 * n & 1;
        count.entries += __popc(found);
        if (found && given.next) {
            Offset offsets[5];
#pragma unroll
            for (int n = 0; n < 5; ++n) offsets[n] = given.next[i + n < out.size ? i + n : out.size];
#pragma unroll
            for (int n = 0; n < 4; ++n) count.edges += found >> 8 * n & 1 ? int64(offsets[n + 1]) - int64(offsets[n]) : 0;
        }
        if (closing) change.visit_four(i, closing);
        unsigned rest = open & ~found;
        if (!__any_sync(FULL_WARP, rest)) return;
#pragma unroll 1
        for (int n = 0; n < 4; ++n, rest >>= 8) {
            unsigned wanting = __ballot_sync(FULL_WARP, rest & 1);
            if (rest & 1) waiting[many + __popc(wanting & ((1u << lane()) - 1))] = i + n;
            many += __popc(wanting);
            if (many >= 32) pull_waiting();
        }
    });
    if (many) pull_waiting();
    count.publish(counters);
}

// The rest of the long rows: a warp takes a part at a time and adds what it finds.
template <class S>
DEVICE void pull_long_rows(const Operands& given, const int64* parts, int64 length, const S& out, int64* counters) {
    ::Count<Offset> count = {given.next, 0, 0};
    Sums sums = sums_of(out);
    for (int64 t = warp_in_grid(); t < length; t += warps_in_grid()) {
        int64 part = fresh(parts + t), row = part >> ::PART_BITS;
        if (part < 0) continue;
        if constexpr (EARLY_EXIT && (STRUCTURE || EXIT_AT_FIRST))
            if (from_lane(touched(sums, row), 0)) continue;  // others set it meanwhile: one lane decides for all
        int64 stop = given.rows.indptr[row + 1];
        int64 start = int64(given.rows.indptr[row]) + PROBES + (part & ((1 << ::PART_BITS) - 1)) * ::PART;
        Sum sum = warp_sum(given.rows, given.u, row, start, start + ::PART < stop ? start + ::PART : stop);
        if (lane() != 0 || !sum.found) continue;
        if constexpr (!STRUCTURE && !EXIT_AT_FIRST) add_atomically(sums.values + row, sum.value);
        if (!first_touch(sums, row)) continue;
        if constexpr (!STRUCTURE && EXIT_AT_FIRST) sums.values[row] = sum.value;
        count.add(row);
    }
    count.publish(counters);
}

// The product by a push or a pull; `out` holds the result afterwards. `change` has something to do at every entry of `u`, and
// `note` is run by thread 0 of every block at the first meeting after that.
template <class U, class S, class C, class Note>
DEVICE void multiply_into(
    const Operands& given, bool push, int64 edges, U& u, S& out, Value initial, int64* counters, int64* hubs, C change, Note note
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
    }
    bool on_the_way = push ? u.listed : FOUR_ROWS && CLOSING;
    if (!on_the_way) change.visit_all(&u);
    if (push && u.listed) push_list(given, u.list(), u.count, edges, out, counters, hubs, change);
    else if (push) push_positions(given, u.size, out, counters);
    else if constexpr (FOUR_ROWS) pull_four_rows(given, out, counters, hubs, change);
    else pull_rows(given, out, counters, hubs);
    change.publish();
    meet([&] {
        int64 found = fresh(counters + (push ? ::LISTED_ENTRIES : ::ENTRIES)), edges = fresh(counters + ::EDGES_NEXT);
        hub_count = fresh(counters + ::HUBS);
        note();  // what it looks up is on its way together with these
        if (!push && hub_count > out.capacity) hub_count = out.capacity;
        if (hub_count == 0) out.template overwritten<!STRUCTURE>(found, edges, push);
    });
    if (hub_count == 0) return;
    if (push) push_hubs(given, hubs, hub_count, edges, out, counters);
    else pull_long_rows(given, hubs, hub_count, out, counters);
    meet([&] { out.template overwritten<!STRUCTURE>(counters, push); });
}
