// Flags of a byte each, which several threads may set at once.

// Sets a flag; whether it was not set before, which one of several threads is told. Atomics work on the word around it.
DEVICE bool first_to_set(bool* flag) {
    uint64 address = uint64(flag);
    unsigned bit = 1u << (address & 3) * 8;
    return !(atomicOr((unsigned*)(address & ~uint64(3)), bit) & bit);
}

// Clears a flag; whether it was set before.
DEVICE bool first_to_clear(bool* flag) {
    uint64 address = uint64(flag);
    unsigned bit = 1u << (address & 3) * 8;
    return atomicAnd((unsigned*)(address & ~uint64(3)), ~bit) & bit;
}
