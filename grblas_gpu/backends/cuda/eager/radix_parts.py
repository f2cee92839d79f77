"""Sorting many keys of little more than 32 bits: a pass by what is above these, the others inside of each part.

The first pass brings keys into 256 parts. From there on their highest digit is where they are, so that the other passes
move 4 bytes of a key in place of 8.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ....foundation.types import Kernel
from ...stores.storage import Array
from ..runtime.launch import run_with_shared
from . import radix

LOW_BITS = 32
LEAST = 1 << 22  # keys: with fewer the tiles of parts are half empty
SORTERS = radix.MANY_SORTERS  # threads of a block that sorts parts
_LOW, _PASSES, _PARTS = np.dtype(np.uint32), LOW_BITS // radix.DIGIT_BITS, 1 << radix.DIGIT_BITS
_KERNELS = ("count_parts_kernel", "place_parts_kernel", "move_parts_kernel", "take_parts_apart_kernel")


def in_parts(count: int, bits: int) -> bool:
    """Whether so many keys of so many bits are sorted in parts."""
    return LOW_BITS < bits <= LOW_BITS + radix.DIGIT_BITS and count >= LEAST


def sort_parts_apart(
    keys: Array, payload: Array | None, lower_bits: int, upper: np.dtype, lower: np.dtype, work: radix.Work
) -> tuple[Array, Array, Any]:
    """As :func:`.radix.sort_apart`; ``work`` has counted the digit above the low bits only."""
    count, paired, value = len(keys), payload is not None, radix.type_of(payload)

    def run(kernel: Kernel, key: np.dtype, threads: int, *arguments: object) -> None:
        item = key.itemsize + paired * value.itemsize
        blocks, shared = radix.blocks_of(count, item, threads), radix.tile_bytes(item, threads)
        run_with_shared(kernel, blocks, threads, arguments, shared)

    def new_payload() -> int | Array:
        return cupy.empty(count, value) if paired else 0

    source, sorters = (cupy.empty(count, _LOW), new_payload()), radix.sorters_for(count)
    types = (keys.dtype.itemsize, value.itemsize, paired, work.place.char, sorters)
    move_lowered, *_ = radix.passes(types, radix.LOWERED, _LOW, _LOW)
    given = (keys, payload if paired else 0, 0, source[0], source[1], 0, 0, count, *work.given, 0)
    run(move_lowered, keys.dtype, sorters, *given)  # the device is busy from here on
    types = (_LOW.itemsize, value.itemsize, paired, work.place.char, SORTERS)
    count_parts, place_parts, move_parts, take_apart = radix.compiled("radix_parts.cu", _KERNELS, types, upper, lower)
    sizes, places = work.totals(), cupy.zeros(_PARTS * _PASSES * _PARTS, work.place)
    run(count_parts, _LOW, SORTERS, source[0], sizes, places)
    place_parts((_PARTS,), (SORTERS,), (sizes, places))
    tiles = radix.tiles_of(count, _LOW.itemsize + paired * value.itemsize, SORTERS) + _PARTS
    common = (sizes, places, *radix.Work(count, LOW_BITS, tiles=tiles).given[2:])
    target = (keys.view(_LOW)[:count], new_payload())
    for number in range(_PASSES - 1):
        run(move_parts, _LOW, SORTERS, *source, *target, *common, number)
        source, target = target, source
    rows, columns = cupy.empty(count, upper), cupy.empty(count, lower)
    run(take_apart, _LOW, SORTERS, *source, rows, columns, target[1], lower_bits, *common)
    return rows, columns, target[1]
