"""Sorting on the device: stable, by as many bits of the keys as are needed, alone or with a payload."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...storage import Array
from ..runtime.compile import constant, functions, using
from ..runtime.launch import BLOCK, launch

DIGIT_BITS = 8  # the most in one pass
MOST_SPANS = 8192  # as in kernels/radix_sort.cuh
SMALL = 4096  # up to so many keys one block does all passes: a single launch
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_KERNELS = ("count_digits_kernel", "add_up_digits_kernel", "move_keys_kernel", "sort_kernel")


def bits_for(limit: int) -> int:
    """How many bits the numbers below ``limit`` need; at least one."""
    return max(1, (limit - 1).bit_length())


def sort(keys: Array, bits: int, *, count: Any = 0, overwrite: bool = False) -> Array:
    """Keys that are not negative in ascending order, by their lowest ``bits`` (the others must be zero).

    ``count`` is a number in device memory of how many there are, if they do not fill the array. With ``overwrite`` the
    given array is work space, too.
    """
    return _sort(keys, None, np.dtype(np.uint8), bits, count, overwrite, False)[0]


def sort_pairs(
    keys: Array,
    payload: Array,
    bits: int,
    *,
    count: Any = 0,
    overwrite: bool = False,
    overwrite_payload: bool = False,
) -> tuple[Array, Array]:
    """The same with an array that is brought into the order of the keys."""
    return _sort(keys, payload, payload.dtype, bits, count, overwrite, overwrite_payload)


def sort_positions(keys: Array, bits: int, *, count: Any = 0) -> tuple[Array, Array]:
    """The keys in order and where each of them was."""
    dtype = np.dtype(np.uint32 if len(keys) < 2**32 else np.int64)
    return _sort(keys, None, dtype, bits, count, False, False, True)


def _sort(
    keys: Array,
    payload: Array | None,
    payload_type: np.dtype,
    bits: int,
    count: Any,
    overwrite: bool,
    overwrite_payload: bool,
    positions: bool = False,
) -> tuple[Array, Any]:
    capacity, key_type = len(keys), keys.dtype
    paired = positions or payload is not None
    place = np.dtype(np.uint32 if capacity < 2**32 else np.uint64)
    count_digits, add_up_digits, move_keys, sort_few = functions(
        "radix_sort.cu",
        (key_type.itemsize, payload_type.itemsize, paired, place.char),
        _KERNELS,
        lambda: [
            using("Key", np.dtype(_UNSIGNED[key_type.itemsize])),
            using("Payload", np.dtype(_UNSIGNED[payload_type.itemsize])),
            using("Place", place),
            constant("HAS_PAYLOAD", paired),
        ],
    )
    passes = -(-bits // DIGIT_BITS)
    width = -(-bits // passes)
    tile = BLOCK * (8 if max(key_type.itemsize, payload_type.itemsize if paired else 0) > 4 else 16)
    spans = max(1, min(-(-capacity // tile), MOST_SPANS))
    counts, totals = cupy.empty(spans << width, place), cupy.empty(1 << width, place)

    def payload_room() -> Any:
        return cupy.empty(capacity, payload_type) if paired else 0

    given = (keys, 0 if payload is None else payload)
    first = (cupy.empty(capacity, key_type), payload_room())
    second: tuple[Any, Any] = (0, 0)
    if passes > 1:
        second = (
            keys if overwrite else cupy.empty(capacity, key_type),
            payload if overwrite_payload else payload_room(),
        )
    if capacity <= SMALL:
        sort_few((1,), (BLOCK,), (*given, *first, *second, count, capacity, bits, width, counts, totals))
        return first if passes % 2 else second
    source, target, other = given, first, second
    for shift in range(0, bits, width):
        digit = (shift, min(width, bits - shift))
        launch(count_digits, capacity, (source[0], count, capacity, *digit, counts), per_block=tile)
        launch(add_up_digits, 1 << width, (count, capacity, *digit, counts, totals), per_block=1)
        launch(move_keys, capacity, (*source, *target, count, capacity, *digit, counts, totals), per_block=tile)
        source, target, other = target, other, target
    return source
