"""How many threads a kernel gets. Kernels stride over their work, so any number is right; this one fills the device."""

from __future__ import annotations

from functools import cache
from typing import Any

BLOCK = 256
TILES = 1024  # as in kernels/tiles.cuh
BLOCKS_PER_PROCESSOR = 8  # 2048 threads, as many as fit
_ONE_BLOCK, _THREADS = (1,), (BLOCK,)


@cache
def most_blocks(device: int) -> int:
    import cupy

    return BLOCKS_PER_PROCESSOR * int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])


def blocks_for(items: int, per_block: int, most: int) -> int:
    """
    >>> blocks_for(1, 256, 1000), blocks_for(257, 256, 1000), blocks_for(10**9, 256, 1000)
    (1, 2, 1000)
    """
    return max(1, min(-(-items // per_block), most))


def launch(kernel: Any, items: int, arguments: tuple[Any, ...], per_block: int = BLOCK) -> None:
    """Run a kernel over ``items``, of which a block of threads takes ``per_block`` at a time."""
    if items <= per_block:  # the size of the device does not matter
        kernel(_ONE_BLOCK, _THREADS, arguments)
        return
    import cupy

    most = most_blocks(cupy.cuda.runtime.getDevice())
    kernel((blocks_for(items, per_block, most),), _THREADS, arguments)
