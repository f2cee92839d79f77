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
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            int64 p = first + k * step;
            low[k] = p < size ? indptr[first_row + p] : Offset(0);
            high[k] = p < size ? indptr[first_row + p + 1] : Offset(0);
        }
        auto look = [&](const Offset* at) {  // whether any row is still undecided
            Column column[ROWS];
#pragma unroll
            for (int k = 0; k < ROWS; ++k) column[k] = low[k] < high[k] ? indices[at[k]] : Column(0);
            bool searching = false;
#pragma unroll
            for (int k = 0; k < ROWS; ++k) {
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
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            Offset left = high[k] - low[k];
            uint64 place = uint64(first_column + first + k * step) * uint64(per_column) >> 16;
            at[k] = low[k] + (left > FEW ? Offset(uint64(left) * place >> 16) : left / 2);
        }
        bool searching = look(at);
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            Offset left = high[k] - low[k], reach = left > FEW ? 3 + left / 16 : left / 2;
            at[k] = above >> k & 1 ? low[k] + reach : high[k] - 1 - reach;
        }
        if (searching) searching = look(at);
        while (searching) {
#pragma unroll
            for (int k = 0; k < ROWS; ++k) at[k] = low[k] + (high[k] - low[k]) / 2;
            searching = look(at);
        }
        Stored value[ROWS];
#pragma unroll
        for (int k = 0; k < ROWS; ++k)
            if (!ISO && (there >> k & 1)) value[k] = values[low[k]];
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            if (first + k * step >= size) continue;
            present[first + k * step] = there >> k & 1;
            if (!ISO && (there >> k & 1)) out[first + k * step] = value[k];
            found += there >> k & 1;
        }
    }
    publish_one(found, counters, host);
}
