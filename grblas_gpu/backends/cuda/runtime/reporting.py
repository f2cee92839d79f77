"""What follows when the device has no memory left: the host's is used, or an error reports the sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import ParamSpec, TypeVar

import cupy

from ....config import config
from ....exceptions import OutOfMemory
from ....foundation.memory import LESS, free_on_device, more_memory
from . import workspace
from .host_memory import Spilling, is_spilling

Given = ParamSpec("Given")
Result = TypeVar("Result")


def sized(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Repeats a function in the host's memory where the device's is too small, or reports the sizes."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            more = failed(name, error)
            if more is None:
                raise
        with more:  # without the arrays that the error kept alive
            return function(*args, **kwargs)

    return call


def failed(name: str, error: BaseException) -> AbstractContextManager[None] | None:
    """The error handling of :func:`sized`, for callers that avoid its overhead: where to repeat a call."""
    workspace.forget()  # its contents are unknown
    return more(name, error)


def more(name: str, error: BaseException) -> AbstractContextManager[None] | None:
    """A context in which arrays that do not fit on the device lie on the host, unless ``config`` refuses it."""
    of_thrust = type(error) is MemoryError and str(error).startswith("std::bad_alloc")  # CuPy's allocator refused it
    if not (of_thrust or isinstance(error, cupy.cuda.memory.OutOfMemoryError)):
        return None
    if is_spilling() or config["spill"] == "never":
        raise _too_large(name, error) from None
    return _spilling()


more_memory["cuda"] = more


@contextmanager
def _spilling() -> Iterator[None]:
    try:
        with cupy.cuda.using_allocator(Spilling()):
            yield
    finally:
        workspace.forget()  # parts of it may lie on the host


def _too_large(name: str, error: BaseException) -> OutOfMemory:
    return OutOfMemory(f"{name} on the device: {error}; {free_on_device():,} bytes are free; {LESS}")
