"""How a kernel whose blocks wait for each other is launched."""

from __future__ import annotations

from typing import Any

import cupy

from ..runtime.workspace import Scratch
from .emit_context import MOST_BLOCKS
from .emit_kernel import BLOCKS, CLUSTER, THREADS

TOO_LARGE = 720  # the driver's CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE


class Launcher:
    """Launches a kernel with as many blocks as can wait for each other, and no more than there is work for."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel  # keeps the function
        self._function = kernel.kernel.ptr
        # The driver's own function, not the kernel's: that takes three times as long.
        self._launch = cupy.cuda.driver.launchCooperativeKernel
        self._most: dict[int, tuple[int, int]] = {}  # on each device, blocks, and how many of them are a cluster

    def _blocks(self, device_number: int) -> tuple[int, int]:
        device = cupy.cuda.Device(device_number)
        cluster = CLUSTER if int(device.compute_capability) >= 90 else 1
        fitting = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(self._function, THREADS, 0)
        # The driver keeps far more shared memory than the blocks need, which the first-level cache is short of then: a
        # product of PageRank on Kronecker 21 took 1.75 ms, and 1.44 so.
        self._kernel.preferred_shared_memory_carveout = 0
        most = min(MOST_BLOCKS, max(1, min(fitting, BLOCKS)) * int(device.attributes["MultiProcessorCount"]))
        return max(1, most // cluster) * cluster, cluster

    def launch(self, words: memoryview, parameters: int, work: int, scratch: Scratch) -> None:
        """Whole clusters of blocks for so many items of work; ``parameters`` is where the address of the words is."""
        known = self._most.get(scratch.device)
        if known is None:
            known = self._most[scratch.device] = self._blocks(scratch.device)
        most, cluster = known
        wanted = -(-work // (THREADS * cluster)) * cluster
        blocks = wanted if wanted < most else most
        try:
            self._launch(self._function, blocks, 1, 1, THREADS, 1, 1, 0, scratch.stream_at, parameters)
        except cupy.cuda.driver.CUDADriverError as error:
            if error.status != TOO_LARGE or blocks <= cluster:
                raise
            # The processors of a cluster are neighbours: there may be a place for a block, but not for eight.
            self._most[scratch.device] = blocks - cluster, cluster
            self.launch(words, parameters, work, scratch)
