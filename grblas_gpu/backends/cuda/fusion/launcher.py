"""How a kernel whose blocks wait for each other is launched."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import cupy

from ....foundation.types import Kernel
from ..runtime.launch import carveout_percent, shared_bytes_at_most
from ..runtime.workspace import Scratch
from .emit_context import MOST_BLOCKS

AS_USUAL = -1  # the driver's preference: with less shared memory PageRank is 15 % faster, and SSSP 40 % slower
TOO_LARGE = 720  # the driver's CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE


class Launcher:
    """Launches a kernel with as many blocks as can wait for each other, and no more than there is work for."""

    def __init__(self, kernel: Kernel, threads: int, blocks: int, cluster: int) -> None:
        self._kernel = kernel  # keeps the function
        self._function = kernel.kernel.ptr
        self._threads = threads  # in a block
        self._blocks, self._cluster = blocks, cluster  # in a processor, in a cluster
        self._shapes: dict[tuple[int, bool], tuple[int, int, int]] = {}  # on a device, with shared memory or without
        self._last: tuple[int, bool] | None = None
        self._requested: tuple | None = None  # what was launched the last time, and how
        self._again: Callable[[], None]

    def _shape(self, device_number: int, wants_shared: bool) -> tuple[int, int, int]:
        """Blocks, how many of them are a cluster, and bytes of shared memory for each besides what is compiled in."""
        device = cupy.cuda.Device(device_number)
        cluster = self._cluster if int(device.compute_capability) >= 90 else 1
        compiled = self._kernel.shared_size_bytes
        shared = max(0, shared_bytes_at_most(device_number) // self._blocks - compiled) if wants_shared else 0
        if shared > self._kernel.max_dynamic_shared_size_bytes:
            self._kernel.max_dynamic_shared_size_bytes = shared
        fitting = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(self._function, self._threads, shared)
        fitting = max(1, min(fitting, self._blocks))
        most = min(MOST_BLOCKS, fitting * int(device.attributes["MultiProcessorCount"]))
        return max(1, most // cluster) * cluster, cluster, shared

    def launch(self, words: memoryview, parameters: int, work: int, scratch: Scratch, wants_shared: bool) -> None:
        """Whole clusters of blocks for so many items of work; ``parameters`` is where the address of the words is.

        ``wants_shared``: products keep something of their operands there (kernels/row_products.cuh, loop_operands.cuh).
        """
        requested = scratch.device, scratch.stream_at, parameters, work, wants_shared
        if requested != self._requested:
            self._prepare(*requested)
        try:
            self._again()
        except cupy.cuda.driver.CUDADriverError as error:
            place = scratch.device, wants_shared
            most, cluster, shared = self._shapes[place]
            blocks = min(most, self._wanted(work, cluster))
            if error.status != TOO_LARGE or blocks <= cluster:
                raise
            # The processors of a cluster are neighbours: there may be a place for a block, but not for eight.
            self._shapes[place] = blocks - cluster, cluster, shared
            self._requested = None
            self.launch(words, parameters, work, scratch, wants_shared)

    def _wanted(self, work: int, cluster: int) -> int:
        """Blocks for so many items of work."""
        return -(-work // (self._threads * cluster)) * cluster

    def _prepare(self, device: int, stream: int, parameters: int, work: int, wants_shared: bool) -> None:
        self._requested = None
        place = device, wants_shared
        known = self._shapes.get(place)
        if known is None:
            known = self._shapes[place] = self._shape(device, wants_shared)
        if place != self._last:  # the kernel has one preference
            carveout = carveout_percent(device) if wants_shared else AS_USUAL
            self._kernel.preferred_shared_memory_carveout = carveout
            self._last = place
        most, cluster, shared = known
        blocks = min(most, self._wanted(work, cluster))
        # The driver's own functions, not the kernel's: that takes three times as long.
        driver, given = (
            cupy.cuda.driver,
            (self._function, blocks, 1, 1, self._threads, 1, 1, shared, stream, parameters),
        )
        if blocks > cluster:
            self._again = partial(driver.launchCooperativeKernel, *given)
        else:  # the blocks of one cluster run at the same time in any case: nothing needs to be made sure of
            self._again = partial(driver.launchKernel, *given, 0)
        self._requested = device, stream, parameters, work, wants_shared
