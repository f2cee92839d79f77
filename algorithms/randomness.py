"""Random numbers for vertices: hashes of their positions, in integers, so the same on every backend.

The hash is that of SplitMix64. It has an inverse, so different positions get different numbers, which define an order.
Reference: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
"""

from __future__ import annotations

import operator

import numpy as np

from .. import UINT64, Scalar, Vector, binary, indexunary, program
from .preparing import Values

STEP = 0x9E3779B97F4A7C15
ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
WORD = 2**64 - 1
SMALL = 2**32 - 1  # a mask for numbers of 32 bits


def hashed(x: Values, seed: int, *, within: int = WORD) -> Values:
    """Random numbers of 64 or 32 bits for the values of a UINT64 Vector or Matrix; different values stay different.

    >>> hashed(Vector.from_dense(np.arange(1, dtype=np.uint64)), 0).to_dense().tolist() == [0xE220A8397B1DCDAF]
    True
    """
    return mixed(x, Scalar.from_value(np.uint64((STEP + operator.index(seed)) & within)), within)


@program
def mixed(x: Values, offset: Scalar, within: int) -> Values:
    word = np.uint64(within)
    # x = STEP x + offset, which is STEP (x + 1) + seed
    x = binary.times[UINT64](x, np.uint64(STEP & within)).new()
    x << binary.plus[UINT64](x, offset)
    for shift, factor in ROUNDS:
        if within < WORD:
            x << binary.band[UINT64](x, word)
        # x = factor (x xor x >> shift)
        x << binary.bxor(x & binary.bshift[UINT64](x, np.int8(-shift if within == WORD else -shift // 2)).new())
        x << binary.times[UINT64](x, np.uint64(factor & within))
    if within < WORD:
        x << binary.band[UINT64](x, word)
    return x


def random_order(n: int, seed: int, *, within: int = WORD) -> Vector:
    """A random number for each of n vertices, all different.

    >>> len(set(random_order(1000, 1, within=SMALL).to_dense().tolist()))
    1000
    """
    # x_i = hash of i
    return hashed(indexunary.index(Vector.from_scalar(0, n)).new(UINT64), seed, within=within)
