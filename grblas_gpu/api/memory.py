"""One exception for everything that does not fit in memory: :class:`~grblas_gpu.errors.OutOfMemory`.

Operations report through their nodes; what makes objects or reads them reports through :func:`report_memory`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import OutOfMemory

_TOO_BIG = ("array is too big", "Maximum allowed", "maximum supported dimension", "array would be larger")


def report_memory(cls: type, names: str) -> None:
    """Let methods of a class say OutOfMemory where NumPy, CuPy or Python have other words for it."""
    for name in names.split():
        owner = next(base for base in cls.__mro__ if name in vars(base))
        found = vars(owner)[name]
        if isinstance(found, classmethod):
            setattr(owner, name, classmethod(_reporting(found.__func__)))
        else:
            setattr(owner, name, _reporting(found))


def _reporting(method: Callable[..., Any]) -> Callable[..., Any]:
    if hasattr(method, "__wrapped__"):  # a method that two classes have from a third
        return method

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

    return call
