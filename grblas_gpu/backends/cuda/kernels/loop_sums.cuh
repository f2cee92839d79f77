// Sums over the entries of a vector in a loop: of a thread, of its block, and after a barrier of all blocks.

#include "slot.cuh"

// A sum of some values, if there were any.
template <class T> struct Cell {
    T value;
    bool present;
};

// Memory for what the warps of a block have found, one sum after another: all of a kernel's would not fit beside its queues.
constexpr int MOST_BYTES_OF_CELL = 32;
DEVICE void* sums_of_warps() {
    alignas(16) __shared__ uint8 shared[32 * MOST_BYTES_OF_CELL];
    return shared;
}
// The sum over the threads of a block, in thread 0; `add` is associative.
template <class T, class Add> CALLABLE Cell<T> block_sum(Cell<T> mine, Add add) {
    static_assert(sizeof(Cell<T>) <= MOST_BYTES_OF_CELL, "a cell for every warp");
    Cell<T>* sums = (Cell<T>*)sums_of_warps();
    auto merged = [&](const Cell<T>& left, const Cell<T>& right) -> Cell<T> {
        if (!right.present) return left;
        return left.present ? Cell<T>{add(left.value, right.value), true} : right;
    };
    for (int distance = 16; distance > 0; distance >>= 1) {
        Cell<T> higher = {from_higher(mine.value, distance), from_higher(mine.present, distance)};
        if (lane() + distance < 32) mine = merged(mine, higher);
    }
    __syncthreads();
    if (lane() == 0) sums[threadIdx.x >> 5] = mine;
    __syncthreads();
    Cell<T> total = sums[0];
    if (threadIdx.x == 0)
        for (int warp = 1; warp < int(blockDim.x >> 5); ++warp) total = merged(total, sums[warp]);
    return total;
}

// Adds up value(i) over the entries of a vector: what each block found goes to `partial`.
template <class D, class T, class Add, class Read>
DEVICE void sum_entries(const Slot<D>& slot, Cell<T>* partial, Add add, Read read) {
    constexpr int AT_ONCE = 4;  // positions whose entries are on their way together; they are added in their order
    Cell<T> mine = {T(), false};
    int64 items = slot.listed ? slot.count : slot.size;
#if PLAIN
    for (int64 t = thread_in_grid(); t < items; t += threads_in_grid()) {
        int64 i = slot.listed ? slot.list()[t] : t;
        if (slot.has(i)) mine = {mine.present ? add(mine.value, read(i)) : read(i), true};
    }
#else
    for (int64 first = thread_in_grid(); first < items; first += AT_ONCE * threads_in_grid()) {
        Cell<T> cells[AT_ONCE];
        int64 i[AT_ONCE];
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) {
            int64 t = first + n * threads_in_grid();
            i[n] = t < items && slot.listed ? slot.list()[t] : t;
            cells[n].present = t < items && slot.has(i[n]);
        }
        UNROLLED for (int n = 0; n < AT_ONCE; ++n) cells[n].value = cells[n].present ? read(i[n]) : T();
        UNROLLED for (int n = 0; n < AT_ONCE; ++n)
            if (cells[n].present) mine = {mine.present ? add(mine.value, cells[n].value) : cells[n].value, true};
    }
#endif
    mine = block_sum(mine, add);
    if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}
// The same total in every block, in thread 0 of each.
template <class T, class Add> CALLABLE Cell<T> sum_blocks(const Cell<T>* partial, Add add) {
    Cell<T> mine = {T(), false};
    for (unsigned block = threadIdx.x; block < team_blocks(); block += blockDim.x) {
        Cell<T> other = {((volatile const Cell<T>*)partial)[block].value, ((volatile const Cell<T>*)partial)[block].present};
        if (other.present) mine = {mine.present ? add(mine.value, other.value) : other.value, true};
    }
    return block_sum(mine, add);
}
