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
SORTERS = radix.FEW_SORTERS  # threads of a block that sorts parts
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
    whole, low = (key.itemsize + paired * value.itemsize for key in (keys.dtype, _LOW))
    sorters, blocks = radix.sorters_for(count), radix.blocks_of(count, low, SORTERS)
    below = radix.Work(count, LOW_BITS, tiles=radix.tiles_of(count, low, SORTERS) + _PARTS)

    def compiled(file: str, names: tuple[str, ...], key: np.dtype, threads: int, **more: np.dtype) -> tuple[Any, ...]:
        types = (key.itemsize, value.itemsize, paired, work.place.char, threads)
        own = [using(name, dtype) for name, dtype in more.items()]
        chars = tuple(dtype.char for dtype in more.values())
        return functions(file, types + chars, names, lambda: radix.pieces(*types) + own)

    def moved(kernel: Any, *arguments: Any) -> None:
        run_with_shared(kernel, blocks, SORTERS, arguments, radix.tile_bytes(low, SORTERS))

    (move_lowered,) = compiled("radix_top.cu", ("move_lowered_kernel",), keys.dtype, sorters, Low=_LOW)
    count_parts, place_parts, move_parts = compiled("radix_parts.cu", _KERNELS, _LOW, SORTERS)
    last = ("take_parts_apart_kernel",)
    (take_apart,) = compiled("radix_parts_apart.cu", last, _LOW, SORTERS, Upper=upper, Lower=lower)
    payloads = [cupy.empty(count, value) if paired else 0 for _ in range(2)]
    source, target = (cupy.empty(count, _LOW), payloads[0]), (keys.view(_LOW)[:count], payloads[1])
    given = (keys, payload if paired else 0, *source, count, *work.given)
    shared = radix.tile_bytes(whole, sorters)
    run_with_shared(move_lowered, radix.blocks_of(count, whole, sorters), sorters, given, shared)
    sizes, places = work.totals(), cupy.zeros(_PARTS * _PASSES * _PARTS, work.place)
    count_parts((blocks,), (SORTERS,), (source[0], sizes, places))
    place_parts((_PARTS,), (SORTERS,), (sizes, places))
    for number in range(_PASSES - 1):
        moved(move_parts, *source, *target, sizes, places, *below.given[2:], number)
        source, target = target, source
    rows, columns = cupy.empty(count, upper), cupy.empty(count, lower)
    moved(take_apart, *source, rows, columns, target[1], lower_bits, sizes, places, *below.given[2:])
    return rows, columns, target[1]
