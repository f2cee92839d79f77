"""Bounds on files: on the memory that a header may request, and on the text of a file in messages."""

from __future__ import annotations

import os
from typing import Any

from ..config import config

_ALWAYS = 2**28  # bytes that any file may request
_RATIO = 200  # bytes of memory per byte of a file: repetitive structure compresses well
_SHOWN = 60  # characters


def shown(text: Any) -> str:
    """A piece of a file as messages show it.

    >>> shown("0 1"), shown("9" * 100)
    ("'0 1'", "'999999999999999999999999999999999999999999999999999999999999'... (100 characters)")
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}... ({len(text)} characters)"


def check_memory(name: str, wanted: int, length: int) -> None:
    """Raise ValueError if a file of ``length`` bytes needs far more memory than ``config["read_limit"]`` allows."""
    limit = config["read_limit"]
    if wanted > (max(_ALWAYS, _RATIO * length) if limit is None else limit):
        raise ValueError(
            f"{name}: the file has {length} bytes, but its header asks for {wanted} bytes of memory; "
            f"to allow it: config.set(read_limit={wanted}), or --force on the command line"
        )


def length_of(source: Any) -> int:
    """The size of a file in bytes, given by name or open; 0 if it is unknown."""
    try:
        if isinstance(source, (str, os.PathLike)):
            return os.stat(source).st_size
        place = source.tell()
        source.seek(0, os.SEEK_END)
        length = source.tell()
        source.seek(place)
        return int(length)
    except (AttributeError, OSError, ValueError):
        return 0
