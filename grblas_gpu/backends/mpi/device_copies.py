"""Copies of parts of an operand from the host to a device, while kernels compute on parts copied before."""

from __future__ import annotations

import cupy

from ...foundation.types import Array, Stream

_streams: dict[int, Stream] = {}  # the copy stream of each device


class Copies:
    """Copies on a stream of their own; kernels launched after a copy wait for it."""

    def __init__(self) -> None:
        device = cupy.cuda.runtime.getDevice()
        if device not in _streams:
            _streams[device] = cupy.cuda.Stream(non_blocking=True)
        self._kernels, self._copies = cupy.cuda.get_current_stream(), _streams[device]
        # Copies may reuse the memory of the last product's parts, so they wait until its kernels have read them.
        self._copies.wait_event(self._kernels.record())
        self._alive: list[Array] = []

    def __call__(self, received: Array) -> Array:
        with self._copies:
            part = cupy.asarray(received)
        self._kernels.wait_event(self._copies.record())
        self._alive.append(part)
        return part
