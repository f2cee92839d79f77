"""Text files that may be compressed, given by name or opened already."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
from collections.abc import Iterator
from typing import Any

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@contextlib.contextmanager
def opened(target: Any, mode: str) -> Iterator[Any]:
    """The file of that name, through its compression, opened as ``mode`` says ("rt", "wb", ...); or the open file."""
    if not isinstance(target, (str, os.PathLike)):
        yield target
        return
    opener = _OPENERS.get(os.path.splitext(os.fspath(target))[1], open)
    with opener(target, mode) as file:
        yield file


def is_compressed(target: Any) -> bool:
    return isinstance(target, (str, os.PathLike)) and os.path.splitext(os.fspath(target))[1] in _OPENERS


def name_of(source: Any) -> str:
    """What to call a file in a message."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"
