"""One exception for all failed allocations: :class:`~grblas_gpu.exceptions.OutOfMemory`.

Operations report it through their nodes; methods that create or read objects through :func:`reports_memory`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import TypeVar, cast

from ..exceptions import OutOfMemory

Method = TypeVar("Method", bound=Callable[..., object])
LESS = "a smaller type, A.pattern() for no values, or io.load(..., mmap=True) takes less"
#: Functions of engines: a context with more memory for a method with this name and error, or None.
more_memory: dict[str, Callable[[str, BaseException], AbstractContextManager[None] | None]] = {}
_TOO_BIG = ("array is too big", "Maximum allowed", "maximum supported dimension", "array would be larger")


def reports_memory(method: Method) -> Method:
    """Repeat a method where an engine knows more memory, or raise OutOfMemory in place of other memory errors."""

    @functools.wraps(method)
    def call(*args: object, **kwargs: object) -> object:
        try:
            return method(*args, **kwargs)
        except (MemoryError, ValueError) as error:
            more = more_or_raise(method.__qualname__, error)
        with more:  # without the arrays that the error kept alive
            return call(*args, **kwargs)

    return cast("Method", call)


def more_or_raise(name: str, error: MemoryError | ValueError) -> AbstractContextManager[None]:
    """Where to repeat what failed; or the error is raised, as OutOfMemory if it is a failed allocation."""
    more = memory_after(name, error)
    if more is None:
        raise_out_of_memory(name, error)
        raise error
    return more


def memory_after(name: str, error: BaseException) -> AbstractContextManager[None] | None:
    """Where to repeat what failed, if an engine knows more memory."""
    return next(filter(None, (find(name, error) for find in more_memory.values())), None)


def raise_out_of_memory(name: str, error: MemoryError | ValueError) -> None:
    """Raise OutOfMemory if the error is a failed allocation."""
    if isinstance(error, OutOfMemory):
        return
    if isinstance(error, MemoryError) or str(error).startswith(_TOO_BIG):  # NumPy's message for impossible sizes
        raise OutOfMemory(f"{name}: {explained(error)}") from None


def explained(error: BaseException) -> str:
    """What was needed and what is free where it was needed, and what would take less.

    >>> explained(MemoryError("Unable to allocate 8 EiB")).endswith(" bytes are free; " + LESS)
    True
    """
    said = str(error) or "no memory left"
    if " free" not in said:
        on_device = type(error).__module__.startswith("cupy")
        said += f"; {free_on_device() if on_device else free_on_host():,} bytes are free"
    return f"{said}; {LESS}"


def free_on_device() -> int:
    """The memory that CuPy could still allocate: free memory of the device and of its pool, within the pool's limit."""
    import cupy

    pool = cupy.get_default_memory_pool()
    free, limit = int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes()), int(pool.get_limit())
    return min(free, limit - int(pool.used_bytes())) if limit else free


def free_on_host() -> int:
    """The free memory of this machine within the limits of this process."""
    free = [2**62]
    with suppress(OSError, ValueError, StopIteration):
        lines = _read("/proc/meminfo").splitlines()
        free.append(1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]))
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):  # "max" is no number
            free.append(int(_read(f"/sys/fs/cgroup/{limit}")) - int(_read(f"/sys/fs/cgroup/{used}")))
    return min(free)


def _read(name: str) -> str:  # pathlib would be loaded by every import of the package, for this
    with open(name) as file:
        return file.read()
