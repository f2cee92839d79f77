"""Parts of an operand on their way from the host to a device, while kernels compute on those that are there."""

from __future__ import annotations

from typing import Any

import cupy

_streams: dict[int, Any] = {}  # of each device, one for copies


class Copies:
    """Copies on a stream of their own; what is launched on the stream of kernels after one of them waits for it."""

    def __init__(self) -> None:
        device = cupy.cuda.runtime.getDevice()
        if device not in _streams:
            _streams[device] = cupy.cuda.Stream(non_blocking=True)
        self._kernels, self._copies = cupy.cuda.get_current_stream(), _streams[device]
        # Memory that the last product's parts had may be used again: not before its kernels have read them.
        self._copies.wait_event(self._kernels.record())
        self._alive: list[Any] = []

    def __call__(self, received: Any) -> Any:
        with self._copies:
            part = cupy.asarray(received)
        self._kernels.wait_event(self._copies.record())
        self._alive.append(part)
        return part
