// A mask over positions. Generated: MASKED, MASK_PRESENT, MASK_VALUED, MASK_ISO, COMPLEMENT and the type MaskValue.

struct Mask {
    const bool* present;      // read if MASK_PRESENT
    const MaskValue* values;  // read if MASK_VALUED: the mask is where they are nonzero
};

DEVICE bool allowed(const Mask& mask, int64 i) {
    if constexpr (!MASKED) return true;
    bool inside = true;
    if constexpr (MASK_PRESENT) inside = mask.present[i];
    if constexpr (MASK_VALUED) inside = inside && mask.values[MASK_ISO ? 0 : i] != MaskValue(0);
    return inside != COMPLEMENT;
}
