// One element of a matrix: its place, its value, and the matrix with it set or removed. Generated: Offset, Column, Value, and
// ISO: one value stands for all.

#include "grid.cuh"
#include "publish.cuh"

struct Place {
    int64 at;    // of the element, or where it would be inserted
    bool found;
};

DEVICE Place place_of(const Offset* indptr, const Column* indices, int64 row, int64 column) {
    int64 end = indptr[row + 1];
    int64 at = upper_bound(indices, int64(indptr[row]), end, Column(column - 1));
    return {at, at < end && indices[at] == Column(column)};
}

// Publishes the place, plus 1 if there is an element, plus 2 if all elements have this value.
extern "C" __global__ void find_element_kernel(
    const Offset* indptr, const Column* indices, const Value* values, int64 row, int64 column, Value value, int64* counters,
    volatile int64* host
) {
    Place place = {0, false};
    bool same = false;
    if (thread_in_grid() == 0) {
        place = place_of(indptr, indices, row, column);
        if (ISO) same = values[0] == value;
    }
    publish(place.found + 2 * same, place.at, counters, host);
}

// Publishes the lower half of the bits of the value, then the upper half, with a bit that says whether there is a value.
extern "C" __global__ void read_element_kernel(
    const Offset* indptr, const Column* indices, const Value* values, int64 row, int64 column, int64* counters,
    volatile int64* host
) {
    uint64 bits = 0;
    bool found = false;
    if (thread_in_grid() == 0) {
        Place place = place_of(indptr, indices, row, column);
        found = place.found;
        const Value* value = values + (ISO ? 0 : place.at);
        if (!found) bits = 0;
        else if constexpr (sizeof(Value) == 8) bits = *(const uint64*)value;
        else if constexpr (sizeof(Value) == 4) bits = *(const uint32*)value;
        else if constexpr (sizeof(Value) == 2) bits = *(const uint16*)value;
        else bits = *(const uint8*)value;
    }
    publish(int64(bits >> 32 << 1 | found), int64(bits & 0xffffffffull), counters, host);
}

// One entry more or less (shift), or (0) a new value. Unchanged arrays are not passed.
extern "C" __global__ void change_element_kernel(
    const Offset* indptr, const Column* indices, const Value* values, int64 nrows, int64 entries, int64 row, int64 column,
    Value value, int64 place, int64 shift, Offset* out_indptr, Column* out_indices, Value* out_values
) {
    for (int64 t = thread_in_grid(); t < entries + shift; t += threads_in_grid()) {
        bool here = shift >= 0 && t == place;
        int64 from = shift > 0 && t > place ? t - 1 : shift < 0 && t >= place ? t + 1 : t;
        if (out_indices != nullptr) out_indices[t] = here ? Column(column) : indices[from];
        if (out_values != nullptr) out_values[t] = here ? value : values[ISO ? 0 : from];
    }
    if (out_indptr == nullptr) return;
    for (int64 t = thread_in_grid(); t <= nrows; t += threads_in_grid())
        out_indptr[t] = Offset(int64(indptr[t]) + (t > row ? shift : 0));
}
