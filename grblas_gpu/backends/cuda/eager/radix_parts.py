"""Sorting many keys of little more than 32 bits: a pass by what is above these, the others inside of each part.

The first pass brings keys into 256 parts. From there on their highest digit is where they are, so that the other passes
move 4 bytes of a key in place of 8.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...storage import Array
from ..runtime.compile import functions, using
from ..runtime.launch import run_with_shared
from . import radix

LOW_BITS = 32
LEAST = 1 << 22  # keys: with fewer the tiles of parts are half empty
_LOW, _PASSES, _PARTS = np.dtype(np.uint32), LOW_BITS // radix.DIGIT_BITS, 1 << radix.DIGIT_BITS
_KERNELS = ("count_parts_kernel", "place_parts_kernel", "move_parts_kernel")


def in_parts(count: int, bits: int) -> bool:
    """Whether so many keys of so many bits are sorted in parts."""
    return LOW_BITS < bits <= LOW_BITS + radix.DIGIT_BITS and count >= LEAST


def sort_parts_apart(
    keys: Array, payload: Array | None, lower_bits: int, upper: np.dtype, lower: np.dtype, work: radix.Work
) -> tuple[Array, Array, Any]:
    """As :func:`.radix.sort_apart`; ``work`` has counted the digit above the low bits only."""
    count, paired, value = len(keys), payload is not None, radix.type_of(payload)
    blocks, below = radix.blocks_of(count), radix.Work(count, LOW_BITS, more_tiles=_PARTS)
    numbers = (upper.char, lower.char)

    def compiled(file: str, key: np.dtype, names: tuple[str, ...], **more: np.dtype) -> tuple[Any, ...]:
        types = (key.itemsize, value.itemsize, paired, work.place.char)
        own = [using(name, dtype) for name, dtype in more.items()]
        return functions(file, types + numbers, names, lambda: radix.pieces(*types) + own)

    def moved(kernel: Any, key: np.dtype, *arguments: Any) -> None:
        shared = radix.tile_bytes(key.itemsize + paired * value.itemsize)
        run_with_shared(kernel, blocks, radix.SORTERS, arguments, shared)

    (move_lowered,) = compiled("radix_top.cu", keys.dtype, ("move_lowered_kernel",), Low=_LOW)
    count_parts, place_parts, move_parts = compiled("radix_parts.cu", _LOW, _KERNELS)
    (take_apart,) = compiled("radix_parts_apart.cu", _LOW, ("take_parts_apart_kernel",), Upper=upper, Lower=lower)
    payloads = [cupy.empty(count, value) if paired else 0 for _ in range(2)]
    source, target = (cupy.empty(count, _LOW), payloads[0]), (keys.view(_LOW)[:count], payloads[1])
    moved(move_lowered, keys.dtype, keys, payload if paired else 0, *source, count, *work.given)
    sizes, places = work.totals(), cupy.zeros(_PARTS * _PASSES * _PARTS, work.place)
    count_parts((blocks,), (radix.SORTERS,), (source[0], sizes, places))
    place_parts((_PARTS,), (radix.SORTERS,), (sizes, places))
    for number in range(_PASSES - 1):
        moved(move_parts, _LOW, *source, *target, sizes, places, *below.given[2:], number)
        source, target = target, source
    rows, columns = cupy.empty(count, upper), cupy.empty(count, lower)
    last = (*source, rows, columns, target[1], lower_bits, sizes, places, *below.given[2:])
    moved(take_apart, _LOW, *last)
    return rows, columns, target[1]
