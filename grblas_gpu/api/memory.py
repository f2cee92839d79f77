"""One exception for everything that does not fit in memory: :class:`~grblas_gpu.errors.OutOfMemory`.

Operations report through their nodes; what makes objects or reads them reports through :func:`reports_memory`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import OutOfMemory

Method = TypeVar("Method", bound=Callable[..., Any])
_TOO_BIG = ("array is too big", "Maximum allowed", "maximum supported dimension", "array would be larger")


def reports_memory(method: Method) -> Method:
    """A method that says OutOfMemory where NumPy, CuPy or Python have other words for it."""

    @functools.wraps(method)
    def call(*args: object, **kwargs: object) -> Any:
        try:
            return method(*args, **kwargs)
        except (MemoryError, ValueError) as error:
            raise_out_of_memory(method.__qualname__, error)
            raise

    return call  # type: ignore[return-value]


def raise_out_of_memory(name: str, error: MemoryError | ValueError) -> None:
    """If this is the error of something that did not fit, say OutOfMemory."""
    if isinstance(error, OutOfMemory):
        return
    if isinstance(error, MemoryError) or str(error).startswith(_TOO_BIG):  # NumPy's words for more than there can be
        raise OutOfMemory(f"{name}: {str(error) or 'no memory left'}") from None
