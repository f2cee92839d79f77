"""Launch sizes of kernels. Kernels stride over their work, so any number of threads is right; these fill the device."""

from __future__ import annotations

from functools import cache

from ....foundation.types import Kernel

BLOCK, LARGE = 256, 1024
TILES = 1024  # as in kernels/tiles.cuh
SHARES = 4096  # as in kernels/reduce_all.cu
BLOCKS_PER_PROCESSOR = 8  # 2048 threads, as many as fit
RESERVED = 4096  # bytes of static shared memory of kernels with dynamic shared memory
AT_A_TIME = 4  # elements that a thread loads before it writes any, in kernels that only copy
_ONE_BLOCK, _THREADS = (1,), (BLOCK,)


@cache
def processors(device: int) -> int:
    import cupy

    return int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])


@cache
def most_blocks(device: int) -> int:
    return BLOCKS_PER_PROCESSOR * processors(device)


def blocks_for(items: int, per_block: int, most: int) -> int:
    """
    >>> blocks_for(1, 256, 1000), blocks_for(257, 256, 1000), blocks_for(10**9, 256, 1000)
    (1, 2, 1000)
    """
    return max(1, min(-(-items // per_block), most))


def launch(
    kernel: Kernel,
    items: int,
    arguments: tuple[object, ...],
    per_block: int = BLOCK,
    per_processor: int = BLOCKS_PER_PROCESSOR,
) -> None:
    """Run a kernel over ``items``, of which a block of threads takes ``per_block`` at a time.

    At most ``per_processor`` blocks per processor are launched: further ones would begin when these are done, and keep
    few processors busy.
    """
    if items <= per_block:  # the size of the device does not matter
        kernel(_ONE_BLOCK, _THREADS, arguments)
        return
    import cupy

    most = most_blocks(cupy.cuda.runtime.getDevice()) * per_processor // BLOCKS_PER_PROCESSOR
    kernel((blocks_for(items, per_block, most),), _THREADS, arguments)


@cache
def shared_limit(device: int) -> int:
    """Bytes of dynamic shared memory that a block may have."""
    import cupy

    return int(cupy.cuda.Device(device).attributes.get("MaxSharedMemoryPerBlockOptin", 48 * 1024)) - RESERVED


OF_A_BLOCK = 1024  # bytes of shared memory that the driver takes for itself
FOR_CACHE = 36 * 1024  # bytes of shared memory that are left to the first-level cache


@cache
def shared_bytes_at_most(device: int) -> int:
    """Bytes of shared memory for the blocks of a processor that need much of it, next to a cache."""
    return _shared_memory(device) - FOR_CACHE - OF_A_BLOCK


@cache
def carveout_percent(device: int) -> int:
    """The share of a processor's memory that has to be shared memory for these blocks."""
    most = _shared_memory(device)
    return -(-100 * (most - FOR_CACHE) // most)


def _shared_memory(device: int) -> int:
    import cupy

    return int(cupy.cuda.Device(device).attributes.get("MaxSharedMemoryPerMultiprocessor", 64 * 1024))


def run_with_shared(
    kernel: Kernel, blocks: int, threads: int, arguments: tuple[object, ...], shared_bytes: int
) -> None:
    """Run a kernel with dynamic shared memory; more than the default limit needs an attribute of the kernel."""
    if shared_bytes > kernel.max_dynamic_shared_size_bytes:
        kernel.max_dynamic_shared_size_bytes = shared_bytes
    kernel((blocks,), (threads,), arguments, shared_mem=shared_bytes)
