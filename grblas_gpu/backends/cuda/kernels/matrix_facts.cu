// Cached properties of a matrix: its longest row, the squares of the rows' lengths, whether it is a diagonal, its offsets several times
// along the diagonal, and the neighbours of each row with most neighbours (hub-neighbour cache).

#include "grid.cuh"

extern "C" __global__ void longest_row_kernel(const Offset* indptr, int64 nrows, int64* longest) {
    int64 most = 0;
    for (int64 i = thread_in_grid(); i < nrows; i += threads_in_grid()) {
        int64 length = int64(indptr[i + 1]) - int64(indptr[i]);
        if (length > most) most = length;
    }
    for (int distance = 16; distance > 0; distance >>= 1) {
        int64 other = from_higher(most, distance);
        if (other > most) most = other;
    }
    if (lane() == 0) atomicMax((uint64*)longest, uint64(most));
}

extern "C" __global__ void squared_lengths_kernel(const Offset* indptr, int64 nrows, int64* sum) {
    int64 found = 0;
    for (int64 i = thread_in_grid(); i < nrows; i += threads_in_grid()) {
        int64 length = int64(indptr[i + 1]) - int64(indptr[i]);
        found += length * length;
    }
    add_to_counter(sum, found);
}

// `wide`: the offsets of all copies need 64 bits.
extern "C" __global__ void repeat_offsets_kernel(const Offset* indptr, int64 nrows, int64 nvals, int64 copies, bool wide, void* out) {
    for (int64 t = thread_in_grid(); t <= nrows * copies; t += threads_in_grid()) {
        int64 copy = t < nrows * copies ? t / nrows : copies;
        int64 offset = copy * nvals + (copy < copies ? int64(indptr[t - copy * nrows]) : 0);
        if (wide) ((int64*)out)[t] = offset;
        else ((Offset*)out)[t] = Offset(offset);
    }
}

// The number of rows that do not begin with their diagonal entry, row i as entry i.
extern "C" __global__ void off_diagonal_kernel(const Offset* indptr, const Column* indices, int64 nrows, int64* count) {
    int64 found = 0;
    for (int64 i = thread_in_grid(); i < nrows; i += threads_in_grid())
        found += int64(indptr[i]) != i || int64(indices[i]) != i;
    add_to_counter(count, found);
}

// For every row the two columns whose own rows have most entries: a search has probably reached them. A warp takes a row, and reads only
// the beginning of a very long one. The second columns follow the first ones, from a multiple of four on, and after them flags of the rows
// that have entries. Missing columns are -1; the last entry of a row, column k, is -2 - k. Only listed rows are written, if there is a list.
constexpr int64 LOOKED_AT = 1024;
struct Best {
    int64 most[2], column[2];
    DEVICE void add(int64 length, int64 k) {
        if (length <= most[1]) return;
        bool better = length > most[0];
        most[1] = better ? most[0] : length;
        column[1] = better ? column[0] : k;
        if (better) most[0] = length, column[0] = k;
    }
};
extern "C" __global__ void hub_neighbours_kernel(
    const Offset* indptr, const Column* indices, int64 nrows, const int64* listed, int64 count, Column* hub_neighbours
) {
    Column* second = hub_neighbours + (nrows + 3) / 4 * 4;
    bool* filled = (bool*)(second + (nrows + 3) / 4 * 4);
    for (int64 n = warp_in_grid(); n < count; n += warps_in_grid()) {
        int64 i = listed ? listed[n] : n, start = indptr[i], number = int64(indptr[i + 1]) - start;
        int64 stop = start + (number < LOOKED_AT ? number : LOOKED_AT);
        Best best = {{-1, -1}, {-1, -1}};
        for (int64 entry = start + lane(); entry < stop; entry += 32) {
            int64 k = indices[entry];
            best.add(int64(indptr[k + 1]) - int64(indptr[k]), k);
        }
        for (int distance = 16; distance > 0; distance >>= 1) {
            Best other;
            for (int place = 0; place < 2; ++place) {
                other.most[place] = from_higher(best.most[place], distance);
                other.column[place] = from_higher(best.column[place], distance);
            }
            if (lane() + distance < 32)
                for (int place = 0; place < 2; ++place) best.add(other.most[place], other.column[place]);
        }
        if (lane() > 0) continue;
        hub_neighbours[i] = Column(number == 1 ? -2 - best.column[0] : best.column[0]);
        second[i] = Column(number == 2 ? -2 - best.column[1] : best.column[1]);
        filled[i] = number > 0;
    }
}
