"""Graphs in files; every rank reads its own part of a file."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..api.conversions import MAX_SIZE
from ..backends.mpi.faults import known_everywhere
from ..backends.mpi.wire import Wire
from ..foundation.border import shown
from ..foundation.types import PathLike
from ..io.binary_files import read_arrays

COMPRESSED = (".gz", ".bz2", ".xz")
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


class FilePart(NamedTuple):
    """The entries that a rank has read, the size of the file, and the number of entries in its header (-1: none)."""

    rows: np.ndarray
    columns: np.ndarray
    length: int
    size: int = -1
    entries: int = -1
    symmetric: bool = False


def edges_of_file(path: PathLike, rank: int, ranks: int, base: int | None = None) -> FilePart:
    """A rank's share of the entries."""
    file = Path(path)
    if file.suffix in COMPRESSED:
        raise ValueError(f"{file}: parts of a compressed file cannot be read on their own; decompress it first")
    if file.suffix == ".grb":
        return _own_format(file, rank, ranks)
    if file.suffix == ".mtx":
        return _matrix_market(file, rank, ranks)
    rows, columns = _lines(file, 0, rank, ranks, base or 0)
    return FilePart(rows, columns, file.stat().st_size)


def vertices_of_file(path: PathLike, part: FilePart, everyone: Wire) -> int:
    """The number of vertices; a ValueError on all ranks unless their parts form one complete file."""
    highest = max(part.rows.max(initial=-1), part.columns.max(initial=-1))
    said = part.length, part.size, part.entries, part.symmetric
    table = everyone.gather_small(np.array([len(part.rows), highest, *said], np.int64))
    if (table[:, 2:] != table[0, 2:]).any():
        raise known_everywhere(ValueError(f"{path}: the ranks see different files of this name"))
    found = int(table[:, 0].sum())
    if part.entries not in (-1, found):
        raise known_everywhere(ValueError(f"{path}: {part.entries} entries announced, {found} found"))
    return max(part.size, int(table[:, 1].max()) + 1)


def _lines(file: Path, start: int, rank: int, ranks: int, base: int) -> tuple[np.ndarray, np.ndarray]:
    """The lines that begin in this rank's share of the bytes from ``start`` on."""
    end = file.stat().st_size
    low = start + (end - start) * rank // ranks
    high = start + (end - start) * (rank + 1) // ranks
    with file.open("rb") as stream:
        if low > start:
            stream.seek(low - 1)
            stream.readline()  # the previous rank reads it, unless a line begins here
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
            raise ValueError(f"{file}: expected two vertices in a line, found {shown(line)}")
        if max(len(words[0]), len(words[1])) > 18:
            raise ValueError(f"{file}: a vertex beyond 64 bits: {shown(max(words[:2], key=len))}")
        wanted.append((int(words[0]), int(words[1])))
    pairs = np.array(wanted, np.int64).reshape(-1, 2) - base
    if pairs.min(initial=0) < 0:
        raise ValueError(f"{file}: vertices count from {base}, but there is a {int(pairs.min()) + base}")
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _matrix_market(file: Path, rank: int, ranks: int) -> FilePart:
    with file.open("rb") as stream:
        banner = stream.readline().decode("ascii", "replace").lower().split()
        if banner[:3] != ["%%matrixmarket", "matrix", "coordinate"] or "".join(banner[4:5]) not in SYMMETRIES:
            raise ValueError(f"{file}: not a Matrix Market file of coordinates")
        line = stream.readline()
        while line.startswith(b"%") or not line.strip():
            if not line:
                raise ValueError(f"{file}: ends before the line with the sizes")
            line = stream.readline()
        start = stream.tell()
    sizes = line.split()
    if len(sizes) != 3 or not all(size.isdigit() and len(size) < 20 and int(size) <= MAX_SIZE for size in sizes):
        raise ValueError(f"{file}: expected three sizes, found {line[:60].decode('ascii', 'replace')!r}")
    nrows, ncols, entries = map(int, sizes)
    symmetric = banner[4] != "general"
    if symmetric and nrows != ncols:
        raise ValueError(f"{file}: {banner[4]}, but {nrows} x {ncols}")
    rows, columns = _lines(file, start, rank, ranks, 1)
    _check_range(file, "row", rows + 1, 1, nrows)
    _check_range(file, "column", columns + 1, 1, ncols)
    return FilePart(rows, columns, file.stat().st_size, max(nrows, ncols), entries, symmetric)


def _own_format(file: Path, rank: int, ranks: int) -> FilePart:
    """Whole rows of a file that ``io.save`` wrote, with about the same number of entries for every rank."""
    fields, arrays = read_arrays(file, mmap=True)
    try:
        if fields["kind"] != "Matrix":
            raise ValueError(f"a {fields['kind']}, not a Matrix")
        nrows, ncols = fields["shape"]
        pointers, indices = arrays["indptr"], arrays["indices"]
        if not all(type(size) is int and 0 <= size <= MAX_SIZE for size in (nrows, ncols)) or {
            pointers.dtype.kind,
            indices.dtype.kind,
        } - {"i", "u"}:
            raise ValueError(f"{pointers.dtype} and {indices.dtype} for a shape of {nrows} x {ncols}")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file}: damaged: {error}") from None
    # The memory map reads only the pages in use.
    cuts = [int(np.searchsorted(pointers, len(indices) * k // ranks)) for k in range(1, ranks)]
    low, high = [0, *cuts, nrows][rank : rank + 2]
    mine = pointers[low : high + 1].astype(np.int64)
    whole = len(pointers) == nrows + 1 and pointers[0] == 0 and pointers[-1] == len(indices)
    if not whole or low > high or mine[0] < 0 or mine[-1] > len(indices) or np.any(np.diff(mine) < 0):
        raise ValueError(f"{file}: damaged: row pointers that do not rise from 0 to {len(indices)} in {nrows} steps")
    rows = np.repeat(np.arange(low, high, dtype=np.int64), np.diff(mine))
    columns = np.asarray(indices[mine[0] : mine[-1]], np.int64)
    _check_range(file, "column", columns, 0, ncols - 1)
    return FilePart(rows, columns, file.stat().st_size, max(nrows, ncols), len(indices))


def _check_range(file: Path, what: str, index: np.ndarray, first: int, last: int) -> None:
    low, high = int(index.min(initial=first)), int(index.max(initial=first))
    if low < first or (high > last and len(index)):
        raise ValueError(f"{file}: {what} {low if low < first else high} is not from {first} to {last}")
