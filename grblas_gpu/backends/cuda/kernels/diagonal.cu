// A diagonal of a matrix: flags and values by position, found by a search in each row. Generated: Offset, Column, Stored, and
//   ISO   one value stands for all, and is copied once
// `per_column` is 2^32 over the number of columns.
//
// A search is a chain of dependent reads, so a thread has ROWS searches in flight. Every read brings 32 bytes, eight columns. The search
// begins at the expected place of the column, assuming a uniform distribution, and goes as far from there as the deviation may be: the
// first read decides most rows, where bisection would read from both ends of the row. After that the rest is bisected.

#include "publish.cuh"

constexpr int ROWS = 4, FEW = 8;  // so few columns that the first place of the search does not matter

extern "C" __global__ void __launch_bounds__(256, 6) diagonal_kernel(
    const Offset* indptr, const Column* indices, const Stored* values, int64 first_row, int64 first_column, int64 per_column,
    int64 size, bool* present, Stored* out, int64* counters, volatile int64* host
) {
    int64 found = 0, step = threads_in_grid();
    if (ISO && thread_in_grid() == 0) out[0] = values[0];
    for (int64 first = thread_in_grid(); first < size; first += ROWS * step) {
        Offset low[ROWS], high[ROWS];   // the range of the search; the place once it is found
        unsigned there = 0, above = 0;  // a bit for each row
        UNROLLED for (int k = 0; k < ROWS; ++k) {
            int64 p = first + k * step;
            low[k] = p < size ? indptr[first_row + p] : Offset(0);
            high[k] = p < size ? indptr[first_row + p + 1] : Offset(0);
        }
        auto look = [&](const Offset* at) {  // whether any row is still undecided
            Column column[ROWS];
            UNROLLED for (int k = 0; k < ROWS; ++k) column[k] = low[k] < high[k] ? indices[at[k]] : Column(0);
            bool searching = false;
            UNROLLED for (int k = 0; k < ROWS; ++k) {
                if (low[k] >= high[k]) continue;
                Column wanted = Column(first_column + first + k * step);
                above = column[k] < wanted ? above | 1u << k : above;
                there = column[k] == wanted ? there | 1u << k : there;
                low[k] = column[k] < wanted ? at[k] + 1 : column[k] == wanted ? at[k] : low[k];
                high[k] = column[k] < wanted ? high[k] : at[k];
                searching = searching || low[k] < high[k];
            }
            return searching;
        };
        Offset at[ROWS];
        UNROLLED for (int k = 0; k < ROWS; ++k) {
            Offset left = high[k] - low[k];
            uint64 place = uint64(first_column + first + k * step) * uint64(per_column) >> 16;
            at[k] = low[k] + (left > FEW ? Offset(uint64(left) * place >> 16) : left / 2);
        }
        bool searching = look(at);
        UNROLLED for (int k = 0; k < ROWS; ++k) {
            Offset left = high[k] - low[k], reach = left > FEW ? 3 + left / 16 : left / 2;
            at[k] = above >> k & 1 ? low[k] + reach : high[k] - 1 - reach;
        }
        if (searching) searching = look(at);
        while (searching) {
            UNROLLED for (int k = 0; k < ROWS; ++k) at[k] = low[k] + (high[k] - low[k]) / 2;
            searching = look(at);
        }
        Stored value[ROWS];
        UNROLLED for (int k = 0; k < ROWS; ++k)
            if (!ISO && (there >> k & 1)) value[k] = values[low[k]];
        UNROLLED for (int k = 0; k < ROWS; ++k) {
            if (first + k * step >= size) continue;
            present[first + k * step] = there >> k & 1;
            if (!ISO && (there >> k & 1)) out[first + k * step] = value[k];
            found += there >> k & 1;
        }
    }
    publish_one(found, counters, host);
}

// The same of a matrix whose rows are short.
//
// A search of a short row would read most of it anyway, with dependent reads. So a warp reads the columns of 32 rows in order, many at
// once. An entry is on the diagonal if its column belongs to one of these rows and it lies between that row's offsets.

constexpr int AT_ONCE = 9, WARPS = 8, BLOCKS = 6;  // reads per lane, warps per block, blocks per processor
constexpr Offset MOST = 2048;  // entries of 32 rows: with more each row is searched

struct RowsOfWarp {
    int starts[33], found[32];  // where rows begin, and where their diagonal entries are, or -1: relative to the first row's start
};

DEVICE Offset searched(const Column* indices, Offset start, Offset stop, Column wanted) {
    Offset after = Offset(upper_bound(indices, int64(start), int64(stop), wanted));
    return after > start && indices[after - 1] == wanted ? after - 1 : Offset(-1);
}

// All lanes of a warp, for 32 rows of `entries` from `from` on.
DEVICE void read_rows(const Column* indices, Offset from, int entries, Column wanted_first, RowsOfWarp& rows) {
    using Distance = either<sizeof(Column) == 8, uint64, unsigned>;
    const Column* own = indices + from;
    UNROLLED_BY(1) for (int first = lane() - int(from % 32); first - lane() < entries; first += 32 * AT_ONCE) {  // whole cache lines
        Column columns[AT_ONCE];
        UNROLLED for (int k = 0; k < AT_ONCE; ++k) columns[k] = first + 32 * k < entries ? own[first + 32 * k] : Column(-1);
        UNROLLED for (int k = 0; k < AT_ONCE; ++k) {
            int entry = first + 32 * k;
            Distance row = Distance(columns[k]) - Distance(wanted_first);
            if (row < 32 && rows.starts[row] <= entry && entry < rows.starts[row + 1]) rows.found[row] = entry;
        }
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS) diagonal_short_kernel(
    const Offset* indptr, const Column* indices, const Stored* values, int64 first_row, int64 first_column, int64 size,
    bool* present, Stored* out, int64* counters, volatile int64* host
) {
    __shared__ RowsOfWarp of_warps[WARPS];
    RowsOfWarp& rows = of_warps[threadIdx.x >> 5];
    if (ISO && thread_in_grid() == 0) out[0] = values[0];
    int number = 0;
    auto offset = [&](int64 p) { return indptr[first_row + (p < size ? p : size)]; };
    int64 p = thread_in_grid();
    Offset start = offset(p), stop = offset(p + 1);
    for (; p - lane() < size; p += threads_in_grid()) {
        Offset next_start = offset(p + threads_in_grid()), next_stop = offset(p + threads_in_grid() + 1);  // in flight
        Offset from = from_lane(start, 0), to = from_lane(stop, 31), found;
        if (to - from > MOST) {
            found = searched(indices, start, stop, Column(first_column + p));
        } else {
            rows.starts[lane()] = int(start - from);
            rows.found[lane()] = -1;
            if (lane() == 31) rows.starts[32] = int(stop - from);
            __syncwarp();
            read_rows(indices, from, int(to - from), Column(first_column + p - lane()), rows);
            __syncwarp();
            found = rows.found[lane()] < 0 ? Offset(-1) : from + rows.found[lane()];
            __syncwarp();  // before other lanes write there
        }
        if (p < size) {
            present[p] = found >= 0;
            if (!ISO && found >= 0) out[p] = values[found];
            number += found >= 0;
        }
        start = next_start;
        stop = next_stop;
    }
    publish_one(number, counters, host);
}
