// Matrix times full vector where entries of a row lead anywhere in a long vector: each would read a sector of the second-level cache for one
// element. Here the matrix is cut into tiles (eager/entry_tiles.py). First every block of columns has its elements in shared memory, and
// the products of its entries go to windows, one for each block of rows, in which those of a tile follow each other. Then every window is
// read into shared memory, and its rows are added up there: entry by entry as they lie in the matrix, so that sums are those of
// row_products.cuh to the last bit. All of this is read and written as it lies in memory. Generated: what row_products.cuh needs.

#include "row_products.cuh"

using TilePlace = unsigned short;  // within a block of columns, or within a window
constexpr int IN_GROUP = 4;        // entries; a tile is a number of whole groups, of which the last may have places that nobody reads

template <class T> struct alignas(IN_GROUP * sizeof(T) < 16 ? IN_GROUP * sizeof(T) : 16) Group {
    T of[IN_GROUP];
};
struct Tiles {
    const Group<TilePlace>* columns;  // of entries, tile by tile: within their blocks
    const Group<MatrixValue>* values;
    const unsigned* targets;         // of every group: which group of the products it goes to
    const unsigned* column_starts;   // of every block of columns: its first group
    const unsigned* windows;         // of every block of rows: its first group among the products
    const int64* first_rows;         // of every block of rows
    const TilePlace* places;         // of every entry of the matrix, as they lie there: within the window of its row
    int64 column_blocks, row_blocks, width;  // width: columns in a block
    Value* products;                         // room for all of them
};

// All threads of a block, which takes parts of blocks of columns.
template <class U> DEVICE void multiply_tiles(const Tiles& tiles, const Matrix& m, const U& u, int64 ncols) {
    constexpr int TOGETHER_GROUPS = sizeof(Value) == 8 ? 2 : 4;
    constexpr int64 parts = 4;  // so that all have something to do until the end
    VectorValue* held = (VectorValue*)dynamic_shared();
    Group<Value>* groups = (Group<Value>*)tiles.products;
    for (int64 unit = blockIdx.x; unit < tiles.column_blocks * parts; unit += BLOCK_COUNT) {
        int64 block = unit / parts, part = unit % parts, first = block * tiles.width;
        int64 columns = ncols - first < tiles.width ? ncols - first : tiles.width;
        __syncthreads();
        for (int64 k = thread(); k < columns; k += blockDim.x) held[k] = u.values[first + k];
        __syncthreads();
        int64 start = tiles.column_starts[block], length = tiles.column_starts[block + 1] - start;
        int64 stop = start + length * (part + 1) / parts;
        for (int64 at = start + length * part / parts + thread(); at < stop; at += TOGETHER_GROUPS * blockDim.x) {
            Group<TilePlace> column[TOGETHER_GROUPS];
            Group<MatrixValue> value[TOGETHER_GROUPS];
            unsigned target[TOGETHER_GROUPS];
#pragma unroll
            for (int n = 0; n < TOGETHER_GROUPS; ++n) {
                int64 group = at + n * blockDim.x < stop ? at + n * blockDim.x : at;
                column[n] = tiles.columns[group];
                if constexpr (MATRIX == EACH) value[n] = tiles.values[group];
                target[n] = tiles.targets[group];
            }
#pragma unroll
            for (int n = 0; n < TOGETHER_GROUPS; ++n) {  // a group that is not there is the first one again
                Group<Value> result;
#pragma unroll
                for (int k = 0; k < IN_GROUP; ++k)
                    result.of[k] = product_of(m, u, MATRIX == EACH ? value[n].of[k] : MatrixValue(0), held[column[n].of[k]]);
                groups[target[n]] = result;
            }
        }
    }
}

// All threads of a block, which takes windows. row_is(row, filled) is called for every row.
template <int IN_FLIGHT, class RowIs>
DEVICE void add_up_windows(
    const Tiles& tiles, const Offset* indptr, int64 nrows, int64 entries, Value* result, RowIs row_is
) {
    Value* window = (Value*)dynamic_shared();
    int64 length = path_chunk(nrows, entries);
    auto load = [&](Place base, int skipped, int count, Value* items) {
        TilePlace places[IN_FLIGHT];
        count -= lane();
#pragma unroll
        for (int k = 0; k < IN_FLIGHT; ++k) {
            bool there = 32 * k < count && (k > 0 || lane() >= skipped);
            places[k] = there ? tiles.places[base + 32 * k + lane()] : TilePlace(0);
        }
#pragma unroll
        for (int k = 0; k < IN_FLIGHT; ++k) items[k] = window[places[k]];
    };
    for (int64 block = blockIdx.x; block < tiles.row_blocks; block += BLOCK_COUNT) {
        __syncthreads();
        int64 begin = tiles.windows[block], groups = tiles.windows[block + 1] - begin;
        const Group<Value>* from = (const Group<Value>*)tiles.products + begin;
#pragma unroll 4
        for (int64 at = thread(); at < groups; at += blockDim.x) ((Group<Value>*)window)[at] = from[at];
        __syncthreads();
        int64 rows = tiles.first_rows[block + 1];
        for (int64 base = tiles.first_rows[block] + (thread() & ~31); base < rows; base += blockDim.x) {
            int64 row = base + lane();
            bool mine = row < rows;
            Place start = Place(indptr[mine ? row : rows]), stop = Place(indptr[mine ? row + 1 : rows]);
            Part sum = {false, Value(0)};
            // What row_products.cuh adds up in two chunks is added up in two parts here.
            int64 cut = mine ? (int64(start) + row) / length : -1;
            bool split = mine && (int64(stop) + row - 1) / length > cut && start < stop;
            Place middle = split ? Place((cut + 1) * length - row) : stop;
            if (middle > stop) middle = stop;
            add_rows<IN_FLIGHT>(start, middle, from_lane(start, 0), from_lane(stop, 31), sum, load);
            if (__any_sync(FULL_WARP, middle < stop)) {
                Part rest = {false, Value(0)};
                add_rows<IN_FLIGHT>(middle, stop, from_lane(start, 0), from_lane(stop, 31), rest, load);
                sum = joined(sum, rest);
            }
            if (mine) row_is(row, sum.found);
            if (mine && sum.found) result[row] = sum.value;
        }
    }
}
