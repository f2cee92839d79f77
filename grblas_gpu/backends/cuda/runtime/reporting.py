"""Functions of the engine that say how much memory would have fit, and methods that a loop being recorded hears of."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import cupy

from ....errors import OutOfMemory
from ....ir import recording
from . import workspace

Method = TypeVar("Method", bound=Callable[..., Any])


def sized(function: Method) -> Method:
    """What does not fit raises our own error, with sizes."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except cupy.cuda.memory.OutOfMemoryError as error:
            workspace.forget()  # nobody knows what is set there
            raise _too_large(function.__name__, error) from None

    return call  # type: ignore[return-value]


def reported(method: Method) -> Method:
    """The same, and a loop being recorded hears of it."""
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
            raise _too_large(name, error) from None

    return call  # type: ignore[return-value]


def _too_large(name: str, error: BaseException) -> OutOfMemory:
    return OutOfMemory(f"{name} on the device: {error}; {free_bytes():,} bytes are free")


def free_bytes() -> int:
    """What CuPy could still get: free memory of the device, and of its pool."""
    return int(cupy.cuda.runtime.memGetInfo()[0]) + int(cupy.get_default_memory_pool().free_bytes())
