"""One exception for all failed allocations: :class:`~grblas_gpu.exceptions.OutOfMemory`.

Operations report it through their nodes; methods that create or read objects through :func:`reports_memory`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ..exceptions import OutOfMemory

Method = TypeVar("Method", bound=Callable[..., Any])
_TOO_BIG = ("array is too big", "Maximum allowed", "maximum supported dimension", "array would be larger")


def reports_memory(method: Method) -> Method:
    """Make a method raise OutOfMemory in place of the memory errors of NumPy, CuPy and Python."""

    @functools.wraps(method)
    def call(*args: object, **kwargs: object) -> Any:
        try:
            return method(*args, **kwargs)
        except (MemoryError, ValueError) as error:
            raise_out_of_memory(method.__qualname__, error)
            raise

    return cast("Method", call)


def raise_out_of_memory(name: str, error: MemoryError | ValueError) -> None:
    """Raise OutOfMemory if the error is a failed allocation."""
    if isinstance(error, OutOfMemory):
        return
    if isinstance(error, MemoryError) or str(error).startswith(_TOO_BIG):  # NumPy's message for impossible sizes
        raise OutOfMemory(f"{name}: {str(error) or 'no memory left'}") from None
