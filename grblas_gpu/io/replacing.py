"""Atomic replacement of files: a reader finds the old file or the new one, also after an interrupt."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..foundation.types import PathLike


@contextmanager
def replacing(path: PathLike) -> Iterator[str]:
    """The name of a new file next to ``path``; it replaces ``path`` at the end of the block unless there is an error.

    A pipe or a device is written directly. Several processes and threads may do this at once.
    """
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG | (0o666 & ~_umask())
    if not stat.S_ISREG(mode):
        yield target
        return
    folder, name = os.path.split(target)
    unfinished = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}.tmp")
    try:  # the name is known before the file exists, so an interrupt at any time leaves none behind
        try:
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileNotFoundError:
            raise FileNotFoundError(2, "No such file or directory", os.fspath(path)) from None
        yield unfinished
        with suppress(PermissionError):
            os.chmod(unfinished, stat.S_IMODE(mode))
        os.replace(unfinished, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(unfinished)
        raise


def _umask() -> int:
    """The umask of this process; reading it requires setting it for a moment."""
    with suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"Umask:"):
                return int(line.split()[1], 8)
    current = os.umask(0o077)
    os.umask(current)
    return current
