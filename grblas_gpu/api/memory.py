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
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except OutOfMemory:
            raise
        except MemoryError as error:
            raise OutOfMemory(f"{method.__qualname__}: {error or 'no memory left'}") from None
        except ValueError as error:
            if str(error).startswith(_TOO_BIG):  # NumPy's words for more than the address space
                raise OutOfMemory(f"{method.__qualname__}: {error}") from None
            raise

    return call  # type: ignore[return-value]
