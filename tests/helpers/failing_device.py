"""A device on which one allocation fails: CuPy's pool on a GPU, or the arrays of its emulation."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import device_arrays
import numpy as np
import pytest

VIEWS = (np.broadcast_to, np.may_share_memory, np.shape, np.ndim, np.reshape)  # these allocate nothing
COPYING = ("copy", "astype")


class OutOfDeviceMemory(MemoryError):
    """Like CuPy's own error, which must not leave the engine."""


class Allocations:
    """Counts allocations down, and fails one."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.over = False  # objects of the test may still hold a counting function

    def count(self, size: int = 0) -> None:
        if self.over:
            return
        self.left -= 1
        if self.left == -1:
            raise self.error(size)

    def error(self, size: int) -> MemoryError:
        return OutOfDeviceMemory(f"out of memory allocating {size} bytes, as requested")


class PoolAllocations(Allocations):
    """CuPy's memory."""

    def __init__(self, left: int) -> None:
        import cupy

        super().__init__(left)
        self._memory, self._pool = cupy.cuda.memory, cupy.get_default_memory_pool()

    def error(self, size: int) -> MemoryError:
        return self._memory.OutOfMemoryError(size, 0, 0)  # type: ignore[no-any-return]

    def malloc(self, size: int):
        self.count(size)
        return self._pool.malloc(size)


@contextmanager
def full_device(least: int) -> Iterator[None]:
    """A device, or an emulation, with room for arrays of less than so many bytes: others lie on the host."""
    import cupy

    on_device = cupy.cuda.get_allocator()

    def allocator(size: int):
        if size < least:
            return on_device(size)
        raise cupy.cuda.memory.OutOfMemoryError(size, 0, 0)

    with pytest.MonkeyPatch.context() as patch, cupy.cuda.using_allocator(allocator):
        patch.setattr(sys.modules["grblas_gpu.backends.cuda.runtime.host_memory"], "LEAST", least)
        yield


@contextmanager
def failing_pool(after: int) -> Iterator[Allocations]:
    """Make the allocation after ``after`` others on a GPU fail."""
    import cupy

    allocations = PoolAllocations(after)
    cupy.cuda.set_allocator(allocations.malloc)
    try:
        yield allocations
    finally:
        cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)


@contextmanager
def failing_emulation(after: int) -> Iterator[Allocations]:
    """The same in an emulation: every function that returns a new array, not a view, allocates."""
    import cupy

    allocations, arrays = Allocations(after), device_arrays.DeviceArray
    with pytest.MonkeyPatch.context() as patch:

        def counted(owner, name: str, unless=lambda *args: False) -> None:
            function = getattr(owner, name)

            def call(*args, **options):
                if not unless(*args):
                    allocations.count()
                return function(*args, **options)

            patch.setattr(owner, name, call)

        patch.setattr(cupy.cuda.memory, "OutOfMemoryError", OutOfDeviceMemory)
        for name in "arange argsort asarray empty full ones zeros".split():
            counted(cupy, name)
        counted(sys.modules["grblas_gpu.backends.cuda.runtime.arrays"], "_alloc")
        counted(arrays, "__init__", lambda self, shape, dtype=float, memory=None: _is_view(shape, memory))
        counted(arrays, "__array_function__", lambda self, function, *rest: function in VIEWS)
        counted(arrays, "__array_ufunc__")
        for name in COPYING:

            def copied(self, *args, name: str = name, **options):
                allocations.count()
                return arrays.__getattr__(self, name)(*args, **options)

            patch.setattr(arrays, name, copied, raising=False)
        yield allocations
        allocations.over = True


def _is_view(shape, memory) -> bool:
    return isinstance(shape, np.ndarray) or memory is not None
