"""Counter-based random numbers: number ``i`` of a stream is a hash of ``i``, so every engine draws the same numbers.

A draw needs no state: any engine can compute any part of a stream, in any order, in pieces of any size. The hash is
that of SplitMix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014), in 64-bit
integers that wrap around: NumPy and CuPy compute the same. Floats could round differently.
"""

from __future__ import annotations

import operator

import numpy as np

from ..foundation.types import Array

STEP = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
WORD = 2**64 - 1
HALF = np.uint64(32)
LOW = np.uint64(2**32 - 1)


class Stream:
    """The random numbers of one seed and purpose.

    >>> import numpy as np
    >>> Stream(0).bits(np.arange(2, dtype=np.uint64)).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    True
    """

    def __init__(self, seed: int, purpose: int = 0) -> None:
        # SplitMix64 begins at the seed; every purpose has its own start.
        start = operator.index(seed) & WORD
        self.start = start if purpose == 0 else mixed((mixed(start) + purpose * STEP) & WORD)

    def bits(self, counters: Array) -> Array:
        """64 random bits for each of the (uint64) counters."""
        z = counters * np.uint64(STEP)
        z += np.uint64((self.start + STEP) & WORD)
        z ^= z >> np.uint64(30)
        z *= np.uint64(FIRST)
        z ^= z >> np.uint64(27)
        z *= np.uint64(SECOND)
        z ^= z >> np.uint64(31)
        return z

    def below(self, limits: Array | int, counters: Array) -> Array:
        """A number from 0 to limit - 1 for each counter, as uint64; limits (one, or an array) are at most 2**32."""
        z = self.bits(counters)
        z >>= HALF
        z *= limits if hasattr(limits, "dtype") else np.uint64(limits)
        z >>= HALF
        return z

    def happens(self, probability: float, counters: Array) -> Array:
        """Whether an event of this probability happens, for each counter."""
        return self.bits(counters) >> HALF < np.uint64(round(probability * 2**32))

    def permutation(self, n: int, like: Array) -> Array:
        """The numbers 0 to n - 1 in random order. All hashes differ, so the order is unique."""
        return np.argsort(self.bits(np.arange(n, dtype=np.uint64, like=like)))


def mixed(z: int) -> int:
    """The hash of one Python number.

    >>> hex(mixed(0x9E3779B97F4A7C15))
    '0xe220a8397b1dcdaf'
    """
    z = (z ^ z >> 30) * FIRST & WORD
    z = (z ^ z >> 27) * SECOND & WORD
    return z ^ z >> 31
