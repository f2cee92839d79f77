// The dynamic shared memory of a launch, if it has any.

DEVICE uint64* dynamic_shared() {
#ifdef __CUDA_ARCH__
    extern __shared__ uint64 dynamic_memory[];
#else
    static uint64 dynamic_memory[8];  // an emulation
#endif
    return dynamic_memory;
}
DEVICE unsigned dynamic_bytes() {
    unsigned bytes = 64;
#ifdef __CUDA_ARCH__
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
#endif
    return bytes;
}
