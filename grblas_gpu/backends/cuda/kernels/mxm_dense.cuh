// Rows of a result as a bit for every column, in windows of columns that fit shared memory; a block takes a row.
// Generated: Column, and what mxm_rows.cuh needs. Inside of a mask rows are made by mxm_masked_rows.cu.

#include "mxm_share.cuh"
#include "thread_groups.cuh"

static_assert(MASK != INSIDE, "rows inside of a mask have places there");
#ifdef __CUDA_ARCH__
extern __shared__ uint64 dynamic_memory[];
#else
static uint64 dynamic_memory[8192];  // an emulation
#endif

// The columns of one window: those that products have, and those that the mask has.
struct Bits {
    unsigned* present;
    unsigned* masked;  // nothing without a mask
    int64 lo, window;

    DEVICE int64 words() const { return window >> 5; }
    // Whether a column is in the window, and the mask allows it. Its bit is set then.
    DEVICE bool insert(int64 j) const {
        j -= lo;
        if (uint64(j) >= uint64(window)) return false;
        unsigned bit = 1u << (j & 31);
        if constexpr (MASK == OUTSIDE)
            if (masked[j >> 5] & bit) return false;
        if (!(((volatile unsigned*)present)[j >> 5] & bit)) atomicOr(present + (j >> 5), bit);
        return true;
    }
    DEVICE void start(const Mask& mask, int64 i) const {
        for (int64 word = threadIdx.x; word < words(); word += blockDim.x) {
            present[word] = 0;
            if constexpr (MASK != EVERYWHERE) masked[word] = 0;
        }
        __syncthreads();
        if constexpr (MASK != EVERYWHERE) {
            int64 stop = mask.rows.indptr[i + 1];
            int64 entry = lower_bound(mask.rows.indices, mask.rows.indptr[i], stop, lo) + threadIdx.x;
            for (; entry < stop; entry += blockDim.x) {
                int64 j = int64(mask.rows.indices[entry]) - lo;
                if (j >= window) break;
                if (counts(mask, entry)) atomicOr(masked + (j >> 5), 1u << (j & 31));
            }
            __syncthreads();
        }
    }
};
constexpr int BITMAPS = MASK == EVERYWHERE ? 1 : 2;
