"""Operations on matrices that are not CSR, in front of every engine's kernels."""
