"""Matrices in tar archives, as the SuiteSparse Matrix Collection ships them: ``name/name.mtx`` in ``name.tar.gz``."""

from __future__ import annotations

import contextlib
import os
import tarfile
from collections.abc import Iterator
from pathlib import PurePath
from typing import IO, Any

from ..foundation.border import border
from .text_files import name_of

SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


def is_archive(source: object) -> bool:
    """Whether this is the name of a tar archive."""
    return isinstance(source, (str, os.PathLike)) and os.fspath(source).lower().endswith(SUFFIXES)


@contextlib.contextmanager
def matrix_in(source: Any) -> Iterator[IO[bytes]]:
    """The file of the matrix: the file named like the archive (a name or an open file); in a renamed archive, the file
    named like its folder; otherwise the only file.

    Other files of the archive hold right-hand sides, coordinates or names of nodes.
    """
    name = name_of(source)
    stem = PurePath(name).name.partition(".tar")[0].partition(".tgz")[0]
    with border(name), tarfile.open(fileobj=source) if hasattr(source, "read") else tarfile.open(source) as archive:
        files = [member for member in archive if member.isfile() and member.name.endswith(".mtx")]
        paths = {member.name: PurePath(member.name) for member in files}
        called = [member for member in files if paths[member.name].stem == stem]
        called = called or [member for member in files if paths[member.name].stem == paths[member.name].parent.name]
        if len(called or files) != 1:
            found = ", ".join(paths) or "none"
            raise ValueError(f"{name}: expected one matrix ({stem}.mtx) in the archive; found {found}")
        file: Any = archive.extractfile((called or files)[0])
        file.raw.name = f"{name}: {(called or files)[0].name}"  # for messages
        yield file
