// The numbers of a call to memory of the host, one more each: the host is watching until they are not 0.

extern "C" __global__ void publish_kernel(const int64* counters, int64 count, volatile int64* host) {
    for (int64 slot = threadIdx.x; slot < count; slot += blockDim.x) host[slot] = counters[slot] + 1;
}
