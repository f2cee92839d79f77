"""Graphs in files, of which every rank reads its own part; and in folders, to which every rank writes a file.

A folder has ``part-0.npz``, ``part-1.npz`` and so on (positions, values, a checksum) and ``parts.json``. Rank 0
writes the latter after all parts. A folder without it, or with fewer parts than it lists, is incomplete. Any number of
ranks reads it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..api.conversions import MAX_SIZE
from ..backends.mpi.faults import known_everywhere
from ..backends.mpi.grid import Grid
from ..backends.mpi.wire import Wire
from ..foundation.border import shown
from ..foundation.types import Json, PathLike
from ..io.binary_files import read_arrays
from ..io.replacing import replacing

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


FORMAT = 1
DESCRIPTION = "parts.json"
Arrays = tuple[np.ndarray, ...]  # rows, columns and values of a matrix; indices and values of a vector


def write_parts(folder: PathLike, grid: Grid, description: dict[str, object], arrays: Arrays) -> None:
    """Write this rank's entries, then (rank 0) the description of the object; collective."""
    place = Path(folder)
    grid.check_same(folder=str(place))

    def begin() -> None:
        if grid.rank == 0:
            place.mkdir(parents=True, exist_ok=True)
            (place / DESCRIPTION).unlink(missing_ok=True)

    def write() -> None:
        named: Any = {f"array{number}": array for number, array in enumerate(arrays)}
        with replacing(_part(place, grid.rank)) as file, open(file, "wb") as stream:
            np.savez(stream, checksum=np.array([_checksum(arrays)], np.int64), **named)

    def finish() -> None:
        if grid.rank == 0:
            with replacing(place / DESCRIPTION) as file, open(file, "w", encoding="utf-8") as stream:
                json.dump({**description, "format": FORMAT, "parts": grid.size}, stream)

    for step in (begin, write, finish):
        grid.together(step)


def read_description(folder: PathLike, grid: Grid, kind: str) -> Json:
    """The description of a folder's content; the same on all ranks, or an error on all of them."""
    place = Path(folder)
    grid.check_same(folder=str(place))

    def read() -> Json:
        try:
            found = json.loads((place / DESCRIPTION).read_text(encoding="utf-8"))
            parts, shape = found["parts"], found["shape"]
            numbers = [found["format"], parts, *shape]
            if not all(type(number) is int and number >= 0 for number in numbers) or found["format"] != FORMAT:
                raise ValueError(f"format {found['format']}")
            if found["kind"] != kind or len(shape) != (2 if kind == "Matrix" else 1):
                raise ValueError(f"a {found['kind']}, not a {kind}")
            str(found["dtype"])
        except FileNotFoundError:
            said = f"no {DESCRIPTION}: not a folder of parts, or one that is not finished"
            raise FileNotFoundError(2, said, str(place)) from None
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{place}: damaged {DESCRIPTION}: {error}") from None
        return found

    found = grid.together(read)
    grid.check_same(**{DESCRIPTION: sorted(found.items(), key=str)})
    return found


def read_parts(folder: PathLike, parts: int, count: int, rank: int, ranks: int) -> Iterator[Arrays]:
    """The arrays of this rank's share of the parts; ranks take parts in turn."""
    for number in range(rank, parts, ranks):
        file = _part(Path(folder), number)
        try:
            with np.load(file, allow_pickle=False) as stored:
                arrays = tuple(stored[f"array{k}"] for k in range(count))
                checksum = int(stored["checksum"][0])
        except FileNotFoundError:
            raise
        except Exception as error:  # reading a file of another kind may raise anything
            raise ValueError(f"{file}: damaged: {error}") from None
        if checksum != _checksum(arrays):
            raise ValueError(f"{file}: damaged: the checksum is another one")
        yield arrays


def files_of(path: PathLike | list[PathLike]) -> list[PathLike]:
    """The files of a graph: those of a list, or those of a folder in the order of their names."""
    if isinstance(path, (list, tuple)):
        files: list[PathLike] = list(path)
    elif Path(path).is_dir():
        files = [*sorted(file for file in Path(path).iterdir() if file.is_file() and not file.name.startswith("."))]
    else:
        return [path]
    if not files:
        raise known_everywhere(ValueError(f"{path}: no files"))
    return files


def _part(folder: Path, number: int) -> Path:
    return folder / f"part-{number}.npz"


def _checksum(arrays: Arrays) -> int:
    value = 0
    for array in arrays:
        value = zlib.crc32(str(array.dtype).encode(), value)
        value = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, value)
    return value
