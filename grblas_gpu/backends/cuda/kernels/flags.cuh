// Flags of a byte each, which several threads may set at once.

// Sets a flag; true for the one thread that changed it. Atomics work on the word that contains it.
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
