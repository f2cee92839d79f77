"""Compiled kernels on disk: read only from folders that other users cannot write, and only if they are complete.

The files are executed, so a folder is trusted only if it and its parents belong to this user (or the system), and other
users can neither write to it nor replace it. Every file begins with a checksum: a truncated, damaged or unreadable file
counts as absent. A cache that cannot be written (read-only, full) is read; without a cache, kernels are compiled each
time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import warnings
from functools import cache
from importlib import metadata
from pathlib import Path

from ... import operators
from ...version import __version__
from ..cpu import __path__ as _sources

_SYSTEM = (0, 65534)  # root, also in a container without user names
_MAGIC = b"grblas_gpu kernel 1\n"


def base_folder() -> Path:
    """The cache folder of this library: ``GRBLAS_GPU_CACHE_DIR``, else in the user's cache directory."""
    chosen = os.environ.get("GRBLAS_GPU_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "grblas_gpu"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "grblas_gpu"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "grblas_gpu"


def default_folder() -> Path:
    """Where compiled kernels of this version live."""
    return base_folder() / _version_name()


def _version_name() -> str:
    """All properties that may change the machine code of an unchanged kernel source."""
    digest = hashlib.sha256()
    for path in (Path(_sources[0]) / "compile.py", Path(operators.__path__[0]) / "prelude.py"):
        if path.exists():
            digest.update(path.read_bytes())
    python = f"py{sys.version_info[0]}{sys.version_info[1]}"
    return f"{__version__}-numba{metadata.version('numba')}-{python}-{digest.hexdigest()[:12]}"


@cache
def folder() -> Path | None:
    """The cache folder, made on first use; None if no folder can be trusted."""
    try:
        path = default_folder().absolute()
        safe = private_folder(path)
    except (OSError, RuntimeError):  # no home, a file where a folder should be, no permission
        return None
    if not safe:
        way_out = "chmod go-w its folders, or set GRBLAS_GPU_CACHE_DIR"
        warnings.warn(f"kernels are compiled anew in each process: others may write to {path}; {way_out}", stacklevel=2)
    return path if safe else None


def private_folder(path: Path) -> bool:
    """Make a folder for this user alone; whether it (or an existing one) is safe from other users."""
    path = path.resolve()
    if not path.exists():
        missing = [each for each in (path, *path.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir(mode=0o700, exist_ok=True)
    return path.is_dir() and trusted(path)


def trusted(path: Path) -> bool:
    """Whether no other user could have put something in this folder, or this folder in its place."""
    if not hasattr(os, "geteuid"):  # Windows: folders of a user are the user's
        return True
    path = path.resolve()
    for each in (path, *path.parents):
        found = each.stat()
        # In a folder like /tmp all users can make files, but not replace those of others.
        exchangeable = _open_to_others(found) and (each == path or not found.st_mode & stat.S_ISVTX)
        if exchangeable or found.st_uid not in (os.geteuid(), *_SYSTEM):
            return False
    return True


def trusted_file(path: Path) -> bool:
    """Whether no other user could have written this file, or put it in its place."""
    path = path.resolve()
    if not path.is_file() or not trusted(path.parent):
        return False
    found = path.stat()
    return not hasattr(os, "geteuid") or (found.st_uid in (os.geteuid(), *_SYSTEM) and not _open_to_others(found))


def _open_to_others(found: os.stat_result) -> bool:
    of_group = found.st_mode & stat.S_IWGRP and not _is_private(found.st_gid)
    return bool(found.st_mode & stat.S_IWOTH or of_group)


def _is_private(group: int) -> bool:
    """Whether a group contains this user alone: many systems make one for each user, with a matching umask."""
    import grp
    import pwd

    try:
        found, user = grp.getgrgid(group), pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return False
    return found.gr_name == user and set(found.gr_mem) <= {user}


def read(name: str) -> bytes | None:
    """The data written under a name, if they are complete."""
    place = folder()
    if place is None:
        return None
    try:
        content = (place / name).read_bytes()
    except OSError:
        return None
    start = len(_MAGIC) + 32
    whole = content[:start] == _MAGIC + hashlib.sha256(content[start:]).digest()
    return content[start:] if whole else None


def write(name: str, content: bytes) -> None:
    """Store data under a name, if there is space. Processes may do so concurrently: the last one wins."""
    place = folder()
    if place is None:
        return
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=place, prefix=".", suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(content).digest() + content)
        os.replace(temporary, place / name)
        temporary = None
    except OSError:
        pass  # no permission, or no space
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def has(start: str) -> bool:
    """Whether there is a file whose name starts like this."""
    place = folder()
    return place is not None and next(place.glob(f"{start}*"), None) is not None
