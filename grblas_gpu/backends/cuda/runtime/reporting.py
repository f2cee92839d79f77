"""Methods of the engine that a loop being recorded hears of, and that say how much memory would have fit."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import cupy

from ....errors import OutOfMemory
from ....ir import recording
from . import workspace

Method = TypeVar("Method", bound=Callable[..., Any])


def reported(method: Method) -> Method:
    name = method.__name__

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if recording.active and (recorder := recording.current()) is not None:
            recorder.engine_call(name)
        try:
            return method(*args, **kwargs)
        except BaseException as error:
            workspace.forget()  # nobody knows what is set there
            if not isinstance(error, cupy.cuda.memory.OutOfMemoryError):
                raise
            raise OutOfMemory(f"{name} on the device: {error}; {_free_bytes():,} bytes are free") from None

    return call  # type: ignore[return-value]


def _free_bytes() -> int:
    """What CuPy could still get: free memory of the device, and of its pool."""
    return int(cupy.cuda.runtime.memGetInfo()[0]) + int(cupy.get_default_memory_pool().free_bytes())
