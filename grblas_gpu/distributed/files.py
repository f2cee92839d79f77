"""Graphs in files, of which every rank reads a part of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..io.binary_files import MAGIC

_ALIGNMENT = 64
COMPRESSED = (".gz", ".bz2", ".xz")


class FilePart(NamedTuple):
    """The entries that a rank has read; the number of vertices and the symmetry, if the file says them."""

    rows: np.ndarray
    columns: np.ndarray
    size: int | None = None
    symmetric: bool = False


def edges_of_file(path: str | os.PathLike[str], rank: int, ranks: int, base: int | None = None) -> FilePart:
    """A rank's share of the entries."""
    file = Path(path)
    if file.suffix in COMPRESSED:
        raise ValueError(f"{file}: parts of a compressed file cannot be read on their own; decompress it first")
    if file.suffix == ".grb":
        return _own_format(file, rank, ranks)
    if file.suffix == ".mtx":
        return _matrix_market(file, rank, ranks)
    rows, columns = _lines(file, 0, rank, ranks, base or 0)
    return FilePart(rows, columns)


def _lines(file: Path, start: int, rank: int, ranks: int, base: int) -> tuple[np.ndarray, np.ndarray]:
    """The lines that begin in this rank's share of the bytes from ``start`` on."""
    end = file.stat().st_size
    low = start + (end - start) * rank // ranks
    high = start + (end - start) * (rank + 1) // ranks
    with file.open("rb") as stream:
        if low > start:
            stream.seek(low - 1)
            stream.readline()  # belongs to the rank before, unless a line begins right here
            low = stream.tell()
        else:
            stream.seek(low)
        if low >= high:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        text = stream.read(high - low)
        if not text.endswith(b"\n"):
            text += stream.readline()
    return _numbers(file, text, base)


def _numbers(file: Path, text: bytes, base: int) -> tuple[np.ndarray, np.ndarray]:
    wanted = []
    for line in text.splitlines():
        words = line.replace(b",", b" ").split(None, 2)
        if not words or words[0][:1] in (b"#", b"%"):
            continue
        if len(words) < 2 or not (words[0].isdigit() and words[1].isdigit()):
            shown = line[:60].decode("utf-8", "replace")
            raise ValueError(f"{file}: expected two vertices in a line, found {shown!r}")
        wanted.append((int(words[0]), int(words[1])))
    pairs = np.array(wanted, np.int64).reshape(-1, 2) - base
    if pairs.min(initial=0) < 0:
        raise ValueError(f"{file}: vertices count from {base}, but there is a {int(pairs.min()) + base}")
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _matrix_market(file: Path, rank: int, ranks: int) -> FilePart:
    with file.open("rb") as stream:
        banner = stream.readline().decode("ascii", "replace").lower().split()
        if banner[:3] != ["%%matrixmarket", "matrix", "coordinate"] or len(banner) < 5:
            raise ValueError(f"{file}: not a Matrix Market file of coordinates")
        line = stream.readline()
        while line.startswith(b"%") or not line.strip():
            if not line:
                raise ValueError(f"{file}: ends before the line with the sizes")
            line = stream.readline()
        try:
            nrows, ncols, _ = map(int, line.split())
        except ValueError:
            raise ValueError(f"{file}: expected three sizes, found {line[:60]!r}") from None
        start = stream.tell()
    rows, columns = _lines(file, start, rank, ranks, 1)
    return FilePart(rows, columns, max(nrows, ncols), banner[4] != "general")


def _own_format(file: Path, rank: int, ranks: int) -> FilePart:
    """Whole rows of the compressed rows that ``io.save`` wrote, about as many entries for every rank."""
    with file.open("rb") as stream:
        start = stream.read(len(MAGIC) + 8)
        if start[: len(MAGIC)] != MAGIC:
            raise ValueError(f"{file}: not a file of grblas_gpu.io.save")
        fields = json.loads(stream.read(int.from_bytes(start[len(MAGIC) :], "little")))
        place = stream.tell()
    if fields["kind"] != "Matrix":
        raise ValueError(f"{file}: a {fields['kind']}, not a Matrix")
    arrays = {}
    for name, dtype, count in fields["arrays"]:
        place += -place % _ALIGNMENT
        stored = np.dtype(dtype)
        if place + count * stored.itemsize > file.stat().st_size:
            raise ValueError(f"{file}: ends within the array {name!r}")
        arrays[name] = np.memmap(file, stored, "r", place, (count,)) if count else np.zeros(0, stored)
        place += count * stored.itemsize
    pointers, indices = arrays["indptr"], arrays["indices"]
    # Only the pages that are looked at are read.
    low, high = (int(np.searchsorted(pointers, len(indices) * k // ranks, side="left")) for k in (rank, rank + 1))
    high = len(pointers) - 1 if rank == ranks - 1 else high
    rows = np.repeat(np.arange(low, high, dtype=np.int64), np.diff(pointers[low : high + 1]))
    columns = np.asarray(indices[int(pointers[low]) : int(pointers[high])], np.int64)
    return FilePart(rows, columns, max(fields["shape"]))
