"""Sorting on the device: stable, by as many bits of the keys as are needed, alone or with a payload."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import cupy
import numpy as np

from ....foundation.types import Kernels
from ...stores.storage import Array
from ..runtime.compile import specialized
from ..runtime.launch import blocks_for, processors, run_with_shared

DIGIT_BITS = 8  # the most in one pass
FEW_SORTERS, MANY_SORTERS = 256, 512  # threads of a block; many write longer runs, few have their part of a short list
MANY = 1 << 23  # keys
AT_ONCE = 1024  # threads that a processor has room for
LARGEST = 16  # bytes of a key and a payload
_DIGITS, _PASSES = 1 << DIGIT_BITS, 8
SMALL = 4096  # up to so many keys one block does all passes: a single launch
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_KERNELS = ("move_keys_kernel", "count_digits_kernel", "sort_kernel")
KEYS, APART, FEW = range(3)  # where a pass puts keys, as in kernels/radix_sort.cu


def bits_for(limit: int) -> int:
    """How many bits the numbers below ``limit`` need; at least one."""
    return max(1, (limit - 1).bit_length())


class Work:
    """What the passes of a sort of so many keys, by so many bits, count with; they belong to one sort.

    ``given`` are arguments of a kernel that makes the keys and counts their digits on the way (``counted``).
    """

    def __init__(self, capacity: int, bits: int, counted: bool = False) -> None:
        self.counted = counted
        self.place = np.dtype(np.uint32 if capacity < 2**30 else np.uint64)  # two bits are for other things
        self.passes = -(-bits // DIGIT_BITS)
        sorters = sorters_for(capacity)
        width, tiles = -(-bits // self.passes), -(-capacity // (_each(LARGEST) * sorters))
        size = _PASSES + (_PASSES + self.passes * tiles) * _DIGITS
        workspace = (cupy.zeros if counted or capacity > SMALL else cupy.empty)(size, self.place)
        self.given = (bits, width, workspace, tiles)


def sort(
    keys: Array, payload: Array | None, bits: int, *, count: int | Array = 0, overwrite: bool = False
) -> tuple[Array, int | Array]:
    """Keys that are not negative in ascending order, by their lowest ``bits``; what is above them comes along, and a
    payload, if there is one, is brought into their order.

    ``count`` is a number in device memory of how many there are, if they do not fill the arrays, which are work space,
    too, with ``overwrite``.
    """
    return _sort(keys, payload, type_of(payload), bits, count, overwrite)


def sort_apart(
    keys: Array, payload: Array | None, bits: int, lower_bits: int, upper: np.dtype, lower: np.dtype, work: Work
) -> tuple[Array, Array, int | Array]:
    """The keys in order as two arrays, what is above ``lower_bits`` and these; and the payload.

    The last pass writes them, so keys are not read again. These are work space; ``work`` has the digits of more than
    ``SMALL`` keys.
    """
    apart = lower_bits, upper, lower
    return _sort(keys, payload, type_of(payload), bits, 0, True, work=work, apart=apart)


def programs(
    key: np.dtype, payload: Array | None, work: Work, capacity: int, upper: np.dtype, lower: np.dtype
) -> list[Callable[[], Kernels]]:
    """What compiles the programs of :func:`sort_apart`."""
    types = _types(key, type_of(payload), payload is not None, work, capacity)
    unsigned = np.dtype(_UNSIGNED[key.itemsize])
    if capacity <= SMALL:
        return [partial(passes, types, FEW, upper, lower)]
    return [partial(passes, types, KEYS, unsigned, unsigned), partial(passes, types, APART, upper, lower)]


def sort_positions(keys: Array, bits: int, *, count: int | Array = 0) -> tuple[Array, Array]:
    """The keys in order and where each of them was."""
    dtype = np.dtype(np.uint32 if len(keys) < 2**32 else np.int64)
    return _sort(keys, None, dtype, bits, count, False, positions=True)


def type_of(payload: Array | None) -> np.dtype:
    return np.dtype(np.uint8) if payload is None else payload.dtype


def _sort(
    keys: Array,
    payload: Array | None,
    payload_type: np.dtype,
    bits: int,
    count: int | Array,
    overwrite: bool,
    positions: bool = False,
    work: Work | None = None,
    apart: tuple[int, np.dtype, np.dtype] | None = None,
) -> tuple:
    capacity, key_type = len(keys), keys.dtype
    paired = positions or payload is not None
    work = work or Work(capacity, bits)
    types = _types(key_type, payload_type, paired, work, capacity)
    item, sorters = key_type.itemsize + paired * payload_type.itemsize, sorters_for(capacity)
    tile = _each(item) * sorters
    shared, most = tile * item, AT_ONCE // sorters * processors(cupy.cuda.runtime.getDevice())
    blocks = blocks_for(capacity, tile, most)

    def new_payload() -> int | Array:
        return cupy.empty(capacity, payload_type) if paired else 0

    given = (keys, 0 if payload is None else payload)
    first = (cupy.empty(capacity, key_type), new_payload())
    second: tuple[int | Array, int | Array] = (0, 0)
    if work.passes > 1:
        spare = payload if overwrite and apart is None else None
        second = (keys if overwrite else cupy.empty(capacity, key_type), new_payload() if spare is None else spare)
    unsigned = np.dtype(_UNSIGNED[key_type.itemsize])
    lower_bits, *numbers = apart or (0, unsigned, unsigned)
    parts = [cupy.empty(capacity, dtype) for dtype in numbers] if apart else [0, 0]
    if capacity <= SMALL:
        arguments = (*given, *first, *second, *parts, lower_bits, count, capacity, *work.given)
        run_with_shared(passes(types, FEW, *numbers)[2], 1, sorters, arguments, shared)
        found = first if work.passes % 2 else second
        return (*parts, found[1]) if apart else found
    move_keys, count_digits, _ = passes(types, KEYS, unsigned, unsigned)
    if not work.counted:
        count_digits((blocks,), (sorters,), (keys, count, capacity, *work.given))
    source, target, other = given, first, second
    for number in range(work.passes - (apart is not None)):
        arguments = (*source, target[0], 0, target[1], 0, count, capacity, *work.given, number)
        run_with_shared(move_keys, blocks, sorters, arguments, shared)
        source, target, other = target, other, target
    if apart is None:
        return source
    last = (*source, *parts, target[1], lower_bits, 0, capacity, *work.given, work.passes - 1)
    run_with_shared(passes(types, APART, *numbers)[0], blocks, sorters, last, shared)
    return (*parts, target[1])


def _types(
    key: np.dtype, payload: np.dtype, paired: bool, work: Work, capacity: int
) -> tuple[int, int, bool, str, int]:
    return key.itemsize, payload.itemsize, paired, work.place.char, sorters_for(capacity)


def _each(item: int) -> int:
    """How many items of so many bytes a thread takes at a time, as in ``kernels/radix_sort.cuh``."""
    return 8 if item > 12 else 12 if item > 8 else 16


def sorters_for(capacity: int) -> int:
    return MANY_SORTERS if capacity >= MANY else FEW_SORTERS


def passes(types: tuple[int, int, bool, str, int], into: int, upper: np.dtype, lower: np.dtype) -> Kernels:
    """The kernels that move keys, count their digits, and sort a few keys."""
    key, payload, paired, place, sorters = types
    given: dict[str, np.dtype | int] = {
        "Key": np.dtype(_UNSIGNED[key]),
        "Payload": np.dtype(_UNSIGNED[payload]),
        "Place": np.dtype(place),
        "Upper": upper,
        "Lower": lower,
        "HAS_PAYLOAD": paired,
        "SORTERS": sorters,
        "INTO": into,
    }
    return specialized("radix_sort.cu", _KERNELS, given)
