"""Out-of-memory errors of the engine that report the sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import cupy

from ....exceptions import OutOfMemory
from ....foundation.memory import LESS, free_on_device
from . import workspace

Method = TypeVar("Method", bound=Callable[..., Any])


def sized(function: Method) -> Method:
    """Turns CuPy's out-of-memory errors into ours, with sizes."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            failed(name, error)
            raise

    return cast("Method", call)


def failed(name: str, error: BaseException) -> None:
    """The error handling of :func:`sized`, for callers that avoid its overhead."""
    workspace.forget()  # its contents are unknown
    if isinstance(error, cupy.cuda.memory.OutOfMemoryError):
        raise _too_large(name, error) from None


def _too_large(name: str, error: BaseException) -> OutOfMemory:
    return OutOfMemory(f"{name} on the device: {error}; {free_on_device():,} bytes are free; {LESS}")
